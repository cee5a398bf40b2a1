import { describe, expect, it } from 'vitest'
import type { Item } from '../../../../src/library/protocol/store/store.ts'
import { judgePartition, judgeRow } from '../../../../src/tools/operator/forget/judgeRow.ts'
import { isNamedIn, toForget } from '../../../../src/tools/operator/forget/subject.ts'

const NOW = Date.parse('2026-01-31T12:00:00Z')
const SECRET = 'Jane Doe'
const ENDED = '2026-01-31T11:00:00.000Z'

const judge = (...items: readonly Item[]) =>
  judgePartition(
    items.map((item) => ({ format: 1, ...item })),
    { now: NOW, hasObjects: false },
  )

const token = {
  pk: 'lock#orders/o-1',
  sk: 'token',
  attemptId: 'a1',
  attempt: 1,
  fence: 1,
  payloadHash: 'h',
  actualCompletion: ENDED,
} as const

describe('a request that has ended', () => {
  it('keeps its identity, its marks, and that its calls were made', () => {
    const [erasure, ...others] = judge({
      ...token,
      applied: new Set(['book']),
      'step:charge': `done:"${SECRET}"`,
      'step:mail': 'start',
      error: SECRET,
      stack: SECRET,
      operatorDid: 'decide done',
      operatorWhy: SECRET,
    })
    expect(others).toEqual([])
    expect(erasure).toMatchObject({
      kind: 'erase',
      what: ['error', 'stack', 'result of charge', 'operatorWhy'],
      update: {
        set: { error: 'erased by an operator', 'step:charge': 'done:null' },
        remove: ['stack', 'operatorWhy'],
      },
    })
    expect(JSON.stringify(erasure)).not.toContain(SECRET)
  })

  it('is left while its result is on its way, and while it may be in a bucket that was not named', () => {
    const fresh = { ...token, resultIn: 'item', actualCompletion: '2026-01-31T11:59:50.000Z' }
    expect(judge(fresh)).toMatchObject([
      { kind: 'left', because: expect.stringContaining('is on its way') },
    ])
    expect(judge({ ...fresh, actualCompletion: ENDED })).toMatchObject([
      { what: ['result'], update: { set: { resultIn: 'none' } } },
    ])
    expect(judge({ ...token, resultIn: 'store' })).toMatchObject([
      { kind: 'left', because: expect.stringContaining('--objects') },
    ])
  })

  it.each(['inProgress', 'dying', 'error', 'unknown'])(
    'is left while its status is %s',
    (status) => {
      const result = { pk: token.pk, sk: 'result#a0', result: SECRET }
      expect(judge({ ...token, status, error: SECRET }, result)).toMatchObject([{ kind: 'left' }])
    },
  )
})

describe('what this version does not know', () => {
  it.each([
    ['a newer format', { ...token, format: 2 }],
    ['a token that it cannot read', { ...token, fence: 'x' }],
    ['a row beside it', { pk: token.pk, sk: 'letters#1', body: SECRET }],
  ])('is left, and said to be: %s', (_, item) => {
    expect(judge(item)).toMatchObject([{ kind: 'left' }])
  })
})

describe('rows beside the request', () => {
  it.each<readonly [string, Item, object]>([
    [
      'an event keeps its key',
      { pk: 'once#callbacks/tx', sk: 'once', created: ENDED, acquiredBy: 'a', customer: SECRET },
      { what: ['customer'], update: { remove: ['customer'] } },
    ],
    [
      'a change keeps who made it',
      { pk: 'audit#2026-01-30', sk: 'x', by: 'ann', why: SECRET, result: `failed: ${SECRET}` },
      {
        update: { set: { why: 'erased by an operator', result: 'failed: erased by an operator' } },
      },
    ],
    [
      'a circuit keeps its state',
      { pk: 'circuits', sk: 'orders', id: 'c', st: 'open', error: SECRET },
      { update: { set: { error: 'erased by an operator' } } },
    ],
    [
      'a pause keeps its end',
      { pk: 'pauses', sk: 'uuid', id: 'p', st: 'paused', why: SECRET },
      { update: { set: { why: 'erased by an operator' } } },
    ],
    [
      'a kept dead letter is not put back any more',
      { pk: 'discarded#7f3a91c2/0', sk: 'm#000', text: SECRET, parts: 1 },
      { update: { set: { restored: true }, remove: ['text', 'parts'] } },
    ],
  ])('%s', (_, item, expected) => {
    expect(judgeRow({ format: 1, ...item })).toMatchObject({ kind: 'erase', ...expected })
  })

  it.each<readonly [string, Item]>([
    [
      'an event that is not queued',
      { pk: 'once#c/t', sk: 'once', status: 'accepted', letter: SECRET },
    ],
    ['a message that is not sent', { pk: 'later#m', sk: 'later', st: 'due', message: SECRET }],
  ])('%s is left', (_, item) => {
    expect(judgeRow({ format: 1, ...item })).toMatchObject({ kind: 'left' })
  })
})

it('a text names an id only as a whole', () => {
  const subject = toForget('orders/order-17')
  expect(isNamedIn('503 for order-17: gone', subject)).toBe(true)
  expect(isNamedIn('503 for order-170, preorder-17', subject)).toBe(false)
  expect(isNamedIn('503 for order-170 and order-17', subject)).toBe(true)
  expect(isNamedIn(undefined, subject)).toBe(false)
})
