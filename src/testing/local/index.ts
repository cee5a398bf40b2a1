export { startLocalCloud, type CloudOptions, type LocalCloud } from './cloud.ts'
export { mapQueue, type QueueMapping, type MappingOptions } from './mapping.ts'
export { runWorker, type WorkerOptions } from './worker.ts'
export type { Endpoints } from './clients.ts'
export type {
  CloudDescription,
  QueueDescription,
  SubscriptionDescription,
  TableDescription,
  TopicDescription,
} from './description.ts'
export type { CallFault, FaultPoint, Faults, TableThrottle } from './faults.ts'
export type { QueueHandler } from './invoke.ts'
export type { TableSnapshot } from './tableSnapshot.ts'
export type { QueueContents, QueuedMessage } from './messaging.ts'
export type { ConsumerOptions } from './options.ts'
export type { Counts, InvocationReport } from './report.ts'
