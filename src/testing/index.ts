export * from './fakeClock.ts'
export {
  memoryStore,
  type MemoryStore,
  type MemoryStoreOptions,
} from '../library/adapters/store/memory/memoryStore.ts'
export * from './events/awsEvents.ts'
export * from './events/httpEvent.ts'
export * from './events/snsWrapped.ts'
export { type RecordOptions, sqsEvent, sqsRecord } from './events/sqsEvent.ts'
export {
  type ConsumerDescription,
  consumersOf,
  type FlowOfConsumer,
  type FlowPart,
} from './registry/consumersOf.ts'
export type { CrashCloud } from './crashes/cloud/cloud.ts'
export { exploreCrashes } from './crashes/exploreCrashes.ts'
export type { CrashFinding, Anomaly } from './crashes/effects/compareEffects.ts'
export type { CrashOptions, Explored } from './crashes/options.ts'
export type { CrashReport } from './crashes/report.ts'
export * from './memoryCloud.ts'
export * from './memoryObjects.ts'
export type { MemoryRows, MemoryStatement } from './sql/memorySql.ts'
export type { Delivered, MemoryHandler, OpenedMessage } from './queues/deliverNext.ts'
export type { BusDescription, RuleDescription } from './queues/eventBus.ts'
export type { MemoryTopic } from './queues/memoryQueues.ts'
