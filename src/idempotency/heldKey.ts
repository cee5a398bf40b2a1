import { hasCode, messageOf, StoreUnavailableError } from '../errors.ts'
import {
  completeKey,
  freeKey,
  type KeyEnd,
  parkKey,
  ttlOf,
  withoutResult,
} from '../claim/token/endKey.ts'
import { wasWritten } from '../claim/token/settleWrites.ts'
import type { Token } from '../claim/token/token.ts'
import type { LogFields } from '../logger.ts'
import { planResult, shortened } from '../context/results/storeResult.ts'
import type { Item, Update } from '../store/store.ts'
import type { CallOutcome, KeyConfig } from './keyConfig.ts'

/** What became of the write that ends a token. The work itself is as done as it was before. */
export type EndOutcome =
  | { readonly kind: 'marked' }
  /** The lease was over, and another attempt has the token now. Nothing of it was changed. */
  | { readonly kind: 'taken over' }
  /** The token was deleted meanwhile: the next caller begins anew, as if nothing had been done. */
  | { readonly kind: 'gone' }
  /** Others hear "in progress" until the lease is over; the log tells how the work ended. */
  | { readonly kind: 'failed'; readonly error: Error }

/** A token that this attempt holds. It ends once: what is called later changes nothing. No method rejects. */
export interface HeldKey {
  readonly fence: number
  /** Done; `result` is what later callers are given. */
  complete(result: unknown): Promise<EndOutcome>
  /** Done, and its answer is an error, which later callers are given. */
  completeWithError(error: string): Promise<EndOutcome>
  /** Ended, and nobody may begin again until a person has looked. */
  park(status: 'error' | 'unknown', error: string): Promise<EndOutcome>
  /** Not done: the next caller may begin, at once. */
  release(reason: string): Promise<EndOutcome>
}

export interface HeldKeyOptions {
  readonly scope: string
  readonly lockToken: string
  /** Milliseconds that the holder's process has; undefined: not known. */
  readonly timeLeft: () => number | undefined
  /** Stops the renewal of the lease, before the token is ended. */
  readonly stopRenewal?: () => void
}

/** A token is an item of 400 KB at most, and errors carry whole pages at times. Characters. */
const MAX_ERROR = 50_000

export function holdKey(
  config: KeyConfig,
  token: Token,
  item: Item,
  { scope, lockToken, timeLeft, stopRenewal }: HeldKeyOptions,
): HeldKey {
  const { clock, retention, logger } = config
  const about = { scope, lockToken, attempt: token.attempt, fence: token.fence }
  let ended: Promise<EndOutcome> | undefined

  /** The log comes first: when the write fails, it is all that tells how the work ended. */
  const end = (
    outcome: CallOutcome,
    level: 'info' | 'warn' | 'error',
    said: string,
    more: LogFields,
    write: () => Promise<EndOutcome>,
  ): Promise<EndOutcome> => {
    if (ended !== undefined) {
      logger.warn(`${said}, but the token had ended before: nothing is changed`, about)
      return ended
    }
    stopRenewal?.()
    logger[level](said, { ...about, ...more })
    ended = write()
      .catch(asFailed)
      .then((marked) => {
        config.count(scope, marked.kind === 'marked' ? outcome : UNMARKED_OUTCOME[marked.kind])
        return marked
      })
    return ended
  }
  const endOf = (set: KeyEnd['set']): KeyEnd => ({ set, now: clock.now(), retention })
  const markWithin = (update: Update, patience: number): Promise<EndOutcome> => {
    const until = clock.now() + patience
    return writeEnd(config, token, update, about, () =>
      Math.min(timeLeft() ?? Infinity, until - clock.now()),
    )
  }
  const markAs = (update: Update): Promise<EndOutcome> =>
    markWithin(update, timeLeft() ?? PATIENCE_MS)
  const free = (): Promise<EndOutcome> =>
    markWithin(freeKey(token, { now: clock.now(), retention }), PATIENCE_TO_FREE_MS)

  return {
    fence: token.fence,
    complete: (result) =>
      end('completed', 'info', 'succeeded', {}, async () => {
        const { ttl } = ttlOf({ now: clock.now(), retention })
        const { place, store } = planResult(result, token, item, ttl, config)
        const marked = await markAs(completeKey(token, endOf({ ...place })))
        if (marked.kind === 'marked') await storeLargeResult(config, token, store, about)
        return marked
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
      end('released', 'warn', 'not done: the next caller may begin', { reason }, free),
  }
}

const PARKED = {
  error: 'failed: nobody may begin again until a person has looked',
  unknown: 'nobody knows whether it was done: nobody may begin again until a person has looked',
}

const UNMARKED_OUTCOME = {
  'taken over': 'superseded',
  gone: 'notStored',
  failed: 'notStored',
} as const

/** Later callers are told why there is no result; until then they find none, and wait for it a little. */
async function storeLargeResult(
  { store, logger }: KeyConfig,
  token: Token,
  putAway: (() => Promise<void>) | undefined,
  about: LogFields,
): Promise<void> {
  try {
    await putAway?.()
  } catch (error) {
    const why = messageOf(error)
    logger.error(
      'done, but the result could not be kept: duplicates are not run, and get no result',
      { ...about, why },
    )
    await store.update([withoutResult(token, shortened(why))])
  }
}

const FIRST_PAUSE_MS = 150
const LONGEST_PAUSE_MS = 2_000
const GROWTH = 2

/** What is left for the answer to get out. */
const RESERVE_MS = 500
/** Where nobody says how long the process has. */
const PATIENCE_MS = 10_000
/** For a key that is to be freed: nothing is lost but time when it is left to its lease. */
const PATIENCE_TO_FREE_MS = 1_000

/** The work is done, so patience is cheaper than doing it again: until the time is nearly up. */
async function writeEnd(
  { store, clock, logger }: KeyConfig,
  token: Token,
  update: Update,
  about: LogFields,
  left: () => number,
): Promise<EndOutcome> {
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * GROWTH, LONGEST_PAUSE_MS)) {
    const [outcome] = await store.update([update])
    if (outcome !== undefined && wasWritten(outcome, update, token)) return { kind: 'marked' }
    if (outcome?.kind === 'refused') return explainRefusal(outcome.item, logger, about)
    const error = outcome?.kind === 'failed' ? outcome.error : NO_OUTCOME
    if (left() - RESERVE_MS <= pause || hasCode(error, 'TERMINAL')) {
      logger.error(
        'ended, but its end could not be stored: it counts as running until the lease is over, and the next caller after that runs it again',
        { ...about, error: error.message },
      )
      return { kind: 'failed', error }
    }
    await clock.sleep(pause)
  }
}

function explainRefusal(
  item: Item | undefined,
  logger: KeyConfig['logger'],
  about: LogFields,
): EndOutcome {
  if (item === undefined) {
    logger.error('ended, but its token was deleted meanwhile: the next caller runs it again', about)
    return { kind: 'gone' }
  }
  logger.warn('ended, but another attempt had taken over: its end counts, not this one', about)
  return { kind: 'taken over' }
}

function asFailed(thrown: unknown): EndOutcome {
  return { kind: 'failed', error: thrown instanceof Error ? thrown : new Error(String(thrown)) }
}

const NO_OUTCOME = new StoreUnavailableError('the store gave no outcome')
