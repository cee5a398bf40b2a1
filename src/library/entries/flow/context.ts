import type { Duration } from '../../base/time.ts'
import type { PublishOptions, RecordContext, SentMessage } from '../../run/context/context.ts'
import type { NoOther } from '../../run/context/guard/write.ts'
import type { Answers, SentTo, StagesOptions } from './options.ts'

/** The context of a stage's handler for one record: that of any handler, and what belongs to the flow. */
export interface FlowContext<
  Stages extends StagesOptions,
  Awaited extends Answers,
  Targets extends keyof Stages = keyof Stages,
> extends RecordContext {
  /** What the flow works on, as `key(payload)` named it. */
  readonly key: string
  /**
   * Sends a message to another stage of this run, once all other effects of the handler are made. Each stage runs once in a
   * run. `delay` may be longer than the 15 minutes of SQS; a message whose run is over when it arrives is dropped. For queues
   * outside the flow there is `ctx.send`.
   * @throws ConfigError when there is no such stage, when it has no queue, or when this run has sent to it before
   * @example await ctx.next('ship', order, { delay: '2h' })
   */
  next<Name extends Targets & string, Given extends NextOptions = NextOptions>(
    stage: Name,
    payload: SentTo<Stages[Name]>,
    options?: Given & NoOther<Given, keyof NextOptions>,
  ): Promise<SentMessage>
  /**
   * Saves that the run waits for these external ids, then makes the request: the answer may arrive before the request has
   * returned. `answerHandler` runs once, when `need` of the ids are answered. Other effects may come before and after it.
   * @param request asks the outside system; it is made again when the handler runs again, so it should bear the external id
   * @example
   * const paymentId = ctx.idempotencyKey('payment')
   * await ctx.awaitStep('payment', paymentId, () => requestPayment(order))
   */
  awaitStep<Name extends keyof Awaited & string>(
    name: Name,
    externalIds: string | readonly string[],
    request: () => unknown,
    options?: AwaitStepOptions,
  ): Promise<void>
  /**
   * Ends the run at once: messages of it that are still on their way are dropped, and its handlers can write nothing more.
   * @example if (order.quantity === 0) await ctx.reset()
   */
  reset(): Promise<void>
}

/** Options of `ctx.next` to another stage. */
export interface NextOptions extends Pick<PublishOptions, 'attributes' | 'groupId' | 'name'> {
  /** How long to wait before the message is delivered, at most the time that the run has left. Default: no delay. */
  readonly delay?: Duration
}

/** Options of `ctx.awaitStep`. */
export interface AwaitStepOptions {
  /** How many of the ids have to be answered: `all` (default), `any`, or a number. */
  readonly need?: 'all' | 'any' | number
  /** How long to wait; then `onTimeout` runs. Default: the `timeout` of the step's definition. */
  readonly timeout?: Duration
}

/** The context of the handler of an answer. */
export interface CompleteContext<
  Stages extends StagesOptions,
  Awaited extends Answers,
  Answer,
> extends FlowContext<Stages, Awaited> {
  /** The id that was answered last. */
  readonly externalId: string
  /** Every answer that the step has received, by external id; more than one in a join. */
  readonly answers: ReadonlyMap<string, Answer>
}
