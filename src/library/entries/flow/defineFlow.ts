import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { Receipt } from '../../protocol/claim/awaiting/decideAnswer.ts'
import type { SqsHandler } from '../consumer/recordHandler.ts'
import type { Duration } from '../../base/time.ts'
import { madeOf } from '../../base/handler.ts'
import type { HandlerResult } from '../../run/context/handlerResult.ts'
import type { RecordContext } from '../../run/context/context.ts'
import type { SqlOf } from '../../run/context/sqlEffects.ts'
import type { Produced } from '../producer/options.ts'
import { answer, extendTimeout } from './answer.ts'
import type { CompleteContext, FlowContext } from './context.ts'
import { readDefinition } from './flowDefinition.ts'
import type { FlowEnd } from './flowEnd.ts'
import { handleEnd } from './handleEnd.ts'
import { handleStage, handleAnswer } from './handleStage.ts'
import type {
  Answers,
  FlowOptions,
  NoAnswers,
  StagePayload,
  SentTo,
  StagesOptions,
} from './options.ts'
import { reset } from './reset.ts'
import { itemStore } from '../../protocol/claim/itemStore.ts'
import { start, type StartOptions } from './start.ts'

/** A process over one or more Lambdas. Each of them imports the definition and exports a handler made from it. */
export interface Flow<Stages extends StagesOptions, Awaited extends Answers, Tx = undefined> {
  /**
   * The Lambda handler for the messages of one stage. The stage is settled when the handler has returned and its messages are
   * sent; a handler that sends to no stage and waits for no step ends the run.
   * @example
   * export const handler = checkout.stageHandler('reserve', async (order, ctx) => {
   *   await ctx.write('reserve', { TableName: 'stock', Key: { sku: order.sku }, add: { reserved: 1 } })
   *   await ctx.next('ship', order)
   * })
   */
  stageHandler<Name extends keyof Stages & string>(
    stage: Name,
    handler: (
      payload: StagePayload<Stages[Name]>,
      ctx: FlowContext<Stages, Awaited, Targets<Stages, Name>> & SqlOf<Tx>,
    ) => HandlerResult,
  ): SqsHandler
  /**
   * The Lambda handler for the answers of one awaited step. It runs once for each run that waits: when as many ids are
   * answered as `ctx.awaitStep` asked for. It is a stage of that run: claimed, retried and dead-lettered like the others.
   * @example
   * export const handler = checkout.answerHandler(
   *   'payment',
   *   async ({ accepted }, ctx) => {
   *     if (!accepted) await ctx.reset()
   *   },
   *   { onTimeout: (ctx) => ctx.reset() },
   * )
   */
  answerHandler<Name extends keyof Awaited & string>(
    step: Name,
    handler: (
      answer: StandardSchemaV1.InferOutput<Awaited[Name]>,
      ctx: CompleteContext<Stages, Awaited, StandardSchemaV1.InferOutput<Awaited[Name]>> &
        SqlOf<Tx>,
    ) => HandlerResult,
    otherwise?: {
      /** No answer came in time. Default: the run is dead-lettered. */
      readonly onTimeout?: (ctx: FlowContext<Stages, Awaited> & SqlOf<Tx>) => HandlerResult
      /** An answer for a step or a run that is over. Default: it is dropped, with a line in the log. */
      readonly onLate?: (
        answer: StandardSchemaV1.InferOutput<Awaited[Name]>,
        ctx: RecordContext & SqlOf<Tx>,
      ) => HandlerResult
    },
  ): SqsHandler
  /**
   * The Lambda handler for the ends of runs that do not complete, from the queue of the option `failures`: once for each end. It is
   * claimed, retried and dead-lettered as a record is. An end that may be taken back comes when no call of the run can land any
   * more: after the leases of its attempts, or up to 90 minutes after an attempt that has failed.
   * @throws ConfigError without the option `failures`
   * @example
   * export const failed = checkout.failureHandler(async (end, ctx) => {
   *   const reserved = end.made?.some(({ name }) => name === 'reserve') ?? true
   *   if (end.final && reserved) await ctx.write('release', { TableName: 'stock', Key: { cartId: end.key }, set: { reserved: 0 } })
   * })
   */
  failureHandler(
    handler: (end: FlowEnd, ctx: RecordContext & SqlOf<Tx>) => HandlerResult,
  ): SqsHandler
  /**
   * Hands on an answer that came by a call, such as a webhook: it goes to the queue of `answerHandler`. The receipt says what the
   * answer met, and a repeated call with the same answer gets `duplicate`.
   * @throws SendFailedError when the queue did not take it: call again
   * @example
   * const receipt = await checkout.answer('payment', { paymentId, accepted: true })
   * if (receipt === 'conflict') throw new Error('another answer was accepted before')
   */
  answer<Name extends keyof Awaited & string>(
    step: Name,
    answer: StandardSchemaV1.InferInput<Awaited[Name]>,
  ): Promise<Receipt>
  /**
   * Extends the timeout of all runs that wait for the id, when the outside system is still at work: to `by` from now. A timeout
   * that is later already stays.
   * @returns the number of runs whose timeout was extended
   * @example const runs = await checkout.extendTimeout('payment', paymentId, '10m')
   */
  extendTimeout<Name extends keyof Awaited & string>(
    step: Name,
    externalId: string,
    by: Duration,
  ): Promise<number>
  /**
   * Sends a request to the first stage. Sent again with the same `uniqueRequestId` it runs once.
   * @throws RejectedError when the first stage would refuse the payload, or it has no key
   * @throws SendFailedError when the queue did not take the message, or gave no answer
   * @example await checkout.start(order, { uniqueRequestId: order.orderId, sentAt: order.placedAt })
   */
  start(payload: SentTo<Stages[keyof Stages]>, options?: StartOptions): Promise<Produced>
  /**
   * Ends the run that has the key, if there is one. Messages of the run that are still on their way are dropped, and its
   * handlers can write nothing more.
   * @example await checkout.reset(orderId)
   */
  reset(key: string): Promise<void>
}

