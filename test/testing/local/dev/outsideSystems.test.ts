import { afterEach, expect, test } from 'vitest'
import {
  type OutsideSystems,
  startOutsideSystems,
} from '../../../../src/testing/local/dev/outsideSystems.ts'

let systems: OutsideSystems | undefined
afterEach(async () => systems?.stop())

async function open(): Promise<OutsideSystems> {
  systems = await startOutsideSystems(['payments'], async (name, { number }) => ({
    id: `${name}-${number}`,
  }))
  return systems
}

async function charge(key?: string): Promise<unknown> {
  const response = await fetch(`${systems?.urls['payments']}/charges/o-1`, {
    method: 'POST',
    body: JSON.stringify({ amount: 5 }),
    ...(key !== undefined && { headers: { 'idempotency-key': key } }),
  })
  return response.ok ? response.json() : response.status
}

test('requests with the same key are one call with one answer, those without are each their own', async () => {
  const { calls } = await open()
  expect([await charge('k'), await charge('k'), await charge(), await charge()]).toEqual([
    { id: 'payments-1' },
    { id: 'payments-1' },
    { id: 'payments-2' },
    { id: 'payments-3' },
  ])
  expect(calls('payments')[0]).toEqual({
    number: 1,
    method: 'POST',
    path: '/charges/o-1',
    idempotencyKey: 'k',
    body: { amount: 5 },
  })
  expect(calls('payments')).toHaveLength(3)
})

test('a system that is down does nothing', async () => {
  const { calls, set } = await open()
  set('payments', 'down')
  expect(await charge('k')).toBe(503)
  expect(calls('payments')).toEqual([])
  set('payments', 'up')
  expect(await charge('k')).toEqual({ id: 'payments-1' })
})

test('a lost answer is a call that was carried out', async () => {
  const { calls, set } = await open()
  set('payments', 'answerLost')
  await expect(charge('k')).rejects.toThrow('fetch failed')
  expect(calls('payments')).toHaveLength(1)
  set('payments', 'up')
  expect(await charge('k')).toEqual({ id: 'payments-1' })
})

test('a slow system answers late', async () => {
  const { set, stateOf } = await open()
  set('payments', 'slow', 50)
  const before = performance.now()
  await charge()
  // A timer may fire within the millisecond before its time.
  expect(performance.now() - before).toBeGreaterThan(48)
  expect(stateOf('payments')).toEqual({ state: 'slow', slowMs: 50 })
})
