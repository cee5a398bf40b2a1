import { messageOf } from '../errors.ts'
import { type Classified, classifyError } from './classify.ts'
import { isExpression } from './expression.ts'
import type { Guard } from './config.ts'
import { isSuccess, withoutCookies } from './http/replayHeader.ts'
import type { HttpEvent } from './http/httpEvent.ts'
import type { Holding, Mark } from './heldKey.ts'
import { encodeError } from './storedError.ts'

/** `may still run`: what came is perhaps not from the function itself, so its key is not freed under it. */
export type Rest = 'has ended' | 'may still run'

/** What the caller is given. */
export type Answered<Output> =
  | { readonly kind: 'answer'; readonly output: Output }
  | { readonly kind: 'throw'; readonly error: Error }

/**
 * A function that runs under its key. It ends once, and no method rejects: what was done stays done. Resolves to what its
 * caller is given instead of its own end, when another attempt had taken over: all are given one answer.
 */
export interface Run<Output> {
  succeeded(output: Output, rest?: Rest): Promise<Answered<Output> | undefined>
  failed(error: unknown, rest?: Rest): Promise<Answered<Output> | undefined>
  /** The function was never begun. */
  unused(): Promise<void>
}

/** @param answerOfOther what the attempt that has taken over came to. */
export function openRun<Args extends readonly unknown[], Output>(
  guard: Guard<Args, Output>,
  http: HttpEvent | undefined,
  holding: Holding,
  answerOfOther: () => Promise<Answered<Output>>,
): Run<Output> {
  const release = async (why: string, rest: Rest = 'has ended'): Promise<Mark | undefined> => {
    if (rest === 'has ended') return holding.release(why)
    guard.logger.warn('the time is nearly up: the key is left to its lease', { reason: why })
    return undefined
  }
  const told = async (mark: Mark | undefined): Promise<Answered<Output> | undefined> =>
    mark?.kind === 'taken over' ? answerOfOther() : undefined
  return {
    async succeeded(output, rest) {
      if (await isWorthKeeping(guard, http, output)) {
        return told(await holding.complete(http === undefined ? output : withoutCookies(output)))
      }
      return told(await release('the answer is not one to keep', rest))
    },
    async failed(error, rest) {
      const classified = await classify(guard, error)
      return told(
        classified === 'release'
          ? await release(messageOf(error), rest)
          : await END[classified](holding, error),
      )
    },
    async unused() {
      await holding.release('the function was not run')
    },
  }
}

type Final = Exclude<Classified, 'release'>
const END: Readonly<Record<Final, (holding: Holding, error: unknown) => Promise<Mark>>> = {
  final: (holding, error) => holding.completeWithError(encodeError(error)),
  person: (holding, error) => holding.park('error', messageOf(error)),
  unknown: (holding, error) => holding.park('unknown', messageOf(error)),
}

async function classify<Args extends readonly unknown[], Output>(
  { options, logger }: Guard<Args, Output>,
  error: unknown,
): Promise<Classified> {
  try {
    const classified = await options.classify?.(error)
    if (classified === undefined || classified === 'release' || Object.hasOwn(END, classified)) {
      return classified ?? classifyError(error)
    }
    logger.error('classify gave a word that is none of its own: a person has to look', {
      classified,
    })
  } catch (thrown) {
    logger.error('classify threw: a person has to look', { error: messageOf(thrown) })
  }
  return 'person'
}

/** The work is done when this is asked, so in doubt its answer is kept. */
async function isWorthKeeping<Args extends readonly unknown[], Output>(
  { options: { validResponse }, logger }: Guard<Args, Output>,
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
