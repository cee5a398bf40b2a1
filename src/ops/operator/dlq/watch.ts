import type { Clock } from '../../../clock.ts'
import type { Store } from '../../../store/store.ts'
import { loadItems } from '../item/loadItem.ts'
import type { DeadLetter } from './deadLetter.ts'
import { fateKeys, fateOf, type Fate } from './fate.ts'

/** What became of the first dead letters that were sent back. */
export interface Watched {
  readonly done: number
  /** Failed again: an attempt failed, or it is dead-lettered again. */
  readonly failed: number
  /** Not known yet. */
  readonly open: number
  /** The table does not show it: they name no consumer. One that comes back to the dead-letter queue counts as failed. */
  readonly unknown: number
}

export interface WatchOptions {
  readonly store: Store
  /** The redrive stops when so many of the first 100 have failed again. Default 3. */
  readonly stopAfter?: number | undefined
  /** How long each step of the ramp waits for the outcome of what it has sent, milliseconds. Default 10,000. */
  readonly lookFor?: number | undefined
}

/** Each look reads them all. */
const MOST = 100
const STOP_AFTER = 3
const LOOK_FOR = 10_000
const LOOK_EVERY = 500

/** Watches the first dead letters that are sent back. */
export interface Watch {
  sent(deadLetters: readonly DeadLetter[]): void
  /** Dead letters that have been received: one that was sent and came back has failed. */
  received(deadLetters: readonly DeadLetter[]): void
  /** Reads what became of them, until all is known or `lookFor` is over. */
  wait(): Promise<void>
  /** Reads it once. */
  look(): Promise<void>
  isFailing(): boolean
  counts(): Watched
}

/** @param since when the redrive began, on the queue's clock: what is received and was sent later has come back */
export function watchSent(
  { store, stopAfter = STOP_AFTER, lookFor = LOOK_FOR }: WatchOptions,
  { since, clock, signal }: { since: number; clock: Clock; signal: AbortSignal | undefined },
): Watch {
  const fates = new Map<string, { readonly deadLetter: DeadLetter; fate: Fate | 'unknown' }>()
  const count = (fate: Fate | 'unknown'): number =>
    [...fates.values()].filter((each) => each.fate === fate).length
  const isFailing = (): boolean => count('failed') >= stopAfter

  async function look(): Promise<void> {
    const open = [...fates.values()].filter(({ fate }) => fate === 'open')
    const keys = open.map(({ deadLetter }) => fateKeys(deadLetter))
    const items = [...(await loadItems(store, keys.flat()))]
    for (const [index, each] of open.entries()) {
      each.fate = fateOf(each.deadLetter, items.splice(0, keys[index]?.length))
    }
  }

  return {
    sent(deadLetters) {
      for (const deadLetter of deadLetters.slice(0, MOST - fates.size)) {
        const fate = fateKeys(deadLetter).length === 0 ? 'unknown' : 'open'
        fates.set(deadLetter.uniqueRequestId, { deadLetter, fate })
      }
    },
    received(deadLetters) {
      for (const { uniqueRequestId, sentAt } of deadLetters) {
        const known = fates.get(uniqueRequestId)
        if (known !== undefined && sentAt >= since) known.fate = 'failed'
      }
    },
    async wait() {
      for (let waited = 0; waited < lookFor; waited += LOOK_EVERY) {
        if (count('open') === 0 || signal?.aborted === true) return
        await clock.sleep(LOOK_EVERY, signal)
        await look()
        if (isFailing()) return
      }
    },
    look,
    isFailing,
    counts: () => ({
      done: count('done'),
      failed: count('failed'),
      open: count('open'),
      unknown: count('unknown'),
    }),
  }
}

/** For a redrive that watches nothing. */
export const NOT_WATCHED: Watched = { done: 0, failed: 0, open: 0, unknown: 0 }
