import { messageOf } from '../errors.ts'
import { type FailureClass, classifyError } from './classify.ts'
import { isExpression } from './expression.ts'
import type { IdempotencyConfig } from './config.ts'
import { isSuccess, withoutCookies } from './http/replayHeader.ts'
import type { HttpEvent } from './http/httpEvent.ts'
import type { HeldKey, EndOutcome } from './heldKey.ts'
import { encodeError } from './storedError.ts'

/** `may still run`: what came is perhaps not from the function itself, so its key is not freed under it. */
export type FunctionState = 'has ended' | 'may still run'

/** What the caller is given. */
export type CallAnswer<Output> =
  | { readonly kind: 'answer'; readonly output: Output }
  | { readonly kind: 'throw'; readonly error: Error }

/**
 * A function that runs under its key. It ends once, and no method rejects: what was done stays done. Resolves to what its
 * caller is given instead of its own end, when another attempt had taken over: all are given one answer.
 */
export interface CallSettlement<Output> {
  succeeded(output: Output, rest?: FunctionState): Promise<CallAnswer<Output> | undefined>
  failed(error: unknown, rest?: FunctionState): Promise<CallAnswer<Output> | undefined>
  /** The function was never begun. */
  notStarted(): Promise<void>
}

/** @param answerOfOther what the attempt that has taken over came to. */
export function settlementFor<Args extends readonly unknown[], Output>(
  config: IdempotencyConfig<Args, Output>,
  http: HttpEvent | undefined,
  heldKey: HeldKey,
  answerOfOther: () => Promise<CallAnswer<Output>>,
): CallSettlement<Output> {
  const release = async (
    why: string,
    rest: FunctionState = 'has ended',
  ): Promise<EndOutcome | undefined> => {
    if (rest === 'has ended') return heldKey.release(why)
    config.logger.warn('the time is nearly up: the key is left to its lease', { reason: why })
    return undefined
  }
  const told = async (mark: EndOutcome | undefined): Promise<CallAnswer<Output> | undefined> =>
    mark?.kind === 'taken over' ? answerOfOther() : undefined
  return {
    async succeeded(output, rest) {
      if (await isWorthKeeping(config, http, output)) {
        return told(await heldKey.complete(http === undefined ? output : withoutCookies(output)))
      }
      return told(await release('the answer is not one to keep', rest))
    },
    async failed(error, rest) {
      const classified = await classify(config, error)
      return told(
        classified === 'release'
          ? await release(messageOf(error), rest)
          : await END_BY_CLASS[classified](heldKey, error),
      )
    },
    async notStarted() {
      await heldKey.release('the function was not run')
    },
  }
}

type EndedClass = Exclude<FailureClass, 'release'>
const END_BY_CLASS: Readonly<
  Record<EndedClass, (heldKey: HeldKey, error: unknown) => Promise<EndOutcome>>
> = {
  final: (heldKey, error) => heldKey.completeWithError(encodeError(error)),
  needsOperator: (heldKey, error) => heldKey.park('error', messageOf(error)),
  unknown: (heldKey, error) => heldKey.park('unknown', messageOf(error)),
}

async function classify<Args extends readonly unknown[], Output>(
  { options, logger }: IdempotencyConfig<Args, Output>,
  error: unknown,
): Promise<FailureClass> {
  try {
    const classified = await options.classify?.(error)
    if (
      classified === undefined ||
      classified === 'release' ||
      Object.hasOwn(END_BY_CLASS, classified)
    ) {
      return classified ?? classifyError(error)
    }
    logger.error('classify gave a word that is none of its own: a person has to look', {
      classified,
    })
  } catch (thrown) {
    logger.error('classify threw: a person has to look', { error: messageOf(thrown) })
  }
  return 'needsOperator'
}

/** The work is done when this is asked, so in doubt its answer is kept. */
async function isWorthKeeping<Args extends readonly unknown[], Output>(
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
    logger.error('validResponse threw: the answer is kept', { error: messageOf(error) })
    return true
  }
}

/** An expression judges objects, and texts that hold one. */
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
