import { hasCode, StoreUnavailableError } from '../errors.ts'
import { completeKey, freeKey, type KeyEnd, parkKey, ttlOf } from '../lock/endKey.ts'
import { landed } from '../lock/settleWrites.ts'
import type { Token } from '../lock/token.ts'
import type { LogFields } from '../logger.ts'
import { keepResult } from '../results/keepResult.ts'
import type { Item, Update } from '../store/store.ts'
import type { CallOutcome, KeyKeeper } from './keeper.ts'

/** What became of the write that ends a token. The work itself is as done as it was before. */
export type Mark =
  | { readonly kind: 'marked' }
  /** The lease was over, and another attempt has the token now. Nothing of it was changed. */
  | { readonly kind: 'taken over' }
  /** Others hear "in progress" until the lease is over; the log tells how the work ended. */
  | { readonly kind: 'failed'; readonly error: Error }

/** A token that this attempt holds. It ends once: what is called later changes nothing. No method rejects. */
export interface Holding {
  readonly fence: number
  /** Done; `result` is what later callers are given. */
  complete(result: unknown): Promise<Mark>
  /** Done, and its answer is an error, which later callers are given. */
  completeWithError(error: string): Promise<Mark>
  /** Ended, and nobody may begin again until a person has looked. */
  park(status: 'error' | 'unknown', error: string): Promise<Mark>
  /** Not done: the next caller may begin, at once. */
  release(reason: string): Promise<Mark>
}

/** A token is an item of 400 KB at most, and errors carry whole pages at times. Characters. */
const MAX_ERROR = 50_000

export function hold(
  keeper: KeyKeeper,
  token: Token,
  item: Item,
  names: { readonly scope: string; readonly lockToken: string },
): Holding {
  const { clock, retention, logger } = keeper
  const about = { ...names, attempt: token.attempt, fence: token.fence }
  let ended: Promise<Mark> | undefined

  /** The log comes first: when the write fails, it is all that tells how the work ended. */
  const end = (
    outcome: CallOutcome,
    level: 'info' | 'warn' | 'error',
    said: string,
    more: LogFields,
    write: () => Promise<Mark>,
  ) => {
    if (ended !== undefined)
      logger.warn(`${said}, but the token had ended before: nothing is changed`, about)
    else {
      logger[level](said, { ...about, ...more })
      keeper.count(names.scope, outcome)
      ended = write().catch(asFailed)
    }
    return ended
  }
  const endOf = (set: KeyEnd['set']): KeyEnd => ({ set, now: clock.now(), retention })
  const markAs = (update: Update): Promise<Mark> => mark(keeper, token, update, about)

  return {
    fence: token.fence,
    complete: (result) =>
      end('completed', 'info', 'succeeded', {}, async () => {
        const { ttl } = ttlOf({ now: clock.now(), retention })
        const kept = await keepResult(result, token, item, ttl, keeper)
        return markAs(completeKey(token, endOf({ ...kept })))
      }),
    completeWithError: (error) =>
      end(
        'rejected',
        'warn',
        'failed for good: later callers are given the same error',
        { error },
        () => markAs(completeKey(token, endOf({ error: error.slice(0, MAX_ERROR) }))),
      ),
    park: (status, error) =>
      end(status === 'error' ? 'parked' : 'unknown', 'error', PARKED[status], { error }, () =>
        markAs(parkKey(token, status, error.slice(0, MAX_ERROR), clock.now())),
      ),
    release: (reason) =>
      end('released', 'warn', 'not done: the next caller may begin', { reason }, () =>
        markAs(freeKey(token, { now: clock.now(), retention })),
      ),
  }
}

const PARKED = {
  error: 'failed: nobody may begin again until a person has looked',
  unknown: 'nobody knows whether it was done: nobody may begin again until a person has looked',
}

const TRIES = 3
const PAUSE_MS = 150

/** The SDK has tried before, for about a second. The work is done, so a little patience is cheaper than doing it again. */
async function mark(
  { store, clock, logger }: KeyKeeper,
  token: Token,
  update: Update,
  about: LogFields,
): Promise<Mark> {
  for (let tries = 1; ; tries += 1) {
    const [outcome] = await store.update([update])
    if (outcome !== undefined && landed(outcome, update, token)) return { kind: 'marked' }
    if (outcome?.kind === 'refused') {
      logger.warn('ended, but another attempt had taken over: its end counts, not this one', about)
      return { kind: 'taken over' }
    }
    const error = outcome?.kind === 'failed' ? outcome.error : NO_OUTCOME
    if (tries === TRIES || hasCode(error, 'TERMINAL')) {
      logger.error(
        'ended, but its end could not be stored: it counts as running until the lease is over',
        {
          ...about,
          error: error.message,
        },
      )
      return { kind: 'failed', error }
    }
    await clock.sleep(PAUSE_MS * tries ** 2)
  }
}

function asFailed(thrown: unknown): Mark {
  return { kind: 'failed', error: thrown instanceof Error ? thrown : new Error(String(thrown)) }
}

const NO_OUTCOME = new StoreUnavailableError('the store gave no outcome')
