import type { LocalCloud } from 'lineclear/local'
import type { LedgerRow } from '../../../../src/tools/operator/reconcile/knownRequest.ts'
import { reconcile } from '../../../../src/tools/operator/reconcile/reconcile.ts'
import type { ReconcileOptions } from '../../../../src/tools/operator/reconcile/options.ts'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { deliver, emptyAll, flowHarness, startFlowCloud } from '../../../flow/flowHarness.ts'
import { counting, tripOn } from '../../../flow/trip.ts'
import { memoryReader } from './requests.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startFlowCloud()
})
afterEach(() => emptyAll(cloud))
afterAll(() => cloud.stop())

type TripOptions = Parameters<typeof tripOn>[2]

/** Trips whose only stage books one seat, or dies before or after it. */
async function trips(options: TripOptions, ids: readonly string[]) {
  const harness = flowHarness(cloud)
  const trip = tripOn(cloud, harness, { retry: { maxAttempts: 1 }, ...options })
  const book = trip.stageHandler('book', async (_booking, ctx) => {
    const id = ctx.uniqueRequestId
    if (id.startsWith('dies')) throw new Error('before the seat')
    await ctx.write('seat', counting(id))
    if (id.startsWith('booked')) throw new Error('behind the seat')
  })
  for (const id of ids) {
    await trip.start({ key: 'k' }, { uniqueRequestId: id })
    await deliver(cloud, 'book', book)
    harness.clock.advance(1_000)
  }
  const { store, clock } = harness
  const rows = (): LedgerRow[] =>
    store.userItems('counts').map(({ id, n }) => ({ id: id as string, count: n as number }))
  const check = async (
    ledger: () => readonly LedgerRow[],
    more: Partial<ReconcileOptions> = {},
  ) => {
    const report = await reconcile({
      table: memoryReader(store),
      flow: 'trip',
      ledger,
      clock,
      ...more,
    })
    const found = report.anomalies.map(({ kind, id, request }) => `${kind} ${id ?? request}`)
    return { ...report, found: found.toSorted() }
  }
  return { rows, check }
}

const MANY = Array.from({ length: 12 }, (_, nth) => `r${nth + 1}`)

it("process 'every': each request that ended is checked, also those beyond the record", async () => {
  const { rows, check } = await trips({ process: 'every' }, MANY)
  expect(await check(rows)).toMatchObject({ verdict: 'balanced', right: 12, requests: 12 })
  const without = await check(() => rows().filter(({ id }) => id !== 'r1' && id !== 'r12'))
  // The table has the id of the newest request, and a digest of the others.
  expect(without.found).toEqual(['lost r12', 'lost trip/k'])
  const twice = await check(() => [...rows(), { id: 'r1' }, { id: 'nobody', at: Date.now() }])
  expect(twice.found).toEqual(['double r1'])
  expect(twice.unchecked.forgotten).toBe(1)
})

it("process 'newest': the last request of each key is checked, of the others only doubles are found", async () => {
  const { rows, check } = await trips({ process: 'newest' }, ['r1', 'r2', 'r3'])
  const report = await check(rows)
  expect(report).toMatchObject({ verdict: 'balanced', right: 1, unchecked: { forgotten: 2 } })
  const wrong = await check(() => [{ id: 'r1', count: 2 }, { id: 'r2' }])
  expect(wrong.found).toEqual(['double r1', 'lost r3'])
})

it('dead requests: the marks of their stage say which effects stand', async () => {
  const ids = ['dies-1', 'booked-1', 'dies-2', 'booked-2']
  const { rows, check } = await trips({ process: 'every' }, ids)
  const effects = ['book:seat']
  expect(await check(rows, { effects })).toMatchObject({ verdict: 'balanced', right: 4 })
  const wrong = await check(() => [{ id: 'booked-1' }, { id: 'dies-2' }], { effects })
  expect(wrong.found).toEqual(['lost booked-2', 'unmarked dies-2'])
  // Without names it is not known what they should have.
  expect(await check(() => [{ id: 'dies-2' }])).toMatchObject({ anomalies: [] })
})

it('a file: what ended after its export is not lost', async () => {
  const { check } = await trips({ process: 'every' }, ['r1'])
  const early = await check(() => [], { until: 1 })
  expect(early).toMatchObject({ verdict: 'nothing checked', unchecked: { late: 1 } })
})

it('an expectation by id needs the id', async () => {
  const { rows, check } = await trips({ process: 'every' }, ['r1', 'r2'])
  const expected = (id: string) => (id === 'r2' ? 1 : 0)
  const report = await check(() => rows().filter(({ id }) => id === 'r2'), { expect: expected })
  expect(report).toMatchObject({ right: 1, unchecked: { idUnknown: 1 } })
})