/** The stages that a stage may send to: all others, or none from a `final` one. */
type Targets<Stages extends StagesOptions, Name extends keyof Stages> = Stages[Name] extends {
  readonly final: true
}
  ? never
  : Exclude<keyof Stages, Name>

/**
 * Defines a process over several Lambdas with queues between them. One request at a time has a key; `onConflict` says what
 * becomes of the next one. A request that has lost its key can write nothing more, and the key is free only after the last
 * effect of the last stage.
 * @throws ConfigError at once, naming the option, when an option is wrong
 * @example
 * export const booking = defineFlow({
 *   name: 'booking',
 *   store,
 *   key: ({ orderId }) => orderId,
 *   stages: {
 *     reserve: { schema: OrderPlaced, queueUrl: process.env['RESERVE_QUEUE'] },
 *     ship: { schema: OrderPlaced, queueUrl: process.env['SHIP_QUEUE'], final: true },
 *   },
 * })
 */
export function defineFlow<
  const Stages extends StagesOptions,
  Awaited extends Answers = NoAnswers,
  Tx = undefined,
>(options: FlowOptions<Stages, Awaited, Tx>): Flow<Stages, Awaited, Tx> {
  const flow = readDefinition(options)
  const store = itemStore(options.store)
  const now = (): number => flow.consumerOf(flow.first).clock.now()
  const defined: Flow<Stages, Awaited, Tx> = {
    stageHandler: (stage, handler) => handleStage(flow, stage, handler),
    answerHandler: (step, handler, otherwise = {}) => handleAnswer(flow, step, handler, otherwise),
    failureHandler: (handler) => handleEnd(flow, handler as Parameters<typeof handleEnd>[1]),
    answer: (step, payload) => answer(flow, step, payload, store),
    extendTimeout: (step, externalId, by) =>
      extendTimeout(flow, step, externalId, by, store, now()),
    start: (payload, startOptions) => start(flow, payload, startOptions),
    reset: (key) => reset(flow, store, key, now()),
  }
  return madeOf(defined, { flow, store: options.store })
}
