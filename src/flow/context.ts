import type { Duration } from '../duration.ts'
import type { PublishOptions, RecordContext, SentMessage } from '../context/context.ts'
import type { NoOther } from '../context/guard/write.ts'
import type { Answers, SentTo, StagesOptions } from './options.ts'

/** What a stage's handler is given for one record: as for any record, and what belongs to the flow. */
export interface FlowContext<
  Stages extends StagesOptions,
  Awaited extends Answers,
  Targets extends keyof Stages = keyof Stages,
> extends RecordContext {
  /** The object that the flow works on. */
  readonly key: string
  /**
   * Hands on to another stage of this run, after all other effects; `sendTo` is for queues outside the flow. `delay` may be longer than SQS's 15 minutes; a message
   * whose run is over when it comes is dropped.
   */
  send<Name extends Targets & string, Given extends HandOverOptions = HandOverOptions>(
    stage: Name,
    payload: SentTo<Stages[Name]>,
    options?: Given & NoOther<Given, keyof HandOverOptions>,
  ): Promise<SentMessage>
  /**
   * Saves that the flow waits for these external ids, then makes the request. The answer is taken by `complete`, once:
   * when `need` of the ids are answered. Other effects of this handler may come before and after it.
   */
  awaitStep<Name extends keyof Awaited & string>(
    name: Name,
    externalIds: string | readonly string[],
    request: () => unknown,
    options?: AwaitStepOptions,
  ): Promise<void>
  /** Ends the run at once: nothing of it that is still on its way does anything any more. */
  reset(): Promise<void>
}

export interface HandOverOptions extends Pick<PublishOptions, 'attributes' | 'groupId' | 'name'> {
  readonly delay?: Duration
}

export interface AwaitStepOptions {
  /** How many of the ids have to be answered: `all` (default), `any`, or a number. */
  readonly need?: 'all' | 'any' | number
  /** Default: what the step's definition says. */
  readonly timeout?: Duration
}

/** What the handler of an answer is given. */
export interface CompleteContext<
  Stages extends StagesOptions,
  Awaited extends Answers,
  Answer,
> extends FlowContext<Stages, Awaited> {
  /** The id that was answered last. */
  readonly externalId: string
  /** Every answer that the step has got, by external id: more than one in a join. */
  readonly answers: ReadonlyMap<string, Answer>
}
