import { onlyOutcome, type Item, type Update } from '../store/store.ts'
import { hasCode } from '../base/errors.ts'
import { wasWritten } from '../claim/token/tokenWrites.ts'
import type { Token } from '../claim/token/token.ts'
import type { LogFields } from '../base/logger.ts'
import type { KeyConfig } from './keyConfig.ts'

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
export async function writeEnd(
  { store, clock, logger }: KeyConfig,
  { token, update, fields, left }: EndWrite,
): Promise<EndOutcome> {
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * GROWTH, LONGEST_PAUSE_MS)) {
    const outcome = onlyOutcome(await store.update([update]))
    if (wasWritten(outcome, update, token)) return { kind: 'marked' }
    if (outcome.kind !== 'failed') return explainRefusal(outcome.item, logger, fields)
    const { error } = outcome
    if (left() - RESERVE_MS <= pause || hasCode(error, 'TERMINAL')) {
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
