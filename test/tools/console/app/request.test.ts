import { describe, expect, it } from 'vitest'
import type { Advice } from '../../../../src/tools/operator/item/advice.ts'
import { durationText } from '../../../../src/tools/console/app/parts/words.ts'
import {
  type ExplainedItem,
  mainItem,
  statusOf,
  stepRows,
} from '../../../../src/tools/console/app/request/item.ts'
import { onlyRequest, requestId } from '../../../../src/tools/console/app/request/item.ts'

const item = (kind: string, status: string): ExplainedItem =>
  ({ title: `${kind} ${status}`, lines: [], facts: { kind, status } }) as unknown as ExplainedItem

it.each([
  ['dead', 'dead'],
  ['done', 'idle'],
])('the free key of a flow whose last run ended as %s is %s', (as, status) => {
  expect(
    statusOf({ kind: 'flow', status: 'idle', last: { as } } as Parameters<typeof statusOf>[0]),
  ).toBe(status)
})

describe('the item that says how it stands', () => {
  it.each([
    [[item('flow', 'idle'), item('deadRun', 'dead')], 'deadRun dead'],
    [[item('other', 'stored'), item('request', 'done')], 'request done'],
    [[item('flow', 'running'), item('step', 'waiting')], 'flow running'],
    [[item('other', 'stored')], 'other stored'],
    [[item('flow', 'idle'), item('deadRun', 'closed')], 'flow idle'],
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
  [63_000, '1 min 3 s'],
  [7_200_000, '2 hours'],
  [93_600_000, '1 day 2 hours'],
])('%d ms are shown as %s', (milliseconds, text) => {
  expect(durationText(milliseconds)).toBe(text)
})

describe('a search', () => {
  it('leads on when there is one request only', () => {
    const items = ['lock#orders/1', 'lock#orders/1']
    expect(onlyRequest({ items, letters: [] })).toBe('orders/1')
  })

  it.each([
    ['nothing', [], []],
    ['two requests', ['lock#orders/1', 'flow#parcels/1'], []],
    ['a letter too', ['lock#orders/1'], [{}]],
  ])('stays when it has found %s', (_, items, letters) => {
    expect(onlyRequest({ items, letters })).toBeUndefined()
  })
})

describe('next steps', () => {
  const advice = (given: Partial<Advice>): Advice =>
    ({ args: [], given: {}, cure: false, text: '', ...given }) as Advice

  it('have the usual one first, and beside each what is said of it', () => {
    const rows = stepRows([
      advice({ doing: 'nothing to do' }),
      advice({ action: 'dlq.peek', cure: true }),
      advice({ doing: 'it says why', joined: '; ' }),
      advice({ action: 'decide', when: 'if it was done' }),
    ])
    expect(rows.map(({ step, when, notes }) => [step?.action, when, notes])).toEqual([
      ['dlq.peek', undefined, ['it says why']],
      [undefined, undefined, ['nothing to do']],
      ['decide', 'if it was done', []],
    ])
  })
})
