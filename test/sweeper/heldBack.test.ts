import { documented } from '../proof/formats/page.ts'
import { memoryStore } from 'lineclear/testing'
import { expect, it } from 'vitest'
import { writeCircuit } from '../../src/library/features/circuitBreaker/circuit.ts'
import { readCircuits } from '../../src/library/entries/sweeper/due/listDue.ts'

async function holdsBack(name: string, pk: string): Promise<boolean> {
  const store = documented(memoryStore())
  await store.create([writeCircuit({ name, id: 'b', since: 1, probeAt: 2, error: 'down' })])
  const { holdBack } = await readCircuits(store)
  return holdBack({ status: 'running', key: { pk, sk: 'stage' } })
}

it.each([
  ['orders', 'lock#orders/r1', true],
  ['orders', 'lock#orders2/r1', false],
  ['trip.book', 'flow#trip/k', true],
  ['trip.book', 'flow#trip2/k', false],
  ['a.trip.book', 'flow#a.trip/k', true],
  ['a.trip.book', 'flow#a/k', false],
  ['orders', 'flow#orders/k', false],
])('the circuit breaker of %s and what is late: %s is %s', async (name, pk, expected) => {
  expect(await holdsBack(name, pk)).toBe(expected)
})

it('what waits for an operator is not held back by a circuit breaker', async () => {
  const store = documented(memoryStore())
  await store.create([
    writeCircuit({ name: 'orders', id: 'b', since: 1, probeAt: 2, error: 'down' }),
  ])
  const { holdBack } = await readCircuits(store)
  expect(holdBack({ status: 'dead', key: { pk: 'lock#orders/r1', sk: 'token' } })).toBe(false)
})
