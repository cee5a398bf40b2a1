export { type FakeClock, fakeClock } from './fakeClock.ts'
export * from './memoryStore.ts'
export * from './snsWrapped.ts'
export * from './sqsEvent.ts'
