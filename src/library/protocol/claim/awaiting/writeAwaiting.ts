// @acts

import { RetryableError } from '../../../base/errors.ts'
import {
  type Item,
  type StoreKey,
  type Value,
  type WriteOutcome,
  hasNoAnswer,
} from '../../store/store.ts'
import { attempt, decideAndWrite, type Done, done, look, type Look } from '../decideAndWrite.ts'
import type { ItemStore } from '../itemStore.ts'
import { readAwaiting } from './awaiting.ts'
import { externalIdsThatFit, type AwaitRequest, saveAwaiting } from './saveAwaiting.ts'
import { addWaiter, type Waiter } from './waitingRuns.ts'

interface AwaitingWrite {
  readonly wanted: AwaitRequest
  /** Attributes that messages to the step need. `from` is the stage that waits. */
  readonly more: Item & { readonly from: string }
  /** The external ids in plain text, as many as fit, for operators. */
  readonly externalIds: readonly string[]
  now(): number
  /** Throws when this attempt may no longer write: its sandbox may have been frozen since its last write. */
  assertOpen(): void
}

type AwaitingWritten =
  | { readonly kind: 'saved' }
  /** A later run of the same request waits for this step. */
  | { readonly kind: 'stale' }
  /** Another stage of the run waits for the step, or has waited for it. */
  | { readonly kind: 'ofOtherStage'; readonly stage: Value | undefined }

/** Saves a step and all the ids it waits for. What an earlier attempt saved is kept, with the answers that have arrived since. */
export function writeAwaiting(
  store: ItemStore,
  { wanted, more, externalIds, now, assertOpen }: AwaitingWrite,
): Promise<AwaitingWritten> {
  return decideAndWrite<Item | undefined, AwaitingWritten>(
    undefined,
    (item) => {
      const standing = item && readAwaiting(item)
      if (item !== undefined && standing === undefined) throw unreadable(wanted.key)
      // @protects a step belongs to the stage that saved it
      if (item !== undefined && item['from'] !== more.from) {
        return done({ kind: 'ofOtherStage', stage: item['from'] })
      }
      assertOpen()
      const decision = saveAwaiting(standing, wanted, now())
      if (decision.kind === 'saved' || decision.kind === 'stale') {
        return done({ kind: decision.kind })
      }
      return attempt(async () =>
        resultOf<AwaitingWritten>(
          await (decision.kind === 'create'
            ? store.create(withExternalIds({ ...decision.item, ...more }, externalIds))
            : store.update(decision.update)),
          { kind: 'saved' },
        ),
      )
    },
    () => {
      throw contended(wanted.key.sk)
    },
  )
}

function withExternalIds(item: Item & StoreKey, ids: readonly string[]): Item & StoreKey {
  return { ...item, ...externalIdsThatFit(item, ids) }
}

/** Lists a run under the external id that it waits for. */
export function writeWaiter(
  store: ItemStore,
  key: StoreKey,
  waiter: Waiter,
  now: number,
): Promise<void> {
  return decideAndWrite<Item | undefined, void>(
    undefined,
    (item) => {
      const listing = addWaiter(key, item, waiter, now)
      if (listing.kind === 'listed') return done(undefined)
      return attempt(async () =>
        resultOf<void>(
          await (listing.kind === 'create'
            ? store.create(listing.item)
            : store.update(listing.update)),
          undefined,
        ),
      )
    },
    () => {
      throw contended(key.pk)
    },
  )
}

function resultOf<Result>(
  outcome: WriteOutcome,
  result: Result,
): Done<Result> | Look<Item | undefined> {
  if (hasNoAnswer(outcome)) throw outcome.error
  return outcome.kind === 'applied' ? done(result) : look(outcome.item)
}

function contended(what: string): RetryableError {
  return new RetryableError(`${what} was changed by others in each round: the record is retried`)
}

function unreadable({ sk }: StoreKey): RetryableError {
  return new RetryableError(`${sk} was written by a newer version, or by hand`)
}
