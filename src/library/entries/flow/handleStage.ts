import { madeOf } from '../../base/handler.ts'
import { handleBatch } from '../../run/deliver/handleBatch.ts'
import type { SqsHandler } from '../consumer/recordHandler.ts'
import { assertFunction, assertDefinedName, assertOtherHandlers } from './assertDefined.ts'
import type { FlowDefinition } from './flowDefinition.ts'
import { openFlowContext } from './openFlowContext.ts'
import { type RunStage, stageStrategy } from './stageStrategy.ts'
import { itemStore } from '../../protocol/claim/itemStore.ts'
import type { Consumer } from '../../run/deliver/consumer.ts'
import { TerminalError } from '../../base/errors.ts'
import { parsePayload } from '../../protocol/record/message/parsePayload.ts'
import { answerStrategy } from './answerStrategy.ts'
import type { AnsweredStep } from './answerDelivery.ts'
import { readAnswers } from '../../protocol/claim/awaiting/takeAnswer.ts'
import { readWaitingRun } from '../../protocol/claim/awaiting/waitingRuns.ts'

/** What a handler of a flow carries, see `madeOf`. */
export interface FlowParts {
  readonly flow: FlowDefinition
  /** Name of the stage or awaited step. */
  readonly part: string
}

/** The only place where payload types are erased: a handler gets what its own schema returned. */
type AnyHandler = (payload: never, ctx: never) => unknown

export function handleStage(flow: FlowDefinition, stage: string, handler: AnyHandler): SqsHandler {
  assertDefinedName(flow, 'stageHandler', stage, flow.stages)
  assertFunction(flow, 'stageHandler', stage, handler)
  const consumer = flow.consumerOf(stage)
  const now = (): number => consumer.clock.now()
  const run: RunStage = (payload, opened, hold) => {
    const store = itemStore(consumer.store)
    const ctx = openFlowContext({ flow, stage, hold, opened, store, now })
    return handler(payload as never, ctx as never)
  }
  const strategy = stageStrategy(flow, stage, run)
  const handle: SqsHandler = (event, context) => handleBatch(event, context, consumer, strategy)
  return madeOf(handle, { flow, part: stage } satisfies FlowParts)
}

export function handleAnswer(
  flow: FlowDefinition,
  step: string,
  handler: AnyHandler,
  otherwise: {
    readonly onTimeout?: (ctx: never) => unknown
    readonly onLate?: AnyHandler
  },
): SqsHandler {
  assertDefinedName(flow, 'answerHandler', step, flow.awaitingSteps)
  assertFunction(flow, 'answerHandler', step, handler)
  assertOtherHandlers(flow, step, otherwise)
  const consumer = flow.consumerOf(step)
  const now = (): number => consumer.clock.now()
  const { onTimeout, onLate } = otherwise
  const strategy = answerStrategy({
    flow,
    name: step,
    runs: {
      answered: async (answered, opened, hold) => {
        const { store, externalId, payload } = answered
        const execution = { flow, stage: step, hold, opened, store, now }
        const answers = await answersOf(flow, consumer, answered)
        const ctx = Object.freeze({ ...openFlowContext(execution), externalId, answers })
        return handler(payload as never, ctx as never)
      },
      timedOut: (opened, hold) => {
        if (onTimeout === undefined) throw overdue(step)
        const execution = { flow, stage: step, hold, opened, store: itemStore(consumer.store), now }
        return onTimeout(openFlowContext(execution) as never)
      },
      late: onLate && ((payload, ctx) => onLate(payload as never, ctx as never)),
    },
  })
  const handle: SqsHandler = (event, context) => handleBatch(event, context, consumer, strategy)
  return madeOf(handle, { flow, part: step } satisfies FlowParts)
}

/** A single answer is in the message; the answers of a join have to be read. The run may wait under a former name of the step. */
async function answersOf(
  flow: FlowDefinition,
  { schema, form }: Consumer,
  { payload, externalId, waiting, store }: AnsweredStep,
): Promise<ReadonlyMap<string, unknown>> {
  if (waiting.awaiting.steps.size === 1) return new Map([[externalId, payload]])
  const complete = await readWaitingRun(flow, waiting.name, waiting, externalId, store)
  const bodies = await readAnswers(store, complete ?? waiting)
  const read = [...bodies].map(
    async ([id, body]) => [id, await parsePayload(body, form, schema)] as const,
  )
  return new Map(await Promise.all(read))
}

function overdue(step: string): TerminalError {
  return new TerminalError(
    `no answer for '${step}' came in time, and answerHandler('${step}', …) has no onTimeout: the run is dead-lettered`,
  )
}
