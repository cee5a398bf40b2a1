import { isoTime } from '../../base/time.ts'
import {
  outcomeOrThrow,
  type Item,
  type StoreKey,
  type Store,
  hasNoAnswer,
} from '../../protocol/store/store.ts'
import { type Awaiting, readAwaiting } from '../../protocol/claim/awaiting/awaiting.ts'
import { SendFailedError } from '../../base/errors.ts'
import { deadRunKey } from '../../protocol/claim/stage/deadRun.ts'
import { abandonOverdueRun } from '../../protocol/claim/stage/writeEnding.ts'
import { itemStore } from '../../protocol/claim/itemStore.ts'
import { timeoutReminder } from '../../protocol/claim/awaiting/stepMessage.ts'
import { queuePendingEvent } from '../call/pendingEvents.ts'
import { endedSilently } from '../../protocol/claim/token/decideClaim.ts'
import { expireKey, parkSilentKey } from '../../protocol/claim/token/endKey.ts'
import { moveInIndex } from '../../protocol/claim/stage/listStalled.ts'
import { unlistEnded } from '../../protocol/claim/token/listLost.ts'
import { readToken } from '../../protocol/claim/token/token.ts'
import type { Logger } from '../../base/logger.ts'
import type { Messenger } from '../../protocol/send/messenger.ts'
import { readStageRecord } from '../../protocol/claim/stage/stageRecord.ts'
import { INDEX_ATTRIBUTES } from '../../protocol/claim/statusIndex.ts'
import { damaged } from '../../protocol/store/format.ts'
import { isIdempotencyKey, itemKey } from './address.ts'
import { readItems } from './due/listDue.ts'
import type { WaitingLines } from './waitingLines.ts'
import { type LostRule, type StalledRun, stalledRun } from './search/lost.ts'

/**
 * How one item was swept. `freed`: its run was ended and its key is free. `queued`: an accepted event is on its queue.
 * `reminded`: a lost timeout was sent. `unlisted`: nothing was left to do. `overdue`: an attempt may still run, or its
 * message is gone, or a run is stalled. `waiting`: it waits for an operator. `failed`: the store or a queue did not answer; the next run looks at it
 * again. `notKnown`: a newer version has written it, and it was left alone.
 */
export type SweepOutcome =
  | 'freed'
  | 'queued'
  | 'reminded'
  | 'unlisted'
  | 'overdue'
  | 'waiting'
  | 'failed'
  | 'notKnown'

interface SweepContext {
  readonly store: Store
  readonly messenger: Messenger
  readonly logger: Logger
  /** What is found again by each run is said of its group. */
  readonly waiting: WaitingLines
  readonly retention: number
  readonly now: number
  readonly lost: LostRule
}

/** The index may be a second old, so the item itself is read and decides. */
export async function sweepItem(key: StoreKey, sweeping: SweepContext): Promise<SweepOutcome> {
  const [seen] = await readItems(sweeping.store, [key])
  if (seen?.kind === 'notKnown') return leaveAlone(key, seen.error, sweeping.waiting)
  const item = seen?.item
  if (
    item?.['statusShard'] === undefined ||
    // @protects only an item that is still due is swept
    Number(item['dueAt']) > sweeping.now
  )
    return 'unlisted'
  if (item['status'] === 'accepted') return sweepAccepted(key, sweeping)
  if (key.sk === 'stage') return sweepStage(item, sweeping)
  if (key.sk.startsWith('await#')) return sweepAwaiting(item, sweeping)
  if (await parkSilent(item, sweeping)) return 'waiting'
  if (await expireUnusedKey(item, sweeping)) return 'unlisted'
  if (await unlistCompleted(item, sweeping)) return 'unlisted'
  return seeTask(key, item, sweeping.waiting)
}

/** Also what only leads to it, such as the step of a run whose record is not known. */
export function leaveAlone({ pk, sk }: StoreKey, error: Error, waiting: WaitingLines): 'notKnown' {
  waiting.see('warn', 'left alone', { pk, sk, error: error.message })
  return 'notKnown'
}

