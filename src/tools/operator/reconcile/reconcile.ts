import { ConfigError } from '../../../base/errors.ts'
import { MAX_CLOCK_SKEW_MS } from '../../../base/time.ts'
import type { Item } from '../../../store/store.ts'
import { digestOf } from '../../../claim/stage/version.ts'
import { idOfPayload } from '../../../record/message/identity.ts'
import { compareBucket, type Joined, type Read } from './compareBucket.ts'
import { flowPrefix, flowRequests } from './flowRequests.ts'
import { ANOMALY_KINDS } from './judge.ts'
import {
  type KnownRequest,
  tokenPrefix,
  tokenRequests,
  readLedger,
  type CountedRow,
} from './knownRequest.ts'
import {
  findOtherNames,
  type ScanCost,
  scanItems,
  BUCKETS,
  openSpill,
  type Spill,
} from './readRequests.ts'
import { type Plan, readOptions, type ReconcileOptions } from './options.ts'
import { openTally, type ReconcileReport } from './report.ts'

/**
 * Checks the requests of a consumer or a flow against your own ledger: each request's effects counted once, losses and doubles
 * listed by id. First the table is read (a Scan), then the ledger; what looks wrong is read again, consistently, before it is
 * reported. So a consumer may run meanwhile: what it completes between the readings is reported neither as lost nor as double.
 * Memory stays bounded: both sides are spread over temporary files.
 * @throws ConfigError for wrong options or a wrong row; StoreUnavailableError when the table gives no answer; LedgerError (by
 * its `name`) when the ledger fails. Then nothing is reported as balanced.
 * @example
 * const { verdict, anomalies } = await reconcile({
 *   table: dynamoDbReader({ tableName: 'lineclear' }),
 *   consumer: 'orders',
 *   ledger: async function* () {
 *     for (const row of await bookings('select order_id, booked_at from bookings'))
 *       yield { id: row.order_id, at: row.booked_at }
 *   },
 * })
 */
export async function reconcile(options: ReconcileOptions): Promise<ReconcileReport> {
  const plan = readOptions(options)
  // Not `await using`: in our tests Node 22 loads this file as it stands, and does not know it.
  const [requests, rows] = [openSpill(), openSpill()]
  try {
    return await compareAll(plan, requests, rows)
  } finally {
    await Promise.all([requests, rows].map((spill) => spill[Symbol.asyncDispose]()))
  }
}

async function compareAll(plan: Plan, requests: Spill, rows: Spill): Promise<ReconcileReport> {
  const table = await readTable(plan, requests)
  const ledger = await readRows(plan, rows)
  const window = { since: plan.since, until: untilOf(plan, ledger) }
  const rememberedSince =
    'flow' in plan.of
      ? undefined
      : plan.clock.now() - Math.min(plan.retention, table.shortestRetention) + MAX_CLOCK_SKEW_MS
  const tally = openTally(plan.most, ANOMALY_KINDS)
  for (let number = 0; number < BUCKETS; number += 1) {
    plan.signal?.throwIfAborted()
    const joined: Joined = {
      requests: requests.bucket(number) as AsyncIterable<KnownRequest>,
      rows: rows.bucket(number) as AsyncIterable<Read>,
    }
    await compareBucket(joined, { plan, window, rememberedSince, isNamed: ledger.isNamed }, tally)
    plan.onProgress({ step: 'compare', done: number + 1 })
  }
  const { rows: number, ignoredRows } = ledger
  const { requests: known } = table
  const cost = { ...table.cost }
  const unknownName =
    known > 0 || number === 0
      ? undefined
      : await findOtherNames(plan, (page) => {
          cost.looked += page.looked
          cost.readUnits += page.readUnits
        })
  const more = unknownName && { unknownName }
  return tally.report({ ...window, requests: known, rows: number, ignoredRows, cost, ...more })
}

