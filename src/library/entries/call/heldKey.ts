import { messageOf, toError, hasCode } from '../../base/errors.ts'
import { shortStack } from '../../base/stack.ts'
import {
  completeKey,
  freeBoundKey,
  freeKey,
  type KeyEnd,
  parkKey,
  ttlOf,
  withoutResult,
} from '../../protocol/claim/token/endKey.ts'
import type { Token } from '../../protocol/claim/token/token.ts'
import type { LogFields } from '../../base/logger.ts'
import { planResult, shortened } from '../../run/context/results/tokenResult.ts'
import { type Item, type Update, onlyOutcome, hasNoAnswer } from '../../protocol/store/store.ts'
import type { CallMetric } from '../../features/metrics/metrics.ts'
import type { KeyConfig } from './keyConfig.ts'
import { wasWritten } from '../../protocol/claim/token/settleWrites.ts'

/** A token that this attempt holds. Only the first end has an effect: later ends write nothing. No method rejects. */
export interface HeldKey {
  readonly fence: number
  /** The work is done. Later callers receive `result`. */
  complete(result: unknown): Promise<EndOutcome>
  /** The work is done, and its answer is an error. Later callers receive that error. */
  completeWithError(error: string, stack?: string): Promise<EndOutcome>
  /** The work does not run again until an operator has resolved it. */
  park(status: 'error' | 'unknown', error: string, stack?: string): Promise<EndOutcome>
  /** The work was not done. The next caller may run at once. */
  release(reason: string, stack?: string): Promise<EndOutcome>
  /** The end of the work cannot be seen: the key stays locked until its lease ends, which is renewed no longer. */
  leave(): void
}

interface Holding {
  /** The effects of `ctx` add their marks to its token. */
  readonly held: { readonly token: Token }
  readonly item: Item
  readonly name: string
  /** The token's name in the log. */
  readonly lockToken: string
  /** Milliseconds that the holder's process has left; undefined: not known. */
  readonly timeLeft: () => number | undefined
  /** Called before the end is written, because a renewal after it would be refused. */
  readonly stopRenewal?: () => void
  /** Whether effects of this payload are kept for the next attempt. Default: never. */
  readonly hasKeptEffects?: (() => boolean) | undefined
}

/** Characters. A token is one item of 400 KB at most, and some errors carry a whole HTML page. */
const MAX_ERROR = 50_000

export function holdKey(
  config: KeyConfig,
  { held, item, name, lockToken, timeLeft, stopRenewal, hasKeptEffects }: Holding,
): HeldKey {
  const { clock, retention, logger } = config
  const { attempt, fence } = held.token
  const fields = { name, lockToken, attempt, fence }
  let ended: Promise<EndOutcome> | undefined

  /** Logs first: if the write fails, only the log contains the end of the work. */
  const end = (
    { outcome, level, message }: End,
    more: LogFields,
    write: () => Promise<EndOutcome>,
  ): Promise<EndOutcome> => {
    // @protects only the first end of a key counts
    if (ended !== undefined) {
      logger.warn(`${message}, but the token had already ended: nothing was written`, fields)
      return ended
    }
    stopRenewal?.()
    logger[level](message, { ...fields, ...more })
    ended = write()
      .catch(asFailed)
      .then((end) => {
        config.count(name, end.kind === 'marked' ? outcome : UNMARKED_OUTCOME[end.kind])
        return end
      })
    return ended
  }
  const write = (update: Update, maxWait: number): Promise<EndOutcome> => {
    const until = clock.now() + maxWait
    const left = (): number => Math.min(timeLeft() ?? Infinity, until - clock.now())
    return writeEnd(config, { token: held.token, update, fields, left })
  }
  const writeFinal = (update: Update): Promise<EndOutcome> =>
    write(update, timeLeft() ?? MAX_WAIT_MS)
  const endWith = (set: KeyEnd['set']): KeyEnd => ({ set, now: clock.now(), retention })

  return {
    fence,
    complete: (result) =>
      end(ENDS.complete, {}, async () => {
        const { token } = held
        const { ttl } = ttlOf({ now: clock.now(), retention })
        const { place, store } = planResult(result, token, item, ttl, config)
        const completed = await writeFinal(completeKey(token, endWith({ ...place })))
        if (completed.kind === 'marked') await storeLargeResult(config, token, store, fields)
        return completed
      }),
    completeWithError: (error, stack) =>
      end(ENDS.completeWithError, { error, ...stackField(stack) }, () =>
        writeFinal(completeKey(held.token, endWith({ error: error.slice(0, MAX_ERROR) }))),
      ),
    park: (status, error, stack = '') =>
      end(ENDS[status], { error, ...stackField(stack) }, () => {
        const death = { error: error.slice(0, MAX_ERROR), stack: shortStack(stack) }
        return writeFinal(parkKey(held.token, status, death, clock.now()))
      }),
    release: (reason, stack) =>
      end(ENDS.release, { reason, ...stackField(stack) }, () => {
        const free = hasKeptEffects?.() === true ? freeBoundKey : freeKey
        return write(free(held.token, { now: clock.now(), retention }), MAX_WAIT_TO_FREE_MS)
      }),
    leave: () => stopRenewal?.(),
  }
}

