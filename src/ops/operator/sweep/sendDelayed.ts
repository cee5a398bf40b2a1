import { shardsOf } from '../../../claim/statusIndex.ts'
import { deadRunKey } from '../../../claim/stage/deadRun.ts'
import {
  closeDelayed,
  type Delayed,
  postponeDelayed,
  readDelayed,
} from '../../../delay/delayedRow.ts'
import { type DelayedVerdict, isRunning, judgeDelayed } from '../../../delay/judgeDelayed.ts'
import type { LogFields, Logger } from '../../../logger.ts'
import type { Messenger, QueueMessage, SendOutcome } from '../../../queue/messenger.ts'
import { isFifo } from '../../../queue/queueUrl.ts'
import { isPermanent } from '../../../queue/refusal.ts'
import type { Item, Store, StoreKey, Update } from '../../../store/store.ts'
import { loadItems } from '../item/loadItem.ts'

/** What one run of the sweeper did with the rows of delayed messages. */
export interface DelayedReport {
  /** On their queues, some with the seconds that were left as their delay. */
  readonly sent: number
  /** Taken back with their run. */
  readonly void: number
  /** Put off, because their run is dead and may be redriven. */
  readonly waiting: number
  /** Written by a newer version, or by hand: left alone. */
  readonly unreadable: number
  /** Not sent: the next run tries again. */
  readonly failed: number
}

export interface DelayedSweep extends DelayedReport {
  /** Milliseconds since the oldest row was due when the run began; 0: none was overdue. */
  readonly oldest: number
}

interface SendContext {
  readonly store: Store
  readonly messenger: Messenger
  readonly logger: Logger
  now(): number
  /** Whether no further page may be begun. */
  timeIsUp(): boolean
}

/** Messages are sent this early, with the rest as their delay: so they are on time although the sweeper runs once a minute. */
const AHEAD_MS = 90_000
/** Rows of one page. A row may have 64 KB, and as many pages are in memory as there are shards. */
const PAGE = 50

/**
 * Sends what is due, the oldest first within each shard, until nothing is left or the time is up. The shards are worked on side by
 * side, each page by page.
 * @throws when the store gave no answer, after all shards have ended
 */
export async function sendDelayed(context: SendContext): Promise<DelayedSweep> {
  const sweep: Sweep = {
    ...context,
    begun: context.now(),
    counts: { sent: 0, void: 0, waiting: 0, unreadable: 0, failed: 0 },
    oldest: 0,
    refusing: new Set(),
  }
  const ends = await Promise.allSettled(shardsOf('later').map((shard) => sweepShard(shard, sweep)))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
  return { ...sweep.counts, oldest: sweep.oldest }
}

type DueRow = Delayed & { readonly message: QueueMessage }

interface Sweep extends SendContext {
  readonly begun: number
  readonly counts: { -readonly [Kind in keyof DelayedReport]: number }
  oldest: number
  /** Queues that refuse for good: nothing more is sent to them in this run. */
  readonly refusing: Set<string>
}

async function sweepShard(statusShard: string, sweep: Sweep): Promise<void> {
  const until = sweep.begun + AHEAD_MS
  let after: string | undefined
  do {
    const page = await sweep.store.due({ statusShard, until, most: PAGE, after })
    if (page.kind === 'failed') throw page.error
    await sweepPage(page.keys, sweep, until)
    after = page.next
  } while (after !== undefined && !sweep.timeIsUp())
}

/** The index may be a second old, and lists what was sent since: only a consistent read decides. */
async function sweepPage(keys: readonly StoreKey[], sweep: Sweep, until: number): Promise<void> {
  if (keys.length === 0) return
  const items = await loadItems(sweep.store, keys)
  const due = items.flatMap((item) => dueRow(item, sweep, until))
  const verdicts = await judgeAll(due, sweep)
  const sends: DueRow[] = []
  const writes: Update[] = []
  for (const [row, verdict] of verdicts) {
    if (verdict.kind === 'send') sends.push(row)
    else writes.push(...keepBack(row, verdict, sweep))
  }
  const sent = await sendAll(sends, sweep)
  const closes = sent.map((row) => closeDelayed(row, 'sent', sweep.now()))
  const outcomes = await sweep.store.update([...writes, ...closes])
  for (const outcome of outcomes) {
    if (outcome.kind !== 'failed') continue
    sweep.logger.error(
      'a delayed message was not closed: it is judged, or sent under its id, again',
      {
        error: outcome.error.message,
      },
    )
  }
}

function dueRow(item: Item | undefined, sweep: Sweep, until: number): readonly DueRow[] {
  if (item?.['statusShard'] === undefined || Number(item['dueAt']) > until) return []
  sweep.oldest = Math.max(sweep.oldest, sweep.begun - Number(item['dueAt']))
  const row = readDelayed(item)
  if (row === undefined) {
    leaveAlone(item['pk'], sweep)
    return []
  }
  const { status, message } = row
  return status === 'due' && message !== undefined ? [{ ...row, message }] : []
}

function leaveAlone(pk: unknown, { counts, logger }: Sweep): void {
  counts.unreadable += 1
  logger.error('not sent: written by a newer version, or by hand', { pk })
}

