export { applyPlan, type ApplyResult, type ApplyOptions } from './applyPlan.ts'
export { explainRequest, type Explanation } from './explain.ts'
export { listTasks, type TaskFilter } from './listTasks.ts'
export type { TaskStatus } from './listDue.ts'
export {
  type StepSelector,
  completeStep,
  failStep,
  forgetDead,
  type Lookup,
  releaseToken,
  reopenToken,
  resetFlow,
  resolveToken,
} from './lookUp.ts'
export type { OperatorAction, PlannedChange, PlannedEffect, NoChange, ChangePlan } from './plan.ts'
export { planComplete, planFail, loadedStep, type LoadedStep } from './planAwaits.ts'
export { planForget, planReset } from './planFlow.ts'
export {
  planRelease,
  planReopen,
  planResolve,
  type ReopenOptions,
  type Resolution,
} from './planTokens.ts'
export { scanForRequest, type StoredRequest, readRequest } from './readRequest.ts'
export { countTasks, type TaskCount } from './countTasks.ts'
export { sweepHandler, type SweepOptions, type SweepReport } from './sweepHandler.ts'
export type { SweepOutcome } from './sweepItem.ts'
export { dynamoDbReader } from '../../store/dynamodb/dynamoDbReader.ts'
export { memoryReader, type TableReader } from '../../store/tableReader.ts'
export { type Task, type TaskKind, taskOf } from './task.ts'
export * from './dlq/index.ts'
