import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Shape } from './events.ts'
import { countBatch, type Counted } from './measure/counts.ts'
import { countFlows, WARM } from './measure/flows.ts'
import type { PeerName } from './peers/index.ts'
import { startDatabase, type Database } from './database/startDatabase.ts'

let database: Database

beforeAll(async () => {
  database = await startDatabase()
})

afterAll(() => database.stop())

interface Budget {
  readonly peer: PeerName
  readonly shape: Shape
  readonly size: number
  readonly requests: number
  /** On the table and on its index. */
  readonly writeUnits: number
  readonly readUnits: number
  /** Bytes of the requests' bodies. */
  readonly bodies: number
}

const CHANGED =
  'what users pay has changed. More: find the additional request, or decide for it; less: change the figure in counts.test.ts, so that it stays'

/**
 * Per record, exactly: what users pay. A change that makes a figure worse is a decision, and one that makes it better changes the
 * figure here, so that it stays.
 */
const BUDGETS: readonly Budget[] = [
  row('lineclear', 'unique', 1, 2, 2, 0, 1287),
  row('lineclear', 'unique', 10, 0.2, 2, 0, 1118.4),
  row('lineclear', 'unique', 100, 0.08, 2, 0, 1118.12),
  row('lineclear', 'replayed', 1, 1, 0, 0.5, 137),
  row('lineclear', 'replayed', 10, 0.1, 0, 0.5, 89.4),
  row('lineclear', 'replayed', 100, 0.01, 0, 0.5, 83.64),
  row('lineclear', 'half', 10, 0.3, 1, 0.25, 608.6),
  row('lineclear', 'half', 100, 0.05, 1, 0.25, 601.18),
  row('stock', 'unique', 1, 3, 6, 0, 2211),
  row('returned', 'unique', 1, 1, 4, 0, 1056),
  row('lineclearCalls', 'unique', 1, 2, 2, 0, 1591),
  row('lineclearCalls', 'replayed', 1, 1, 1, 0, 725),
]

it.each(BUDGETS)('$peer, $shape batch of $size', async (budget) => {
  const { requests, writeUnits, readUnits, bodies } = await count(budget)
  expect({ ...budget, requests, writeUnits, readUnits, bodies }, CHANGED).toEqual(budget)
})

/** Per flow of three stages. A cold sandbox reads before the first ten runs start. */
const FLOWS = [
  { size: 1, warm: false, call: false, requests: 7, writeUnits: 6, readUnits: 1 },
  { size: 10, warm: false, call: false, requests: 0.7, writeUnits: 6, readUnits: 1 },
  { size: 1, warm: true, call: false, requests: 6, writeUnits: 6, readUnits: 0 },
  { size: 10, warm: true, call: false, requests: 0.6, writeUnits: 6, readUnits: 0 },
  { size: 100, warm: true, call: false, requests: 0.24, writeUnits: 6, readUnits: 0 },
  { size: 1, warm: true, call: true, requests: 9, writeUnits: 9, readUnits: 0 },
  { size: 10, warm: true, call: true, requests: 0.9, writeUnits: 9, readUnits: 0 },
  { size: 1, warm: true, call: 'traced', requests: 12, writeUnits: 12, readUnits: 0 },
] as const

it.each(FLOWS)('$size flows at once, warm: $warm, a call in each stage: $call', async (budget) => {
  const { size, warm, call } = budget
  const counted = await countFlows(database, size, { call, before: warm ? WARM : [] })
  expect({ size, warm, call, ...counted }, CHANGED).toEqual(budget)
})

it.each<PeerName>(['raw', 'powertools', 'powertoolsCalls'])(
  '%s costs what its code says',
  async (peer) => {
    const calls = { requests: 2, writeUnits: 2, readUnits: 0 }
    expect(await count({ peer, shape: 'unique', size: 10 })).toMatchObject(calls)
    const refused = { requests: 1, writeUnits: 1, readUnits: 0 }
    expect(await count({ peer, shape: 'replayed', size: 10 })).toMatchObject(refused)
  },
)

it('opens one connection for 10 records, and four for 100', async () => {
  const ten = await count({ peer: 'lineclear', shape: 'unique', size: 10 })
  const hundred = await count({ peer: 'lineclear', shape: 'unique', size: 100 })
  expect([ten.connections, hundred.connections]).toEqual([1, 4])
})

function count({ peer, shape, size }: Pick<Budget, 'peer' | 'shape' | 'size'>): Promise<Counted> {
  database.reset()
  return countBatch(database, peer, shape, size)
}

function row(
  peer: PeerName,
  shape: Shape,
  size: number,
  requests: number,
  writeUnits: number,
  readUnits: number,
  bodies: number,
): Budget {
  return { peer, shape, size, requests, writeUnits, readUnits, bodies }
}
