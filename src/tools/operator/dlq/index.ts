export type { SeenGroup } from './seenGroups.ts'
export { archiveDeadLetters, type ArchiveOptions, type ArchiveReport } from './archive.ts'
export type { Bound, Unseen } from './bound.ts'
export type { QueueOptions } from './deadLetterQueue.ts'
export { discardedRows, type RestoreReport, restoreDiscarded } from './discarded.ts'
export { editDeadLetter, type EditEnd, type EditPlan } from './edit.ts'
export {
  findDeadLetterQueues,
  messagesOf,
  queueName,
  type FoundQueue,
  type FoundQueues,
  type UnreadQueue,
} from './findQueues.ts'
export { arrivalsOf } from './arrivals.ts'
export { type Cause, causeOf } from './cause.ts'
export { errorShape } from './errorShape.ts'
export { groupName } from './groupName.ts'
export { groupDeadLetters, type DeadLetterGroup, type GroupReport } from './group.ts'
export type { DeadLetter } from './deadLetter.ts'
export { type IdSet, idSetBuilder, type PlannedLetter } from './idSet.ts'
export { loadOperation, type Operation } from './operation.ts'
export { loadContents, loadIds, savePlan } from './operationPlan.ts'
export {
  beginRun,
  type OperationRun,
  type Orders,
  type Pace,
  requestPause,
} from './operationRun.ts'
export type { PlanContents } from './planContents.ts'
export { changesBetween, setInJson } from './jsonChange.ts'
export { type PeekReport, peekDeadLetters, type PeekOptions } from './peek.ts'
export { QueueNotFoundError } from './queueNotFoundError.ts'
export { redriveDeadLetters, type RedriveOptions } from './redrive.ts'
export type { RedriveReport } from './redriveReport.ts'
export type { Selection } from './selection.ts'
