import { unfinishedIn } from '../../run/context/handlerResult.ts'
import { messageOf, TerminalError } from '../../base/errors.ts'
import { stackOf } from '../../base/stack.ts'
import { classifyError, type FailureClass } from './classify.ts'
import { encodeError } from './replay.ts'
import type { IdempotencyConfig } from './config.ts'
import { isExpression } from './readKey.ts'
import type { HeldKey, EndOutcome } from './heldKey.ts'
import type { HttpEvent } from './http/httpEvent.ts'
import { isSuccess, withoutCookies } from './http/httpAnswer.ts'

/** `may still run`: middy's early timeout may have answered instead of the function, so its key must not be freed yet. */
export type FunctionState = 'has ended' | 'may still run'

/** What the caller receives. */
export type CallAnswer<Output> =
  | { readonly kind: 'answer'; readonly output: Output }
  | { readonly kind: 'throw'; readonly error: Error }

export function outputOrThrow<Output>(answer: CallAnswer<Output>): Output {
  if (answer.kind === 'throw') throw answer.error
  return answer.output
}

/**
 * Stores how a function ended that ran under its key. Only the first report has an effect. No method rejects, because the work is
 * done by then. If another attempt had taken over the key, it resolves to the answer that the caller receives instead of the
 * function's own, so that every caller receives the same answer.
 */
export interface CallSettlement<Output> {
  succeeded(output: Output, state?: FunctionState): Promise<CallAnswer<Output> | undefined>
  failed(error: unknown, state?: FunctionState): Promise<CallAnswer<Output> | undefined>
  /** The function was never called. */
  notStarted(): Promise<void>
}

interface RunningCall<Output> {
  readonly http: HttpEvent | undefined
  readonly heldKey: HeldKey
  /** The answer of the attempt that has taken over the key. */
  readonly answerOfSuccessor: () => Promise<CallAnswer<Output>>
}

export function settlementFor<Args extends readonly unknown[], Output>(
  config: IdempotencyConfig<Args, Output>,
  { http, heldKey, answerOfSuccessor }: RunningCall<Output>,
): CallSettlement<Output> {
  const release = async (
    why: string,
    state: FunctionState = 'has ended',
    stack?: string,
  ): Promise<EndOutcome | undefined> => {
    // @protects a key whose function may still run is not freed
    // @without true
    if (state === 'has ended') return heldKey.release(why, stack)
    config.logger.warn(
      'the function may still be running: its key stays locked until its lease ends',
      { reason: why },
    )
    heldKey.leave()
    return undefined
  }
  const replacementFor = async (
    end: EndOutcome | undefined,
  ): Promise<CallAnswer<Output> | undefined> =>
    // @protects all callers get one answer, also when the key was taken over
    // @without false
    end?.kind === 'taken over' ? answerOfSuccessor() : undefined
  return {
    async succeeded(output, state) {
      const unfinished = unfinishedIn(output)
      // @protects a generator, a function or a list of promises is not kept as an answer
      if (unfinished !== undefined) {
        const error = notAnAnswer(unfinished)
        const end = await heldKey.completeWithError(encodeError(error))
        return (await replacementFor(end)) ?? { kind: 'throw', error }
      }
      if (await isWorthStoring(config, http, output)) {
        return replacementFor(
          await heldKey.complete(http === undefined ? output : withoutCookies(output)),
        )
      }
      return replacementFor(await release('the answer is not one to store', state))
    },
    async failed(error, state) {
      const failure = await classify(config, error)
      return replacementFor(
        failure === 'release'
          ? await release(messageOf(error), state, stackOf(error))
          : await END_BY_CLASS[failure](heldKey, error),
      )
    },
    async notStarted() {
      await heldKey.release('the function was not run')
    },
  }
}

/** Its key is not free again: what the function has done by then would be done twice. */
function notAnAnswer(unfinished: string): TerminalError {
  return new TerminalError(
    `the function returned ${unfinished}. Later callers get this error, so that nothing is done twice: wait for the work, and return plain data`,
  )
}

type EndedClass = Exclude<FailureClass, 'release'>
const END_BY_CLASS: Readonly<
  Record<EndedClass, (heldKey: HeldKey, error: unknown) => Promise<EndOutcome>>
> = {
  terminal: (heldKey, error) => heldKey.completeWithError(encodeError(error), stackOf(error)),
  parked: (heldKey, error) => heldKey.park('error', messageOf(error), stackOf(error)),
  unknown: (heldKey, error) => heldKey.park('unknown', messageOf(error), stackOf(error)),
}

async function classify<Args extends readonly unknown[], Output>(
  { options, logger }: IdempotencyConfig<Args, Output>,
  error: unknown,
): Promise<FailureClass> {
  try {
    const failure = await options.classify?.(error)
    if (failure === undefined || failure === 'release' || Object.hasOwn(END_BY_CLASS, failure)) {
      return failure ?? classifyError(error)
    }
    logger.error('classify returned an unknown class: parked for an operator', { class: failure })
  } catch (thrown) {
    logger.error('classify threw: parked for an operator', { error: messageOf(thrown) })
  }
  return 'parked'
}

/** The work is done by now, so its answer is stored if in doubt. */
async function isWorthStoring<Args extends readonly unknown[], Output>(
  { options: { validResponse }, logger }: IdempotencyConfig<Args, Output>,
  http: HttpEvent | undefined,
  output: Output,
): Promise<boolean> {
  if (validResponse === undefined) return http === undefined || isSuccess(output, http)
  try {
    if (!isExpression(validResponse)) return await validResponse(output)
    const data = dataOf(output)
    return data === undefined || validResponse.select(data) === true
  } catch (error) {
    logger.error('validResponse threw: the answer is stored', { error: messageOf(error) })
    return true
  }
}

/** The part of an answer that an expression can evaluate: an object, or a text that contains one as JSON. */
function dataOf(output: unknown): object | undefined {
  const value = typeof output === 'string' ? parseOr(output) : output
  return typeof value === 'object' && value !== null ? value : undefined
}

function parseOr(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
