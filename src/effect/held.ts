import { SupersededError } from '../errors.ts'
import { landed } from '../lock/settleWrites.ts'
import type { Token } from '../lock/token.ts'
import type { Store, Update, WriteOutcome } from '../store/store.ts'

/** The claim of a running attempt, with the marks and answers it has added. Belongs to one record. */
export interface Held {
  readonly store: Store
  /** Scopes ids and keys: two consumers of one topic see the same request id. */
  readonly consumer: string
  readonly uniqueRequestId: string
  token: Token
}

export function superseded(held: Held): SupersededError {
  return new SupersededError(
    `attempt ${held.token.attempt} of ${held.uniqueRequestId} no longer holds the claim: another attempt has taken over, ` +
      `and nothing more is written by this one`,
  )
}

/** One fenced write. Resolves to what refused it, when that is not the loss of the claim. */
export async function writeHeld(held: Held, update: Update): Promise<WriteOutcome> {
  const [outcome] = await held.store.update([update])
  if (outcome === undefined) throw new Error('the store gave no outcome')
  if (outcome.kind === 'failed') throw outcome.error
  if (landed(outcome, update, held.token)) return { kind: 'applied', item: outcome.item }
  if (outcome.item?.['attemptId'] !== held.token.attemptId) throw superseded(held)
  return outcome
}
