import type { StandardSchemaV1 } from '@standard-schema/spec'
import { consume } from '../batch/consume.ts'
import type { SqsHandler } from '../batch/recordHandler.ts'
import { tokenProtocol } from '../batch/tokenProtocol.ts'
import type { Receipt } from '../awaiting/decideComplete.ts'
import type { Duration } from '../duration.ts'
import type { RecordContext, SentMessage } from '../effect/context.ts'
import { ConfigError, TerminalError } from '../errors.ts'
import { parsePayload } from '../message/parsePayload.ts'
import { answer, extend } from './answer.ts'
import { type Answered, completeProtocol } from './completeProtocol.ts'
import type { CompleteContext, FlowContext } from './context.ts'
import { type Flow as Definition, readFlow } from './flow.ts'
import { openFlowContext } from './openFlowContext.ts'
import type {
  Answers,
  FlowOptions,
  NoAnswers,
  PayloadOf,
  SentTo,
  StagesOptions,
} from './options.ts'
import { reset } from './reset.ts'
import { stageProtocol } from './stageProtocol.ts'
import { stageStore } from './stageStore.ts'
import { start, type StartOptions } from './start.ts'
import { readAnswers } from './takeAnswer.ts'
import { readWaiting } from './waiting.ts'

/** A process over one or more Lambdas. Each of them imports the definition and exports a handler made from it. */
export interface Flow<Stages extends StagesOptions, Awaited extends Answers> {
  /** The Lambda handler for the messages of one stage. */
  handle<Name extends keyof Stages & string>(
    stage: Name,
    handler: (
      payload: PayloadOf<Stages[Name]>,
      ctx: FlowContext<Stages, Awaited, Targets<Stages, Name>>,
    ) => unknown,
  ): SqsHandler
  /** The Lambda handler for the answers of one awaited step: it goes on with the run that waits. */
  complete<Name extends keyof Awaited & string>(
    step: Name,
    handler: (
      answer: StandardSchemaV1.InferOutput<Awaited[Name]>,
      ctx: CompleteContext<Stages, Awaited, StandardSchemaV1.InferOutput<Awaited[Name]>>,
    ) => unknown,
    otherwise?: {
      /** No answer came in time. Default: the run is dead-lettered. */
      readonly onTimeout?: (ctx: FlowContext<Stages, Awaited>) => unknown
      /** An answer for a step or a run that is over. Default: it is dropped, with a line in the log. */
      readonly onLate?: (
        answer: StandardSchemaV1.InferOutput<Awaited[Name]>,
        ctx: RecordContext,
      ) => unknown
    },
  ): SqsHandler
  /** An answer that came by a call, such as a webhook: it is put on the queue of `complete`, and the caller told what it met. */
  answer<Name extends keyof Awaited & string>(
    step: Name,
    answer: StandardSchemaV1.InferInput<Awaited[Name]>,
  ): Promise<Receipt>
  /** The other side is still at work: moves the timeout of all that wait for the id to `by` from now. @returns how many. */
  heartbeat<Name extends keyof Awaited & string>(
    step: Name,
    externalId: string,
    by: Duration,
  ): Promise<number>
  /** Sends a request to the first stage. The same `uniqueRequestId` is taken once. */
  start(payload: SentTo<Stages[keyof Stages]>, options?: StartOptions): Promise<SentMessage>
  /** Ends the run that has the key, if there is one. Whatever of it is still on its way does nothing any more. */
  reset(key: string): Promise<void>
}

/** Stages that a stage may send to: a final one to none. */
export type Targets<
  Stages extends StagesOptions,
  Name extends keyof Stages,
> = Stages[Name] extends { readonly final: true } ? never : Exclude<keyof Stages, Name>

/**
 * Defines a process over several Lambdas with queues between them: one request at a time has a key, a newer one wins as
 * `onConflict` says, what an older one still has on its way can write nothing, and the key is free only after the last
 * effect of the last stage.
 * @throws ConfigError at once, naming the option, when an option is wrong
 */