async function sweepAccepted(
  key: StoreKey,
  { store, messenger, now }: SweepContext,
): Promise<'queued' | 'unlisted'> {
  const outcome = await queuePendingEvent(store, messenger, key, now)
  return outcome === 'queued' ? 'queued' : 'unlisted'
}

async function sweepStage(item: Item, sweeping: SweepContext): Promise<SweepOutcome> {
  const { store, logger, retention, now } = sweeping
  if (isListedEarly(item, now)) return sweepStalled(item, sweeping)
  const result = await abandonOverdueRun(itemStore(store), item, { retention, now })
  if (result.kind === 'idle') return 'unlisted'
  if (result.kind === 'kept') return 'overdue'
  logger.warn('abandoned: its time limit is exhausted, and its key is free', {
    ...itemKey(item),
    uniquerequestid: result.uniqueRequestId,
    ended: result.as,
  })
  return 'freed'
}

/** The search has moved it in the index: its time limit is not over. */
function isListedEarly({ giveUpAt }: Item, now: number): boolean {
  return typeof giveUpAt === 'number' && giveUpAt > now
}

/** A run that was stalled and continues is listed at its time limit again. */
async function sweepStalled(
  item: Item,
  { store, waiting, now, lost }: SweepContext,
): Promise<'overdue' | 'unlisted'> {
  const stalled = stalledRun(item, now, lost)
  if (stalled !== undefined) return seeStalled(stalled, waiting)
  const record = readStageRecord(item)
  const { dueAt } = item
  if (record?.run === undefined || typeof dueAt !== 'number') throw damaged(item).error
  const { run } = record
  const back = moveInIndex(record, run, [...run.stages.keys()], { from: dueAt, to: run.giveUpAt })
  const [outcome] = await store.update([back])
  if (hasNoAnswer(outcome)) throw outcome.error
  return 'unlisted'
}

function seeStalled({ record, run, stages, since }: StalledRun, waiting: WaitingLines): 'overdue' {
  waiting.see(
    'warn',
    'stalled: its attempt was lost, or its message is gone, and no message continues it',
    {
      ...record.key,
      uniquerequestid: run.uniqueRequestId,
      stages: stages.join(', '),
      since: isoTime(since),
      giveUpAt: isoTime(run.giveUpAt),
    },
  )
  return 'overdue'
}

/** An attempt that was taken for lost has completed. */
async function unlistCompleted(item: Item, { store }: SweepContext): Promise<boolean> {
  const token = readToken(item)
  if (token?.status !== 'complete') return false
  const [outcome] = await store.update([unlistEnded(token)])
  if (hasNoAnswer(outcome)) throw outcome.error
  return true
}

/** A step whose run has ended leaves the index. A step whose timeout message was lost gets a new one. */
async function sweepAwaiting(item: Item, sweeping: SweepContext): Promise<SweepOutcome> {
  const awaiting = readAwaiting(item)
  if (awaiting === undefined) throw damaged(item).error
  const waits = (await isRunning(awaiting, sweeping)) || (await isReopened(awaiting, sweeping))
  // @protects a step whose run has ended is not reminded
  // @without its then
  return waits ? resendTimeout(awaiting, item, sweeping) : unlist(awaiting, sweeping)
}

async function isRunning({ key, uniqueRequestId }: Awaiting, { store }: SweepContext) {
  const read = await store.read([{ pk: key.pk, sk: 'stage' }], { consistent: true })
  const { item } = outcomeOrThrow(read)
  return item !== undefined && readStageRecord(item)?.run?.uniqueRequestId === uniqueRequestId
}

/** An operator has taken the answer back after the run died of it: an answer or the timeout revives the run. */
async function isReopened(awaiting: Awaiting, { store }: SweepContext): Promise<boolean> {
  if (!awaiting.reopened) return false
  const record = { pk: awaiting.key.pk, sk: 'stage' }
  const read = await store.read([deadRunKey(record, awaiting.uniqueRequestId)], {
    consistent: true,
  })
  const { item } = outcomeOrThrow(read)
  return item !== undefined
}

