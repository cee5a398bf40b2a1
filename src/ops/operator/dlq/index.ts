export { archiveDeadLetters, type ArchiveOptions, type ArchiveReport } from './archive.ts'
export type { Bound } from './bound.ts'
export type { QueueOptions } from './deadLetterQueue.ts'
export { discardedRows, planRestore, type RestoreReport, restoreDiscarded } from './discarded.ts'
export { editDeadLetter, type EditPlan, type EditResult } from './edit.ts'
export {
  findDeadLetterQueues,
  messagesOf,
  type FoundQueue,
  type FoundQueues,
  type UnreadQueue,
} from './findQueues.ts'
export { groupDeadLetters, type DeadLetterGroup, type GroupReport } from './group.ts'
export type { DeadLetter } from './deadLetter.ts'
export { type IdSet, idSetBuilder } from './idSet.ts'
export {
  beginRun,
  loadIds,
  loadOperation,
  type Operation,
  type OperationRun,
  requestPause,
  savePlan,
} from './operation.ts'
export { changesBetween, setInJson } from './jsonChange.ts'
export { type PeekReport, peekDeadLetters, type PeekOptions } from './peek.ts'
export { QueueNotFoundError } from './queueNotFoundError.ts'
export { redriveDeadLetters, type RedriveOptions } from './redrive.ts'
export type { RedriveReport } from './redriveReport.ts'
export type { Selection } from './selection.ts'
