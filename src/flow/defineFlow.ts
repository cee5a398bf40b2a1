import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { Receipt } from '../claim/awaiting/decideAnswer.ts'
import type { SqsHandler } from '../batch/recordHandler.ts'
import type { Duration } from '../duration.ts'
import type { RecordContext } from '../context/context.ts'
import type { Produced } from '../producer/options.ts'
import { answer, extendTimeout } from './answer.ts'
import type { CompleteContext, FlowContext } from './context.ts'
import { readDefinition } from './flowDefinition.ts'
import { handleStage } from './handleStage.ts'
import { handleAnswer } from './handleAnswer.ts'
import type {
  Answers,
  FlowOptions,
  NoAnswers,
  PayloadOf,
  SentTo,
  StagesOptions,
} from './options.ts'
import { reset } from './reset.ts'
import { itemStore } from '../claim/itemStore.ts'
import { start, type StartOptions } from './start.ts'

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
  start(payload: SentTo<Stages[keyof Stages]>, options?: StartOptions): Promise<Produced>
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
  const flow = readDefinition(options)
  const store = itemStore(options.store)
  const now = (): number => flow.consumerOf(flow.first).clock.now()
  return {
    handle: (stage, handler) => handleStage(flow, stage, handler),
    complete: (step, handler, otherwise = {}) => handleAnswer(flow, step, handler, otherwise),
    answer: (step, payload) => answer(flow, step, payload, store),
    heartbeat: (step, externalId, by) => extendTimeout(flow, step, externalId, by, store, now()),
    start: (payload, startOptions) => start(flow, payload, startOptions),
    reset: (key) => reset(flow, store, key, now()),
  }
}
