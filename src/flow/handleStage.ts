import { handleBatch } from '../batch/handleBatch.ts'
import type { SqsHandler } from '../batch/recordHandler.ts'
import { assertFunction, assertKnown } from './assertDefined.ts'
import type { FlowDefinition } from './flowDefinition.ts'
import { openFlowContext } from './openFlowContext.ts'
import { stageStrategy } from './stageStrategy.ts'
import { itemStore } from '../claim/itemStore.ts'

/** The only place where payload types are erased: a handler gets what its own schema returned. */
export type AnyHandler = (payload: never, ctx: never) => unknown

export function handleStage(flow: FlowDefinition, stage: string, handler: AnyHandler): SqsHandler {
  assertKnown(flow, 'handle', stage, flow.stages)
  assertFunction(flow, 'handle', stage, handler)
  const consumer = flow.consumerOf(stage)
  const protocol = stageStrategy(flow, stage, (payload, opened, hold) => {
    const store = itemStore(consumer.store)
    const now = (): number => consumer.clock.now()
    const ctx = openFlowContext({ flow, stage, hold, opened, store, now })
    return handler(payload as never, ctx as never)
  })
  return (event, context) => handleBatch(event, context, consumer, protocol)
}
