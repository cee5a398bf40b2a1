import { madeOf } from '../base/handler.ts'
import { handleBatch } from '../deliver/handleBatch.ts'
import type { SqsHandler } from '../consumer/recordHandler.ts'
import { assertFunction, assertKnown } from './assertDefined.ts'
import type { FlowDefinition } from './flowDefinition.ts'
import { openFlowContext } from './openFlowContext.ts'
import { partToUndo } from './partToUndo.ts'
import { type RunStage, stageStrategy } from './stageStrategy.ts'
import type { StageToUndo } from '../consumer/undo.ts'
import type { ClaimStrategy } from '../deliver/claimStrategy.ts'
import { itemStore } from '../claim/itemStore.ts'

function undoableStage(flow: FlowDefinition, stage: StageToUndo, run: RunStage): ClaimStrategy {
  const { undo } = stage
  const { engine } = undo
  const runOpened: RunStage = async (payload, opened, hold) =>
    run(payload, await engine.openStage(stage, opened, hold), hold)
  const traces = (name: string): boolean => engine.isUndone(undo, name)
  return engine.strategyOf(stage, stageStrategy(flow, stage.stage, runOpened, traces))
}

/** What a handler of a flow carries, see `madeOf`. */
export interface FlowParts {
  readonly flow: FlowDefinition
  /** Its stage or its step. */
  readonly part: string
}

/** The only place where payload types are erased: a handler gets what its own schema returned. */
export type AnyHandler = (payload: never, ctx: never) => unknown

export function handleStage(flow: FlowDefinition, stage: string, handler: AnyHandler): SqsHandler {
  assertKnown(flow, 'handle', stage, flow.stages)
  assertFunction(flow, 'handle', stage, handler)
  const consumer = flow.consumerOf(stage)
  const now = (): number => consumer.clock.now()
  const run: RunStage = (payload, opened, hold) => {
    const store = itemStore(consumer.store)
    const ctx = openFlowContext({ flow, stage, hold, opened, store, now })
    return handler(payload as never, ctx as never)
  }
  const undoable = partToUndo(flow, stage)
  const protocol =
    undoable === undefined ? stageStrategy(flow, stage, run) : undoableStage(flow, undoable, run)
  const handle: SqsHandler = (event, context) => handleBatch(event, context, consumer, protocol)
  return madeOf(handle, { flow, part: stage } satisfies FlowParts)
}