interface TableRead {
  readonly requests: number
  readonly cost: ScanCost
  /** Milliseconds, of the tokens that were read; Infinity: of none. */
  readonly shortestRetention: number
}

async function readTable(plan: Plan, requests: Spill): Promise<TableRead> {
  const { table, of, rate, segments, clock, signal, retention } = plan
  const prefix = 'flow' in of ? flowPrefix(of.flow) : tokenPrefix(of.consumer)
  let [known, shortestRetention] = [0, Infinity]
  const take = async (item: Item): Promise<void> => {
    const shown = 'flow' in of ? flowRequests(item, retention) : tokenRequests(item)
    for (const request of shown) {
      known += 1
      shortestRetention = Math.min(shortestRetention, retentionOf(request, item))
      await requests.add(request.joinKey, request)
    }
  }
  const onProgress = (done: number): void => plan.onProgress({ step: 'table', done })
  const options = { prefix, segments, rate, clock, signal, onProgress }
  const cost = await scanItems(table, options, take)
  return { requests: known, cost, shortestRetention }
}

function retentionOf({ settledBy }: KnownRequest, { ttl }: Item): number {
  return typeof ttl === 'number' && settledBy !== undefined ? ttl * 1_000 - settledBy : Infinity
}

interface LedgerRead {
  readonly rows: number
  readonly ignoredRows: number
  /** The rows name their effects. */
  readonly isNamed: boolean
  /** Epoch milliseconds. undefined: no row has a time. */
  readonly newest: number | undefined
}

async function readRows(plan: Plan, rows: Spill): Promise<LedgerRead> {
  const { ledger, since, until, names, of, signal } = plan
  const now = plan.clock.now()
  const known = new Set([...names.effects, ...names.calls])
  const read: { -readonly [Name in keyof LedgerRead]: LedgerRead[Name] } = {
    rows: 0,
    ignoredRows: 0,
    isNamed: false,
    newest: undefined,
  }
  const window = {
    since: dateOf(since),
    until: until === 'newest row' ? undefined : dateOf(until),
  }
  for await (const row of readLedger(ledger, window)) {
    signal?.throwIfAborted()
    read.rows += 1
    if (read.rows === 1) read.isNamed = row.effect !== undefined
    checkNaming(row, read, known)
    // A row of the future does not say when the ledger was read.
    if (row.at !== undefined && row.at <= now) read.newest = Math.max(read.newest ?? 0, row.at)
    if (read.rows % SELDOM === 0) plan.onProgress({ step: 'ledger', done: read.rows })
    if (read.isNamed && !known.has(row.effect ?? '')) {
      read.ignoredRows += 1
      continue
    }
    // An id of other characters than a message may carry is hashed, in the same way as the consumer hashes what id(payload) returns.
    const requestId = idOfPayload(row.id, (id) => id)
    const joinKey = 'flow' in of ? digestOf(requestId) : requestId
    await rows.add(joinKey, { joinKey, ...row })
  }
  return read
}

const SELDOM = 1_000

function checkNaming(row: CountedRow, { rows, isNamed }: LedgerRead, known: Set<string>): void {
  if (isNamed !== (row.effect !== undefined)) {
    throw new ConfigError(
      `ledger: row ${rows}: expected ${isNamed ? 'an effect' : 'no effect'}, as in the rows before; rows either all name their effect, or none does`,
    )
  }
  if (isNamed && known.size === 0) {
    throw new ConfigError(
      `ledger: row ${rows}: its effect is '${row.effect}'; expected effects or calls to say which effects are counted`,
    )
  }
}

function dateOf(time: number | undefined): Date | undefined {
  return time === undefined ? undefined : new Date(time)
}

function untilOf({ until }: Plan, { newest, rows }: LedgerRead): number | undefined {
  if (until !== 'newest row') return until
  if (newest !== undefined) return newest
  if (rows === 0) return 0
  throw new ConfigError(
    "reconcile: until: 'newest row' needs rows with a time (at) that is past; no row has one",
  )
}