export function defineFlow<const Stages extends StagesOptions, Awaited extends Answers = NoAnswers>(
  options: FlowOptions<Stages, Awaited>,
): Flow<Stages, Awaited> {
  const flow = readFlow(options)
  const store = stageStore(options.store)
  const now = (): number => flow.consumerOf(flow.first).clock.now()
  return {
    handle: (stage, handler) => handleStage(flow, stage, handler),
    complete: (step, handler, otherwise = {}) => handleStep(flow, step, handler, otherwise),
    answer: (step, payload) => answer(flow, step, payload, store),
    heartbeat: (step, externalId, by) => extend(flow, step, externalId, by, store, now()),
    start: (payload, startOptions) => start(flow, payload, startOptions),
    reset: (key) => reset(flow, store, key, now()),
  }
}

/** Types are taken off here and nowhere else: a handler gets what its own schema gave. */
type AnyHandler = (payload: never, ctx: never) => unknown

function handleStage(flow: Definition, stage: string, handler: AnyHandler): SqsHandler {
  assertKnown(flow, 'handle', stage, flow.stages)
  assertFunction(flow, 'handle', stage, handler)
  const consumer = flow.consumerOf(stage)
  const protocol = stageProtocol(flow, stage, (payload, opened, hold) => {
    const store = stageStore(consumer.store)
    const now = (): number => consumer.clock.now()
    const ctx = openFlowContext({ flow, stage, hold, opened, store, now })
    return handler(payload as never, ctx as never)
  })
  return (event, context) => consume(event, context, consumer, protocol)
}

function handleStep(
  flow: Definition,
  step: string,
  handler: AnyHandler,
  otherwise: {
    readonly onTimeout?: (ctx: never) => unknown
    readonly onLate?: AnyHandler
  },
): SqsHandler {
  assertKnown(flow, 'complete', step, flow.awaits)
  assertFunction(flow, 'complete', step, handler)
  const consumer = flow.consumerOf(step)
  const now = (): number => consumer.clock.now()
  const { onTimeout, onLate } = otherwise
  const protocol = completeProtocol({
    flow,
    name: step,
    runs: {
      answered: async (answered, opened, hold) => {
        const { store, externalId, payload } = answered
        const scene = { flow, stage: step, hold, opened, store, now }
        const answers = await answersOf(flow, answered)
        const ctx = Object.freeze({ ...openFlowContext(scene), externalId, answers })
        return handler(payload as never, ctx as never)
      },
      timedOut: (opened, hold) => {
        if (onTimeout === undefined) throw overdue(step)
        const scene = { flow, stage: step, hold, opened, store: stageStore(consumer.store), now }
        return onTimeout(openFlowContext(scene) as never)
      },
      late: onLate && tokenProtocol((payload, ctx) => onLate(payload as never, ctx as never)),
    },
  })
  return (event, context) => consume(event, context, consumer, protocol)
}

/** One answer is at hand; those of a join are read. */
async function answersOf(
  flow: Definition,
  { payload, externalId, waiting, store }: Answered,
): Promise<ReadonlyMap<string, unknown>> {
  if (waiting.awaiting.steps.size === 1) return new Map([[externalId, payload]])
  const complete = await readWaiting(flow, waiting.name, waiting, externalId, store)
  const bodies = await readAnswers(store, complete ?? waiting)
  const { schema, form } = flow.consumerOf(waiting.name)
  const read = [...bodies].map(
    async ([id, body]) => [id, await parsePayload(body, form, schema)] as const,
  )
  return new Map(await Promise.all(read))
}

function overdue(step: string): TerminalError {
  return new TerminalError(
    `no answer for '${step}' came in time, and complete('${step}', …) has no onTimeout: the run is dead-lettered`,
  )
}

function assertKnown(
  flow: Definition,
  method: string,
  name: string,
  known: ReadonlyMap<string, unknown>,
): void {
  if (known.has(name)) return
  const names = [...known.keys()].join(', ') || 'none'
  throw new ConfigError(
    `defineFlow('${flow.name}').${method}('${name}'): there is none of this name; there are: ${names}`,
  )
}

function assertFunction(flow: Definition, method: string, name: string, handler: unknown): void {
  if (typeof handler === 'function') return
  throw new ConfigError(
    `defineFlow('${flow.name}').${method}('${name}'): expected a function (payload, ctx), got ${typeof handler}`,
  )
}
