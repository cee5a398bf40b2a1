import { knownItem } from '../aws/knownItem.ts'
import { ConfigError } from '../../../library/base/errors.ts'
import { MAX_CLOCK_SKEW_MS } from '../../../library/base/time.ts'
import type { Item } from '../../../library/protocol/store/store.ts'
import { digestOf } from '../../../library/protocol/claim/stage/version.ts'
import { idOfPayload } from '../../../library/protocol/record/message/identity.ts'
import { addRow, type Booked, compare } from './compare.ts'
import { flowPrefix, flowRequests, mergeRequests } from './flowRequests.ts'
import {
  type KnownRequest,
  tokenPrefix,
  tokenRequests,
  readLedger,
  type CountedRow,
} from './knownRequest.ts'
import { limitRate } from '../dlq/ramp.ts'
import { type ReconcilePlan, checkReconcileOptions, type ReconcileOptions } from './options.ts'
import { openReconcileTally, type ReconcileReport, type ScanCost } from './report.ts'

/**
 * Checks the requests of a consumer or a flow against your own ledger: each request's effects counted once, losses and doubles
 * listed by id. First the table is read (a Scan), then the ledger; what looks wrong is read again, consistently, before it is
 * reported. So a consumer may run meanwhile: what it completes between the readings is reported neither as lost nor as double.
 * Both sides are held in memory.
 * @throws ConfigError for wrong options or a wrong row; StoreUnavailableError when the table gives no answer; LedgerError when
 * the ledger fails. Then nothing is reported as balanced.
 */
export async function reconcile(options: ReconcileOptions): Promise<ReconcileReport> {
  const plan = checkReconcileOptions(options)
  const { of, clock, since, until } = plan
  const { known: requests, cost, shortestRetention } = await readTable(plan)
  const { booked, rows, ignoredRows, isNamed } = await readRows(plan)
  const rememberedSince =
    'flow' in of
      ? undefined
      : clock.now() - Math.min(plan.retention, shortestRetention) + MAX_CLOCK_SKEW_MS
  const tally = openReconcileTally(plan.most)
  const window = { since, until }
  await compare({ requests, rows: booked }, { plan, window, rememberedSince, isNamed }, tally)
  return tally.report({ ...window, requests: requests.size, rows, ignoredRows, cost })
}

async function readTable(plan: ReconcilePlan) {
  const { of, retention } = plan
  const known = new Map<string, KnownRequest>()
  // Milliseconds, of the tokens that were read.
  let shortestRetention = Infinity
  const cost = await scanItems(plan, (item) => {
    const shown = 'flow' in of ? flowRequests(item, retention) : tokenRequests(item)
    for (const request of shown) {
      shortestRetention = Math.min(shortestRetention, retentionOf(request, item))
      const { joinKey } = request
      known.set(joinKey, mergeRequests(known.get(joinKey), request))
    }
  })
  return { known, cost, shortestRetention }
}

/** Parts of the table that are read concurrently. */
const SEGMENTS = 4

/**
 * Reads the items of the consumer or flow, all segments concurrently. The reads are eventually consistent, which costs half: a
 * page that is a second old shows less than is true, and only shows what was true, so nothing that was lost seems to be there.
 */
async function scanItems(
  { table, of, rate, clock, onProgress }: ReconcilePlan,
  take: (item: Item) => void,
): Promise<ScanCost> {
  const prefix = 'flow' in of ? flowPrefix(of.flow) : tokenPrefix(of.consumer)
  const wait = limitRate(() => rate, clock)
  let [looked, readUnits, failed] = [0, 0, false]
  const readSegment = async (index: number): Promise<void> => {
    let units = 0
    const segment = { index, of: SEGMENTS }
    const pages = table.scan({
      prefix,
      segment,
      onPage: (page) => {
        looked += page.looked
        readUnits += units = page.readUnits
      },
    })
    for await (const items of pages) {
      if (failed) return
      items.map(knownItem).forEach(take)
      onProgress({ step: 'table', done: looked })
      await wait(units)
    }
  }
  const reads = Array.from({ length: SEGMENTS }, async (_, index) =>
    readSegment(index).catch((error: unknown) => {
      failed = true
      throw error
    }),
  )
  await Promise.all(reads)
  return { looked, readUnits }
}

function retentionOf({ settledBy }: KnownRequest, { ttl }: Item): number {
  return typeof ttl === 'number' && settledBy !== undefined ? ttl * 1_000 - settledBy : Infinity
}

/** `isNamed`: the rows name their effects. */
async function readRows(plan: ReconcilePlan) {
  const { ledger, since, until, names, of } = plan
  const counted = new Set([...names.effects, ...names.calls])
  const booked = new Map<string, Booked>()
  let [rows, ignoredRows, isNamed] = [0, 0, false]
  for await (const row of readLedger(ledger, { since: dateOf(since), until: dateOf(until) })) {
    rows += 1
    if (rows === 1) isNamed = row.effect !== undefined
    checkNaming(row, rows, isNamed, counted)
    if (rows % SELDOM === 0) plan.onProgress({ step: 'ledger', done: rows })
    if (isNamed && !counted.has(row.effect ?? '')) {
      ignoredRows += 1
      continue
    }
    // An id of other characters than a message may carry is hashed, in the same way as the consumer hashes what id(payload) returns.
    const requestId = idOfPayload(row.id, (id) => id)
    addRow(booked, 'flow' in of ? digestOf(requestId) : requestId, row)
  }
  return { booked, rows, ignoredRows, isNamed }
}

const SELDOM = 1_000

function checkNaming(
  row: CountedRow,
  rows: number,
  isNamed: boolean,
  counted: ReadonlySet<string>,
): void {
  if (isNamed !== (row.effect !== undefined)) {
    throw new ConfigError(
      `ledger: row ${rows}: expected ${isNamed ? 'an effect' : 'no effect'}, as in the rows before; rows either all name their effect, or none does`,
    )
  }
  if (isNamed && counted.size === 0) {
    throw new ConfigError(
      `ledger: row ${rows}: its effect is '${row.effect}'; expected effects or calls to say which effects are counted`,
    )
  }
}

function dateOf(time: number | undefined): Date | undefined {
  return time === undefined ? undefined : new Date(time)
}
