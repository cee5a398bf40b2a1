import { expect, it } from 'vitest'
import type { DevConsumerState } from '../../../../../src/tools/console/dev/index.ts'
import { killPointsOf } from '../../../../../src/tools/console/app/dev/aim.ts'

const UPDATE = { action: 'UpdateItem', effect: 'charge' }
const RESERVE = { action: 'TransactWriteItems', effect: 'reserve' }

const ORDERS: DevConsumerState = {
  queue: 'orders-queue',
  functionName: 'shop-orders',
  names: ['orders'],
  faults: {},
  paused: false,
  running: 0,
  calls: [
    { action: 'UpdateItem', words: 'claims orders/o-1' },
    { ...RESERVE, words: 'effect reserve of orders/o-1: updates stock sku=apple' },
    { ...UPDATE, words: 'begins call charge of orders/o-1' },
    { ...UPDATE, words: 'keeps the result of charge of orders/o-1' },
    { action: 'PublishBatch', words: 'publishes to paid', to: 'paid' },
    { action: 'UpdateItem', words: 'completes orders/o-1' },
  ],
}

function attempt(lane: string, ...marks: readonly (readonly [kind: string, label: string])[]) {
  return { lane, marks: marks.map(([kind, label]) => ({ kind, label })) }
}

const MARKS = [
  ['effect', 'reserve'],
  ['call', 'charge'],
  ['send', 'paid'],
] as const

it('what an attempt has done is where the next can be killed, of the queue that its consumer reads', () => {
  const points = killPointsOf(attempt('orders', ...MARKS), [ORDERS])
  expect(points?.consumer.queue).toBe('orders-queue')
  expect(points?.marked).toEqual([
    {
      label: 'effect reserve',
      words: 'effect reserve of its request: updates stock sku=apple',
      before: { ...RESERVE, when: 'before' },
      after: { ...RESERVE, when: 'after' },
    },
    {
      label: 'call charge',
      words: 'begins call charge of its request',
      before: { ...UPDATE, when: 'before' },
      after: { ...UPDATE, when: 'after' },
    },
    {
      label: 'call charge',
      words: 'keeps the result of charge of its request',
      before: { ...UPDATE, nth: 2, when: 'before' },
      after: { ...UPDATE, nth: 2, when: 'after' },
    },
    {
      label: 'send paid',
      words: 'publishes to paid',
      before: { action: 'PublishBatch', when: 'before' },
      after: { action: 'PublishBatch', when: 'after' },
    },
  ])
})

it('its other calls are offered without the id of the request that made them', () => {
  const { others = [] } = killPointsOf(attempt('orders', ...MARKS), [ORDERS]) ?? {}
  expect(others.map(({ label, after }) => [label, after.nth])).toEqual([
    ['claims its request', undefined],
    ['completes its request', 2],
  ])
})

it('of handlers that were not seen to run, effects are known by name', () => {
  const unseen = { ...ORDERS, calls: [] }
  expect(killPointsOf(attempt('orders', ...MARKS), [unseen])?.marked).toMatchObject([
    { before: { effect: 'reserve', when: 'before' } },
    { after: { effect: 'charge', when: 'after' } },
  ])
})

it('a consumer of another process offers nothing', () => {
  expect(killPointsOf(attempt('others'), [ORDERS])).toBeUndefined()
})
