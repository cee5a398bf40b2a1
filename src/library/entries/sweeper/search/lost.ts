import { leaseOf, type StageEntry } from '../../../protocol/claim/stage/stageEntry.ts'
import {
  readStageRecord,
  type StageRecord,
  type StageRun,
} from '../../../protocol/claim/stage/stageRecord.ts'
import { MAX_LAMBDA_MS } from '../../../protocol/claim/lease.ts'
import { endedSilently } from '../../../protocol/claim/token/decideClaim.ts'
import { readToken, type Token } from '../../../protocol/claim/token/token.ts'
import { sortableTime } from '../../../base/ids.ts'
import type { Item, Condition, Update } from '../../../protocol/store/store.ts'
import { isIdempotencyKey } from '../address.ts'
import { moveInIndex } from '../../../protocol/claim/stage/listStalled.ts'
import { listLost } from '../../../protocol/claim/token/listLost.ts'

/**
 * When an attempt counts as lost. An expired lease alone says nothing: SQS shows the message again when its visibility timeout is
 * over, and AWS advises six times the timeout of the function. A lease ends with its invocation, so six times its length is taken
 * for it. https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
 */
export interface LostRule {
  /** Milliseconds since the end of the lease. undefined: five times the length of the lease, and 2 minutes at least. */
  readonly after?: number | undefined
}

const LEASES = 5
const LEAST_MS = 2 * 60_000
/** A retry waits on its queue behind others, milliseconds. */
const RETRY_LATE_MS = 5 * 60_000

/** @param begun when its invocation began, or its claim was made; undefined: unknown */
function lostAt(begun: number | undefined, leaseUntil: number, { after }: LostRule): number {
  const lease = Math.min(Math.max(leaseUntil - (begun ?? leaseUntil), 0), MAX_LAMBDA_MS)
  // @protects an attempt counts as lost only when its message should be back
  // @without its left
  return leaseUntil + (after ?? Math.max(LEASES * lease, LEAST_MS))
}

/**
 * The token of a request or a key whose first attempt was lost, and which no index lists. With `dueAt` it is listed, or was: the
 * sweeper takes a key off the list that is not called for a day.
 * @returns undefined: it is something else, or SQS may still deliver its message
 */
export function lostToken(item: Item, now: number, rule: LostRule): Token | undefined {
  const token = item['sk'] === 'token' ? readToken(item) : undefined
  if (
    token === undefined ||
    item['dueAt'] !== undefined ||
    // @protects an attempt that has written its end is not lost
    !endedSilently(token)
  )
    return undefined
  const at = isIdempotencyKey(token.pk)
    ? keyLostAt(token)
    : lostAt(sortableTime(token.attemptId) ?? timeOf(item['created']), token.leaseUntil, rule)
  return at <= now ? token : undefined
}

/** A key has no message that could be hidden. What is left is the difference of clocks, and an end that is written late. */
function keyLostAt({ leaseUntil }: Token): number {
  return leaseUntil + LEAST_MS
}

function timeOf(created: unknown): number | undefined {
  const time = typeof created === 'string' ? Date.parse(created) : Number.NaN
  return Number.isNaN(time) ? undefined : time
}

/** A run that no message continues, as far as its record can tell. */
export interface StalledRun {
  readonly record: StageRecord
  readonly run: StageRun
  /** The stages that should have continued. */
  readonly stages: readonly string[]
  /** Since when the first of them should have continued, epoch milliseconds. */
  readonly since: number
}

/**
 * A run of which a stage was begun and should have continued. A stage that was handed a message and has not begun leaves no time in
 * the record: such a run is not found.
 * @returns undefined: it is idle, continues, or is out of time, and then the sweeper ends it
 */
export function stalledRun(item: Item, now: number, rule: LostRule): StalledRun | undefined {
  const record = item['sk'] === 'stage' ? readStageRecord(item) : undefined
  const run = record?.run
  if (record === undefined || run === undefined) return undefined
  if (run.giveUpAt <= now) return undefined
  const times = [...run.stages].map(([name, entry]) => [name, dueBack(entry, rule)] as const)
  const late = times.filter(([, at]) => at <= now)
  if (late.length === 0) return undefined
  return {
    record,
    run,
    stages: late.map(([name]) => name),
    since: Math.min(...late.map(([, at]) => at)),
  }
}

/** A run that is out of time and in no index, so that the sweeper does not know of it. */
export function overdueRun(
  item: Item,
  now: number,
): Pick<StalledRun, 'record' | 'run'> | undefined {
  if (item['sk'] !== 'stage' || item['statusShard'] !== undefined) return undefined
  const record = readStageRecord(item)
  const run = record?.run
  if (record === undefined || run === undefined || run.giveUpAt > now) return undefined
  return { record, run }
}

/** By when SQS should have delivered its message again, epoch milliseconds. */
function dueBack(entry: StageEntry, rule: LostRule): number {
  switch (entry.status) {
    case 'open':
    case 'dying':
      return lostAt(sortableTime(entry.attemptId), leaseOf(entry), rule)
    case 'retry':
      return (entry.notBefore === 0 ? releasedBy(entry.attemptId) : entry.notBefore) + RETRY_LATE_MS
    case 'settled':
    case 'dead':
      return Infinity
  }
}

/** A claim that was given back keeps no time of it; its id keeps when its invocation began. */
function releasedBy(attemptId: string): number {
  return (sortableTime(attemptId) ?? Infinity) + MAX_LAMBDA_MS
}

/** What DynamoDB leaves out is not sent: most items have ended. */
export function mayBeLost(now: number): Condition {
  return {
    any: [
      {
        all: [
          { field: 'sk', is: '=', value: 'token' },
          { field: 'status', is: '=', value: 'inProgress' },
          { field: 'leaseUntil', is: '<=', value: now },
          { absent: 'dueAt' },
        ],
      },
      {
        all: [
          { field: 'sk', is: '=', value: 'stage' },
          { exists: 'uniquerequestid' },
          { any: [{ absent: 'statusShard' }, { field: 'dueAt', is: '>', value: now }] },
        ],
      },
    ],
  }
}

/** The write that lists it. undefined: it is not lost, or is listed at its time. */
export function listing(item: Item, now: number, rule: LostRule): Update | undefined {
  const token = lostToken(item, now, rule)
  if (token !== undefined) return listLost(token)
  const overdue = overdueRun(item, now)
  if (overdue !== undefined) {
    const { record, run } = overdue
    return moveInIndex(record, run, [], { from: undefined, to: run.giveUpAt })
  }
  const stalled = stalledRun(item, now, rule)
  if (stalled === undefined) return undefined
  const { record, run, stages, since } = stalled
  const { dueAt } = item
  const from = typeof dueAt === 'number' ? dueAt : undefined
  return moveInIndex(record, run, stages, { from, to: since })
}
