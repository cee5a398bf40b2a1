import { describe, expect, it } from 'vitest'
import { durationOf, relativeTime } from '../../../../src/ops/console/app/parts/relativeTime.ts'
import { type Item, mainItem } from '../../../../src/ops/console/app/request/item.ts'
import { requestId } from '../../../../src/ops/console/app/search/requestId.ts'

const item = (kind: string, status: string): Item =>
  ({ title: `${kind} ${status}`, lines: [], facts: { kind, status } }) as unknown as Item

describe('the item that says how it stands', () => {
  it.each([
    [[item('flow', 'idle'), item('deadRun', 'dead')], 'deadRun dead'],
    [[item('kept', 'payload'), item('request', 'done')], 'request done'],
    [[item('flow', 'running'), item('step', 'waiting')], 'flow running'],
    [[item('kept', 'payload')], 'kept payload'],
  ])('of %o is %s', (items, title) => {
    expect(mainItem(items)?.title).toBe(title)
  })
})

it.each([
  ['lock#orders/order-1', 'orders/order-1'],
  ['flow#returns/return-62', 'returns/return-62'],
  ['key#payments/a#b/c', 'payments/a#b/c'],
  ['orders/order#1', 'orders/order#1'],
])('the partition key %s leads to the request %s', (pk, id) => {
  expect(requestId(pk)).toBe(id)
})

it.each([
  [0, '0 ms'],
  [12.4, '12 ms'],
  [1_254, '1.25 s'],
  [243_000, '4 min 3 s'],
  [7_200_000, '2 h'],
  [93_600_000, '1 d 2 h'],
])('%d ms are shown as %s', (milliseconds, text) => {
  expect(durationOf(milliseconds)).toBe(text)
})

it('a time is shown as its distance', () => {
  expect([relativeTime(0, 240_000), relativeTime(7_300_000, 0), relativeTime(10, 20)]).toEqual([
    '4 min ago',
    'in 2 h',
    'under 1 s ago',
  ])
})
