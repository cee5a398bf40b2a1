import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Shape } from './events.ts'
import { countBatch } from './measure/counts.ts'
import type { PeerName } from './peers/index.ts'
import { startStub, type Stub } from './stub/server.ts'

interface Budget {
  readonly shape: Shape
  readonly size: number
  readonly requests: number
  readonly writeUnits: number
  readonly readUnits: number
}

let stub: Stub

beforeAll(async () => {
  stub = await startStub()
})

afterAll(() => stub.stop())

/** Per record. They are the bill: a change that makes one of them worse is a decision, not an accident. */
const BUDGETS: readonly Budget[] = [
  { shape: 'unique', size: 1, requests: 2, writeUnits: 2, readUnits: 0 },
  { shape: 'unique', size: 10, requests: 0.2, writeUnits: 2, readUnits: 0 },
  { shape: 'unique', size: 100, requests: 0.08, writeUnits: 2, readUnits: 0 },
  { shape: 'replayed', size: 1, requests: 1, writeUnits: 0, readUnits: 0.5 },
  { shape: 'replayed', size: 10, requests: 0.1, writeUnits: 0, readUnits: 0.5 },
  { shape: 'replayed', size: 100, requests: 0.01, writeUnits: 0, readUnits: 0.5 },
  { shape: 'half', size: 1, requests: 2, writeUnits: 2, readUnits: 0 },
  { shape: 'half', size: 10, requests: 0.3, writeUnits: 1, readUnits: 0.25 },
  { shape: 'half', size: 100, requests: 0.05, writeUnits: 1, readUnits: 0.25 },
]

it.each(BUDGETS)('a $shape batch of $size costs no more than it did', async (budget) => {
  const { requests, writeUnits, readUnits } = await count('lineclear', budget)
  expect(requests).toBeLessThanOrEqual(budget.requests)
  expect(writeUnits).toBeLessThanOrEqual(budget.writeUnits)
  expect(readUnits).toBeLessThanOrEqual(budget.readUnits)
})

it.each<PeerName>(['raw', 'powertools'])('%s costs what its code says', async (peer) => {
  const calls = { requests: 2, writeUnits: 2, readUnits: 0 }
  expect(await count(peer, { shape: 'unique', size: 10 })).toMatchObject(calls)
  const refused = { requests: 1, writeUnits: 1, readUnits: 0 }
  expect(await count(peer, { shape: 'replayed', size: 10 })).toMatchObject(refused)
})

it('opens one connection for 10 records, and at most four for 100', async () => {
  const [ten, hundred] = [
    await count('lineclear', { shape: 'unique', size: 10 }),
    await count('lineclear', { shape: 'unique', size: 100 }),
  ]
  expect(ten.connections).toBe(1)
  expect(hundred.connections).toBeLessThanOrEqual(4)
})

async function count(
  peer: PeerName,
  { shape, size }: Pick<Budget, 'shape' | 'size'>,
): ReturnType<typeof countBatch> {
  stub.reset()
  return countBatch(stub, peer, shape, size)
}
