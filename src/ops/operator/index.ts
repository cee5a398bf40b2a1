export { applyPlan, type Applied, type Operator } from './applyPlan.ts'
export { explain, type Explained } from './explain.ts'
export { listTasks, type TaskFilter } from './listTasks.ts'
export type { Status } from './listDue.ts'
export {
  type AwaitedStep,
  completeStep,
  failStep,
  forgetDead,
  type Lookup,
  releaseToken,
  reopenToken,
  resetFlow,
  resolveToken,
} from './lookUp.ts'
export type { Action, Changing, Effect, Idle, Plan } from './plan.ts'
export { planComplete, planFail, readWaitingStep, type WaitingStep } from './planAwaits.ts'
export { planForget, planReset } from './planFlow.ts'
export {
  planRelease,
  planReopen,
  planResolve,
  type Reopening,
  type Resolution,
} from './planTokens.ts'
export { findRequest, type Shown, showRequest } from './showRequest.ts'
export { countTasks, type TaskCount } from './countTasks.ts'
export { sweepHandler, type SweepOptions, type SweepReport } from './sweepHandler.ts'
export type { Swept } from './sweepItem.ts'
export { dynamoDbReader } from '../../store/dynamodb/dynamoDbReader.ts'
export { memoryReader, type TableReader } from '../../store/tableReader.ts'
export { type Task, type TaskKind, taskOf } from './task.ts'
export * from './dlq/index.ts'
