import { shardsOf } from '../../protocol/claim/statusIndex.ts'
import {
  closeDelayed,
  type Delayed,
  postponeDelayed,
  readDelayed,
} from '../../protocol/claim/delayed/delayedRow.ts'
import type { DelayedVerdict } from '../../features/delay/judgeDelayed.ts'
import { type Item, type StoreKey, type Update, hasNoAnswer } from '../../protocol/store/store.ts'
import { damaged } from '../../protocol/store/format.ts'
import { itemOf, readItems } from './due/listDue.ts'
import {
  type DelayedSweep,
  type DueRow,
  type DueContext,
  type Sweep,
  judgeDue,
  sendDue,
} from './sendDue.ts'

/** Messages are sent this early, with the rest as their delay: so they are on time although the sweeper runs once a minute. */
export const AHEAD_MS = 90_000
/** Rows of one page. A row may have 64 KB, and as many pages are in memory as there are shards. */
const PAGE = 50

/**
 * Sends what is due, the oldest first within each shard, until nothing is left or the time is up. The shards are worked on side by
 * side, each page by page.
 * @throws when the store gave no answer, after all shards have ended
 */
export async function sendDelayed(context: DueContext): Promise<DelayedSweep> {
  const sweep: Sweep = {
    ...context,
    begun: context.now(),
    counts: { sent: 0, waiting: 0, notKnown: 0, failed: 0 },
    oldest: 0,
    refusing: new Set(),
  }
  const ends = await Promise.allSettled(shardsOf('later').map((shard) => sweepShard(shard, sweep)))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
  return { ...sweep.counts, oldest: sweep.oldest }
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
  const items = await readItems(sweep.store, keys)
  const due = items.flatMap((seen) =>
    dueRow(
      itemOf(seen, (error) => leaveAlone(error, sweep)),
      sweep,
      until,
    ),
  )
  const verdicts = await judgeDue(due, sweep)
  const eldest = eldestHeld(verdicts)
  const sends: DueRow[] = []
  const writes: Update[] = []
  for (const [row, verdict] of verdicts) {
    if (verdict.kind === 'send') sends.push(row)
    else if (row === eldest) writes.push(...keepBack(row, inNextRun(sweep), sweep))
    else writes.push(...keepBack(row, verdict, sweep))
  }
  const sent = await sendDue(sends, sweep)
  // @protects a message is closed only when its queue has taken it
  // @without sends.map((row) => closeDelayed(row, 'sent', sweep.now()))
  const closes = sent.map((row) => closeDelayed(row, 'sent', sweep.now()))
  const outcomes = await sweep.store.update([...writes, ...closes])
  for (const outcome of outcomes) {
    if (!hasNoAnswer(outcome)) continue
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
  const { due, dueAt } = item
  const firstDue = typeof due === 'number' ? due : Number(dueAt)
  sweep.oldest = Math.max(sweep.oldest, sweep.begun - firstDue)
  const row = readDelayed(item)
  if (row === undefined) {
    leaveAlone(damaged(item).error, sweep)
    return []
  }
  const { status, message } = row
  return status === 'due' && message !== undefined ? [{ ...row, message }] : []
}

function leaveAlone(error: Error, { counts, logger }: Sweep): void {
  counts.notKnown += 1
  logger.error('not sent', { error: error.message })
}

type Verdicts = Awaited<ReturnType<typeof judgeDue>>
type Wait = Extract<DelayedVerdict, { kind: 'wait' }>

/**
 * The one that has been due for longest is looked at in each run: while all that wait are put off, `oldestDelayed` would be 0, and
 * its alarm would end.
 */
function eldestHeld(verdicts: Verdicts): DueRow | undefined {
  const held = verdicts.flatMap(([row, { kind }]) => (kind === 'wait' ? [row] : []))
  return held.toSorted((one, other) => one.due - other.due)[0]
}

function inNextRun({ begun }: Sweep): Wait {
  return { kind: 'wait', until: begun + AHEAD_MS }
}

/** @returns the write that keeps a row from being sent now */
function keepBack(
  row: Delayed,
  verdict: Exclude<DelayedVerdict, { kind: 'send' }>,
  sweep: Sweep,
): readonly Update[] {
  const { counts } = sweep
  switch (verdict.kind) {
    case 'wait':
      counts.waiting += 1
      return [postponeDelayed(row, verdict.until)]
    case 'notKnown':
      leaveAlone(verdict.error, sweep)
      return []
  }
}