async function unlist(awaiting: Awaiting, { store }: SweepContext): Promise<'unlisted'> {
  const where = [{ field: 'until', is: '=', value: awaiting.until } as const]
  const [outcome] = await store.update([{ key: awaiting.key, where, remove: INDEX_ATTRIBUTES }])
  if (hasNoAnswer(outcome)) throw outcome.error
  return 'unlisted'
}

/** The receiver decides whether the timeout still applies: a second copy has no effect. */
async function resendTimeout(
  awaiting: Awaiting,
  item: Item,
  sweeping: SweepContext,
): Promise<'reminded' | 'overdue'> {
  const { messenger, now } = sweeping
  const reminder = timeoutReminder(awaiting, item, now)
  if (reminder === undefined) return 'overdue'
  const [refusal] = await messenger.send(reminder.queueUrl, [reminder.message])
  if (refusal !== undefined) throw new SendFailedError(refusal.message, { cause: refusal })
  await postpone(awaiting, item, sweeping)
  return 'reminded'
}

const FIRST_PAUSE_MS = 5 * 60_000
const LONGEST_PAUSE_MS = 12 * 3_600_000

/**
 * The consumer may be paused with the timeout on its queue, and without backoff each sweep would add another one. Only the due
 * time in the index moves; `until`, which decides, stays.
 */
async function postpone(
  { key, until }: Awaiting,
  { dueAt }: Item,
  { store, now }: SweepContext,
): Promise<void> {
  if (typeof dueAt !== 'number') return
  const pause = Math.min(Math.max(now - until, FIRST_PAUSE_MS), LONGEST_PAUSE_MS)
  const where = [
    { field: 'until', is: '=', value: until },
    { field: 'dueAt', is: '=', value: dueAt },
  ] as const
  const [outcome] = await store.update([{ key, where, set: { dueAt: now + pause } }])
  if (hasNoAnswer(outcome)) throw outcome.error
}

/** The holder of a lock token has died that nothing may take over: it waits for an operator. */
async function parkSilent(item: Item, { store, logger, now }: SweepContext): Promise<boolean> {
  const token = readToken(item)
  if (token?.parksAfterLease !== true || !endedSilently(token) || token.leaseUntil > now)
    return false
  const [outcome] = await store.update([parkSilentKey(token, now)])
  if (outcome?.kind === 'failed') throw outcome.error
  if (outcome?.kind !== 'applied') return false
  const { pk, lockedBy, created } = item
  logger.error('its holder ended without a word: parked, it waits for an operator', {
    pk,
    lockedBy,
    created,
  })
  return true
}

/** Long enough for an operator to notice the lost call in `ls`. */
const FORGET_AFTER_MS = 86_400_000

/** A message is redelivered after a lost attempt, but a key may never be called again. Such keys would accumulate in the index. */
async function expireUnusedKey(item: Item, { store, logger, now }: SweepContext): Promise<boolean> {
  const token = readToken(item)
  if (token?.status !== 'inProgress' || !isIdempotencyKey(token.pk)) return false
  if (
    token.leaseUntil === 0 ||
    // @protects a key is listed for a day after its holder has died
    token.leaseUntil + FORGET_AFTER_MS > now
  )
    return false
  const [outcome] = await store.update([expireKey(token, now)])
  if (hasNoAnswer(outcome)) throw outcome.error
  if (outcome?.kind !== 'applied') return false
  const { pk, lockedBy, created, attempt } = item
  logger.warn('its holder died a day ago, and the key was not called again: no longer listed', {
    pk,
    lockedBy,
    created,
    attempt,
  })
  return true
}

const PARKED: readonly unknown[] = ['error', 'unknown']

/** With the fields to search by. */
function seeTask({ pk, sk }: StoreKey, item: Item, waiting: WaitingLines): 'overdue' | 'waiting' {
  const { status, attempt, lockedBy, created, expectedCompletion, reason, error } = item
  const line = { pk, sk, status, attempt, lockedBy, created, expectedCompletion, reason, error }
  if (PARKED.includes(status) || sk.startsWith('dead#')) {
    waiting.see('info', 'waits for an operator', line)
    return 'waiting'
  }
  waiting.see('warn', 'overdue: its attempt was lost, or its message is gone', line)
  return 'overdue'
}
