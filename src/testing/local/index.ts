export { startLocalCloud, type CloudOptions } from './cloud/cloud.ts'
export { joinLocalCloud } from './cloud/joinLocalCloud.ts'
export type { LocalCloud } from './cloud/openCloud.ts'
export {
  mapQueue,
  type QueueMapping,
  type MappingOptions,
  type MappingState,
} from './mapping/mapQueue.ts'
export { defineDev, type DevOf } from './dev/defineDev.ts'
export type {
  Book,
  BookCheck,
  BookContext,
  BookFinding,
  BookMessage,
  Dev,
  DevCloud,
  DevConsumer,
  Environment,
  OutsideRequest,
  OutsideSystem,
  OutsideUrls,
  Sample,
  SentRequest,
} from './dev/definition.ts'
export { type MappingServer, serveMappings, type ServedMapping } from './mapping/serveMappings.ts'
export {
  replayRun,
  type RecordedFault,
  type RecordedRun,
  type ReplayedRun,
} from './dev/replayRun.ts'
export type { OutsideState } from './dev/outsideSystems.ts'
export type { Sending } from './dev/sendToCloud.ts'
export { runWorker, type WorkerOptions } from './mapping/runWorker.ts'
export {
  type MapEdge,
  type MapNode,
  mapOf,
  type MappedFunction,
  type SeenSend,
  type SystemMap,
} from './observe/mapOf.ts'
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
export type {
  CallEvent,
  CloudChanged,
  CloudShape,
  FaultStruck,
  InvocationBegun,
  InvocationEnded,
  InvocationFault,
  LocalEvent,
  LogLine,
  MappingChanged,
  ObservedMessage,
  Observer,
  OfInvocation,
  QueueDepth,
} from './observe/event.ts'
export type { CallDescription } from './faults/items.ts'
export type { CallMatch } from './faults/strikes.ts'
export type { CallFault, FaultPoint, Faults, NextFault, TableThrottle } from './faults/faults.ts'
export type { QueueHandler } from './mapping/invoke.ts'
export type { Depth, QueueContents, QueuedMessage } from './engines/queueContents.ts'
export type { ConsumerOptions } from './mapping/options.ts'
export type { Counts, InvocationReport } from './mapping/options.ts'