function stackField(stack: string | undefined): LogFields {
  return stack ? { stack } : {}
}

interface End {
  readonly outcome: CallMetric
  readonly level: 'info' | 'warn' | 'error'
  readonly message: string
}

const ENDS = {
  complete: { outcome: 'completed', level: 'info', message: 'succeeded' },
  completeWithError: {
    outcome: 'terminal',
    level: 'warn',
    message: 'terminal: later callers get the same error',
  },
  error: {
    outcome: 'parked',
    level: 'error',
    message: 'parked: not run again until an operator has resolved it',
  },
  unknown: {
    outcome: 'unknown',
    level: 'error',
    message: 'unknown outcome, parked: not run again until an operator has resolved it',
  },
  release: { outcome: 'released', level: 'warn', message: 'not done: the next caller may run' },
} as const satisfies Record<string, End>

const UNMARKED_OUTCOME = {
  'taken over': 'superseded',
  gone: 'notStored',
  failed: 'notStored',
} as const

/** Stores a result that does not fit on the token. Until it is stored, later callers find none and wait a while for it. */
async function storeLargeResult(
  { store, logger }: KeyConfig,
  token: Token,
  write: (() => Promise<void>) | undefined,
  fields: LogFields,
): Promise<void> {
  try {
    await write?.()
  } catch (error) {
    const why = messageOf(error)
    logger.error(
      'done, but its result could not be stored: duplicates do not run and get no result',
      {
        ...fields,
        why,
      },
    )
    await store.update([withoutResult(token, shortened(why))])
  }
}

/** Milliseconds for which the write of an end is retried when the time left to the process is not known. */
const MAX_WAIT_MS = 10_000
/** Milliseconds. Shorter, because a key that is not freed only stays locked until its lease ends. */
const MAX_WAIT_TO_FREE_MS = 1_000

function asFailed(thrown: unknown): EndOutcome {
  return { kind: 'failed', error: toError(thrown) }
}

/** Whether the end of a lock token was stored. It says nothing about the work itself. */
export type EndOutcome =
  | { readonly kind: 'marked' }
  /** The lease had ended, and another attempt now holds the token. Nothing was written. */
  | { readonly kind: 'taken over' }
  /** The token was deleted in the meantime: the next caller runs the work again. */
  | { readonly kind: 'gone' }
  /** The store did not accept it. The token counts as in progress until its lease ends; the log contains the end of the work. */
  | { readonly kind: 'failed'; readonly error: Error }

const FIRST_PAUSE_MS = 150
const LONGEST_PAUSE_MS = 2_000
const GROWTH = 2

/** Milliseconds reserved for the answer to reach the caller. */
const RESERVE_MS = 500
interface EndWrite {
  readonly token: Token
  readonly update: Update
  readonly fields: LogFields
  /** Milliseconds. */
  readonly left: () => number
}

/** Retries until the time is nearly up: the work is done, and if its end is not stored, the next caller does it again. */
async function writeEnd(
  { store, clock, logger }: KeyConfig,
  { token, update, fields, left }: EndWrite,
): Promise<EndOutcome> {
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * GROWTH, LONGEST_PAUSE_MS)) {
    const outcome = onlyOutcome(await store.update([update]))
    if (wasWritten(outcome, update, token)) return { kind: 'marked' }
    if (!hasNoAnswer(outcome)) return explainRefusal(outcome.item, logger, fields)
    const { kind, error } = outcome
    const isFinal = kind === 'notKnown' || hasCode(error, 'TERMINAL')
    if (isFinal || left() - RESERVE_MS <= pause) {
      logger.error(
        'ended, but its end could not be stored: it counts as in progress until its lease ends, and the next caller after that runs it again',
        { ...fields, error: error.message },
      )
      return { kind: 'failed', error }
    }
    await clock.sleep(pause)
  }
}

function explainRefusal(
  item: Item | undefined,
  logger: KeyConfig['logger'],
  fields: LogFields,
): EndOutcome {
  if (item === undefined) {
    logger.error(
      'ended, but its token was deleted meanwhile: the next caller runs it again',
      fields,
    )
    return { kind: 'gone' }
  }
  logger.warn('ended, but another attempt had taken over its token: that end counts', fields)
  return { kind: 'taken over' }
}
