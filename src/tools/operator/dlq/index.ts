export { archiveDeadLetters, type ArchiveReport } from './archive.ts'
export { arrivalsOf, type Unseen } from './bound.ts'
export { type Cause, causeOf } from './errorShape.ts'
export type { DeadLetter } from './deadLetter.ts'
export { QueueNotFoundError, type QueueOptions, type Selection } from './deadLetterQueue.ts'
export { discardedRows, type RestoreReport, restoreDiscarded } from './discarded.ts'
export { editDeadLetter, type EditEnd, type EditPlan } from './edit.ts'
export { errorShape, groupName } from './errorShape.ts'
export {
  findDeadLetterQueues,
  messagesOf,
  queueName,
  type FoundQueue,
  type UnreadQueue,
} from './findQueues.ts'
export {
  type IdSet,
  idSetBuilder,
  type PlanContents,
  type PlannedLetter,
  textsOfLines,
} from './idSet.ts'
export { changesBetween, setInJson } from './jsonChange.ts'
export {
  groupDeadLetters,
  type DeadLetterGroup,
  type GroupReport,
  type PeekReport,
  peekDeadLetters,
  type SeenGroup,
} from './look.ts'
export {
  beginRun,
  loadOperation,
  type Operation,
  type OperationRun,
  type Orders,
  requestPause,
} from './operation.ts'
export { loadContents, loadIds, savePlan } from './operationPlan.ts'
export { redriveDeadLetters, type RedriveReport } from './redrive.ts'
