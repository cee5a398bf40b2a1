export { startLocalCloud, type CloudOptions } from './cloud/cloud.ts'
export { joinLocalCloud } from './cloud/joinLocalCloud.ts'
export type { LocalCloud } from './cloud/openCloud.ts'
export * from './mapping/mapQueue.ts'
export { defineDev, type DevOf } from './dev/defineDev.ts'
export type * from './dev/definition.ts'
export * from './mapping/serveMappings.ts'
export * from './dev/replayRun.ts'
export type { OutsideState } from './dev/outsideSystems.ts'
export type { Sending } from './dev/sendToCloud.ts'
export * from './observe/mapOf.ts'
export { observeOutput } from './observe/observeOutput.ts'
export { observeLocalClouds } from './observe/publish.ts'
export type { Endpoints } from './sdk/clients.ts'
export type { BusDescription, RuleDescription } from '../queues/eventBus.ts'
export type {
  CloudDescription,
  QueueDescription,
  SubscriptionDescription,
  TableDescription,
  TopicDescription,
} from './description/description.ts'
export type * from './observe/event.ts'
export type { CallDescription } from './faults/items.ts'
export type { CallMatch } from './faults/strikes.ts'
export type { CallFault, FaultPoint, Faults, NextFault, TableThrottle } from './faults/faults.ts'
export type { QueueHandler } from './mapping/invoke.ts'
export type { Depth, QueueContents, QueuedMessage } from './engines/queueContents.ts'
export type { ConsumerOptions, Counts } from './mapping/options.ts'
