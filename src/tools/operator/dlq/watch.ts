import type { Clock } from '../../../library/base/clock.ts'
import type { Store, Item, StoreKey } from '../../../library/protocol/store/store.ts'
import { readItems, itemIn } from '../../../library/entries/sweeper/due/listDue.ts'
import type { DeadLetter } from './deadLetter.ts'
import type { DeadLetterSource } from './deadLetterSource.ts'
import { recordKey, readStageRecord } from '../../../library/protocol/claim/stage/stageRecord.ts'
import { deadRunKey, readDeadRun } from '../../../library/protocol/claim/stage/deadRun.ts'
import type { StageEntry } from '../../../library/protocol/claim/stage/stageEntry.ts'
import { plausibleRetry } from '../../../library/protocol/claim/token/decideClaim.ts'
import { readToken, type Token, tokenKey } from '../../../library/protocol/claim/token/token.ts'

export interface WatchResult {
  readonly done: number
  /** Completed or resolved before they were sent: consumers drop them, or refuse them as a conflict. */
  readonly over: number
  /** Failed again: an attempt failed, or it is dead-lettered again. */
  readonly failed: number
  readonly open: number
  /** Open, and sent with an SQS message id, in whose place the consumer's option `id` may put another one. */
  readonly unnamed: number
  /** The table does not show it: they name no consumer. One that is dead-lettered again counts as failed. */
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

interface Watch {
  /** Reads whose request is over already: that it is over afterwards says nothing. */
  beforeSend(deadLetters: readonly DeadLetter[]): Promise<void>
  sent(deadLetters: readonly DeadLetter[]): void
  /** Dead letters that have been received: one that was sent and is here again has failed. */
  received(deadLetters: readonly DeadLetter[]): void
  /**
   * Reads what became of them, until all is known or `lookFor` is over. A payload that its schema refuses reaches no record: that it
   * has failed again shows on the queue alone, so the queue is received from too.
   */
  wait(): Promise<void>
  /** The last `wait`: nothing is left to stop, but the report says how the last ones fared. Those that are open stay so. */
  finish(): Promise<void>
  look(): Promise<void>
  isFailing(): boolean
  counts(): WatchResult
}

interface Watching {
  /** The dead-letter queue. What it receives and was sent to it after its `now` has failed again. */
  readonly source: Pick<DeadLetterSource, 'now' | 'lookAhead'>
  readonly clock: Clock
  readonly signal: AbortSignal | undefined
}

interface WatchedOne {
  readonly deadLetter: DeadLetter
  fate: Fate | 'over' | 'unknown'
  /** Nothing waits for it any more. */
  given?: 'up'
}

/** How many rounds to watch a dead letter whose request is over: if its consumer refuses it, it does so at once. */
const ROUNDS_FOR_OVER = 2

export function watchSent(
  { store, stopAfter = STOP_AFTER, lookFor = LOOK_FOR }: WatchOptions,
  { source, clock, signal }: Watching,
): Watch {
  const fates = new Map<string, WatchedOne>()
  const over = new Set<string>()
  const those = (fate: WatchedOne['fate']): readonly WatchedOne[] =>
    [...fates.values()].filter((each) => each.fate === fate)
  const count = (fate: WatchedOne['fate']): number => those(fate).length
  const isFailing = (): boolean => count('failed') >= stopAfter

  async function readFates(deadLetters: readonly DeadLetter[]): Promise<readonly Fate[]> {
    const keys = deadLetters.map(fateKeys)
    const items = [...(await readItems(store, keys.flat()))]
    return deadLetters.map((each, at) => {
      const own = items.splice(0, keys[at]?.length)
      return own.every(({ kind }) => kind === 'found') ? fateOf(each, own.map(itemIn)) : 'open'
    })
  }

  async function look(): Promise<void> {
    const open = [...fates.values()].filter(({ fate }) => fate === 'open')
    const read = await readFates(open.map(({ deadLetter }) => deadLetter))
    for (const [at, each] of open.entries()) each.fate = read[at] ?? each.fate
  }

  function received(deadLetters: readonly DeadLetter[]): void {
    for (const { uniqueRequestId, sentAt } of deadLetters) {
      const known = fates.get(uniqueRequestId)
      if (known !== undefined && sentAt >= source.now) known.fate = 'failed'
    }
  }

  function isWaitedFor(round: number): boolean {
    return [...fates.values()].some(
      ({ fate, given }) =>
        given === undefined && (fate === 'open' || (fate === 'over' && round < ROUNDS_FOR_OVER)),
    )
  }

  async function wait(): Promise<void> {
    const end = clock.now() + lookFor
    for (let round = 0; round * LOOK_EVERY < lookFor && clock.now() < end; round++) {
      if (!isWaitedFor(round) || isFailing() || signal?.aborted === true) return
      await clock.sleep(LOOK_EVERY, signal)
      await look()
      if (isWaitedFor(round)) received(await source.lookAhead())
    }
  }

  return {
    async beforeSend(deadLetters) {
      const first = deadLetters.slice(0, MOST - fates.size)
      const read = await readFates(first)
      for (const [at, { uniqueRequestId }] of first.entries()) {
        if (read[at] === 'done') over.add(uniqueRequestId)
      }
    },
    sent(deadLetters) {
      for (const deadLetter of deadLetters.slice(0, MOST - fates.size)) {
        const { uniqueRequestId } = deadLetter
        const seen = over.has(uniqueRequestId) ? 'over' : 'open'
        const fate = fateKeys(deadLetter).length === 0 ? 'unknown' : seen
        fates.set(uniqueRequestId, { deadLetter, fate })
      }
    },
    received,
    wait,
    async finish() {
      await wait()
      for (const each of fates.values()) each.given = 'up'
    },
    look,
    isFailing,
    counts: () => {
      const unnamed = those('open').filter(
        ({ deadLetter }) => deadLetter.envelope.carried.uniqueRequestId === undefined,
      ).length
      return {
        done: count('done'),
        over: count('over'),
        failed: count('failed'),
        open: count('open') - unnamed,
        unnamed,
        unknown: count('unknown'),
      }
    },
  }
}

export const NOT_WATCHED: WatchResult = {
  done: 0,
  over: 0,
  failed: 0,
  open: 0,
  unnamed: 0,
  unknown: 0,
}

/**
 * What has become of a dead letter that was sent back. `done`: its request has completed. `failed`: an attempt has failed again,
 * also if it will be retried. `open`: not known yet.
 */
type Fate = 'done' | 'failed' | 'open'

/**
 * Where the table shows what becomes of it. Empty: SQS moved it, or its consumer is not Lineclear's, so that the message does not
 * name its record.
 */
export function fateKeys({ envelope, uniqueRequestId }: DeadLetter): readonly StoreKey[] {
  const { flow, consumer } = envelope.carried
  if (flow !== undefined) {
    const key = recordKey(flow.name, flow.key)
    return [key, deadRunKey(key, flow.id)]
  }
  return consumer === undefined ? [] : [tokenKey(consumer, uniqueRequestId)]
}

/** @param items what is under `fateKeys`, in that order */
export function fateOf(deadLetter: DeadLetter, items: readonly (Item | undefined)[]): Fate {
  const { flow, death = 0 } = deadLetter.envelope.carried
  const [item, dead] = items
  if (flow !== undefined) return fateOfRun(deadLetter, item, dead)
  const token = item && readToken(item)
  return token === undefined ? 'open' : fateOfToken(token, death)
}

/**
 * Whether an attempt has written it whose record is gone: its consumer refuses it as a lost record. One that was refused before any
 * attempt carries no number of a death.
 */
export function hasLostRecord(
  { envelope: { carried } }: DeadLetter,
  [item, dead]: readonly (Item | undefined)[],
): boolean {
  const { flow, consumer, death = 0 } = carried
  if (flow === undefined) {
    return consumer !== undefined && item === undefined && wasAttempted(carried)
  }
  if (dead !== undefined) return false
  return Number(item?.['epoch'] ?? 0) < Math.max(flow.epoch, death)
}

/** Whether its death was final, and `onFailure` has reported it: its consumer drops it. */
export function isFinalDeath(
  { envelope: { carried } }: DeadLetter,
  [item]: readonly (Item | undefined)[],
): boolean {
  const token = carried.flow === undefined && item !== undefined ? readToken(item) : undefined
  if (token?.status !== 'error' && token?.status !== 'unknown') return false
  return token.ending?.final === true && token.ending.untold === undefined
}

/** Whether an attempt has written it, and it does not say under which name: whether its record is gone cannot be seen. */
export function hidesItsRecord({ envelope: { carried } }: DeadLetter): boolean {
  const { flow, consumer } = carried
  // @protects a plan says of which dead letters this cannot be seen
  // @without false @tests test/tools/cli/dlqLost
  return flow === undefined && consumer === undefined && wasAttempted(carried)
}

function wasAttempted({ death = 0, resendNumber }: DeadLetter['envelope']['carried']): boolean {
  return death > 0 || plausibleRetry(resendNumber) > 0
}

/** The dead letter carries the number of its death: with a higher one, the request has died again. */
function fateOfToken({ status, death, attempt, leaseUntil }: Token, sent: number): Fate {
  switch (status) {
    case 'complete':
      return 'done'
    case 'error':
    case 'unknown':
    case 'dying':
    case 'ending':
      return death > sent ? 'failed' : 'open'
    case 'inProgress':
      // A retry waits, or the second attempt runs. Attempt 0 is a request that an operator has freed.
      return attempt > 1 || (attempt === 1 && leaseUntil === 0) ? 'failed' : 'open'
  }
}

function fateOfRun(
  { envelope: { carried } }: DeadLetter,
  item: Item | undefined,
  dead: Item | undefined,
): Fate {
  const { flow, consumer = '', death = 0 } = carried
  const stage = consumer.slice((flow?.name.length ?? 0) + 1)
  const run = item && readStageRecord(item)?.run
  if (run !== undefined && run.uniqueRequestId === flow?.id) {
    return fateOfStage(run.stages.get(stage), death)
  }
  const kept = dead && readDeadRun(dead)
  if (kept === undefined) return 'open'
  if (dead?.['ttl'] !== undefined) return 'done'
  return fateOfStage(kept.stages.get(stage), death)
}

function fateOfStage(entry: StageEntry | undefined, death: number): Fate {
  switch (entry?.status) {
    case 'settled':
      return 'done'
    case 'dying':
      return 'failed'
    case 'retry':
      return entry.attempt > 0 ? 'failed' : 'open'
    case 'dead':
      return entry.epoch > death ? 'failed' : 'open'
    case 'open':
      return entry.attempt > 1 ? 'failed' : 'open'
    case undefined:
      return 'open'
  }
}
