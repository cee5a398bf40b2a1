export { type FakeClock, fakeClock } from './fakeClock.ts'
export * from './memoryStore.ts'
export * from './snsWrapped.ts'
export * from './sqsEvent.ts'
export type { CrashCloud } from './crashes/cloud.ts'
export {
  type CrashOptions,
  type CrashReport,
  type Explored,
  exploreCrashes,
} from './crashes/exploreCrashes.ts'
export type { Finding, Trouble } from './crashes/judge.ts'