/** Records are read before parked items: see RunSeen. */
async function judgeAll(
  rows: readonly DueRow[],
  { store, now }: Sweep,
): Promise<readonly (readonly [DueRow, DelayedVerdict])[]> {
  const records = await loadBeside(store, rows, recordKeyOf)
  const over = rows.filter((row) => !isRunning(row, records.get(row)))
  const parked = await loadBeside(store, over, parkedKeyOf)
  const time = now()
  return rows.map((row) => {
    const seen = { record: records.get(row), parked: parked.get(row) }
    return [row, judgeDelayed(row, seen, time)]
  })
}

function recordKeyOf({ recordPk }: Delayed): StoreKey | undefined {
  return recordPk === undefined ? undefined : { pk: recordPk, sk: 'stage' }
}

function parkedKeyOf(row: Delayed): StoreKey | undefined {
  const record = recordKeyOf(row)
  return record && deadRunKey(record, row.uniqueRequestId)
}

async function loadBeside(
  store: Store,
  rows: readonly Delayed[],
  keyOf: (row: Delayed) => StoreKey | undefined,
): Promise<ReadonlyMap<Delayed, Item | undefined>> {
  const asked = rows.flatMap((row) => {
    const key = keyOf(row)
    return key === undefined ? [] : [[row, key] as const]
  })
  if (asked.length === 0) return new Map()
  // A call refuses the same key twice, and rows of one run have one record.
  const keys = [...new Map(asked.map(([, key]) => [`${key.pk} ${key.sk}`, key])).values()]
  const items = await loadItems(store, keys)
  const found = new Map(keys.map(({ pk, sk }, index) => [`${pk} ${sk}`, items[index]]))
  return new Map(asked.map(([row, { pk, sk }]) => [row, found.get(`${pk} ${sk}`)]))
}

/** @returns the write that keeps a row from being sent now */
function keepBack(
  row: Delayed,
  verdict: Exclude<DelayedVerdict, { kind: 'send' }>,
  sweep: Sweep,
): readonly Update[] {
  const { counts, logger } = sweep
  switch (verdict.kind) {
    case 'void':
      counts.void += 1
      logger.info('a delayed message is void: its run was taken back', fieldsOf(row))
      return [closeDelayed(row, 'void', sweep.now())]
    case 'wait':
      counts.waiting += 1
      return [postponeDelayed(row, verdict.until)]
    case 'unreadable':
      leaveAlone(row.key.pk, sweep)
      return []
  }
}

/** @returns the rows that their queues have taken */
async function sendAll(rows: readonly DueRow[], sweep: Sweep): Promise<readonly Delayed[]> {
  const now = sweep.now()
  const ready = rows.filter(({ queue, due }) => due <= now || !isFifo(queue))
  const byQueue = Map.groupBy(ready, ({ queue }) => queue)
  const sent = await Promise.all(
    [...byQueue].map(([queue, those]) => sendTo(queue, those.toSorted(byDue), sweep, now)),
  )
  return sent.flat()
}

async function sendTo(
  queue: string,
  rows: readonly DueRow[],
  sweep: Sweep,
  now: number,
): Promise<readonly Delayed[]> {
  const { counts, messenger, logger, refusing } = sweep
  if (refusing.has(queue)) {
    counts.failed += rows.length
    return []
  }
  const messages = rows.map((row) => messageOf(row, now))
  const together = await messenger.send(queue, messages)
  const outcomes = await eachAlone(queue, messages, together, sweep)
  const failures = outcomes.filter((outcome) => outcome !== undefined)
  counts.failed += failures.length
  counts.sent += rows.length - failures.length
  const [worst] = failures
  if (worst !== undefined) {
    logger.error('delayed messages were not sent: the next run tries again', {
      queue,
      error: (failures.find(isPermanent) ?? worst).message,
      failed: failures.length,
    })
  }
  return rows.filter((_, index) => outcomes[index] === undefined)
}

/**
 * SQS refuses a whole call for one message that it cannot take, and the others would be refused with it in each run. If it
 * refuses each of them alone as well, it is the queue that cannot be sent to.
 */
async function eachAlone(
  queue: string,
  messages: readonly QueueMessage[],
  together: readonly SendOutcome[],
  { messenger, refusing }: Sweep,
): Promise<readonly SendOutcome[]> {
  const isRefused = (outcome: SendOutcome): boolean => outcome !== undefined && isPermanent(outcome)
  if (together.filter(isRefused).length < 2) return together
  const outcomes = await Promise.all(
    together.map(async (outcome, index) => {
      const message = messages[index]
      if (message === undefined || !isRefused(outcome)) return outcome
      const [alone] = await messenger.send(queue, [message])
      return alone
    }),
  )
  if (outcomes.every(isRefused)) refusing.add(queue)
  return outcomes
}

/** A FIFO queue delays no single message, so its messages are sent when they are due. */
function messageOf({ message, due, queue }: DueRow, now: number): QueueMessage {
  return isFifo(queue) || due <= now
    ? message
    : { ...message, delaySeconds: Math.ceil((due - now) / 1_000) }
}

function byDue(one: Delayed, other: Delayed): number {
  return one.due - other.due
}

function fieldsOf({ key, by, uniqueRequestId, queue }: Delayed): LogFields {
  return { ...key, consumer: by, uniquerequestid: uniqueRequestId, queue }
}
