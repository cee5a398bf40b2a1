import { describe, expect, it } from 'vitest'
import {
  addWaiter,
  readWaiters,
  waitersKey,
} from '../../../src/library/protocol/claim/awaiting/waitingRuns.ts'
import type { Item } from '../../../src/library/protocol/store/store.ts'

const NOW = 1_000_000
const KEY = { pk: 'await#trip/found/e1', sk: 'waiters' }
const mine = {
  stepId: 'a',
  recordPk: 'flow#trip/my cart',
  uniqueRequestId: 'r 1',
  keepUntil: NOW + 1.5,
}
const MINE = `${NOW + 2} r%201 flow#trip/my cart`

it('stand under flow, step and external id', () => {
  expect(waitersKey('trip', 'found', 'e1')).toEqual(KEY)
})

describe('who waits', () => {
  it('is read as it was written, ids and keys with spaces too', () => {
    const write = addWaiter(KEY, undefined, mine, NOW)
    expect(write).toEqual({ kind: 'create', item: { ...KEY, 'wait:a': MINE, ttl: 1_001 } })
    const item = write.kind === 'create' ? write.item : {}
    expect(readWaiters(item)).toEqual([{ ...mine, keepUntil: NOW + 2 }])
  })

  it('is empty without an item', () => {
    expect(readWaiters(undefined)).toEqual([])
  })

  it.each<[string, Item]>([
    ['another attribute', { 'late:a': MINE }],
    ['a time in words', { 'wait:a': 'soon r1 flow#trip/1' }],
    ['a time with a sign', { 'wait:a': '-5 r1 flow#trip/1' }],
    ['a time with a unit', { 'wait:a': '5s r1 flow#trip/1' }],
    ['no record', { 'wait:a': '5 r1' }],
    ['an id that cannot be decoded', { 'wait:a': '5 %zz flow#trip/1' }],
    ['no text', { 'wait:a': 5 }],
  ])('is not who is listed with %s', (_, item) => {
    const good = { 'wait:b': '5 r2 flow#trip/2' }
    expect(readWaiters({ ...item, ...good })).toEqual([
      { stepId: 'b', keepUntil: 5, uniqueRequestId: 'r2', recordPk: 'flow#trip/2' },
    ])
  })
})

describe('waiting', () => {
  const entry = (until: number): string => `${until} r2 flow#trip/2`
  const update = (where: object[], set: Item, remove: string[] = []): object => ({
    kind: 'update',
    update: { key: KEY, where, set, remove },
  })
  const ttlIs = (value: number): object => ({ field: 'ttl', is: '=', value })

  it('is listed once, while there is time', () => {
    const item = { ...KEY, ttl: 1_001, 'wait:a': entry(NOW + 1) }
    expect(addWaiter(KEY, item, mine, NOW)).toEqual({ kind: 'listed' })
  })

  it('is not listed while only others wait', () => {
    const item = { ...KEY, ttl: 5_000, 'wait:b': entry(NOW + 1) }
    const where = [ttlIs(5_000), { absent: 'wait:a' }]
    const set = { 'wait:a': MINE, ttl: 5_000 }
    expect(addWaiter(KEY, item, mine, NOW)).toEqual(update(where, set))
  })

  it('is listed anew once its time is over, over what was seen', () => {
    const item = { ...KEY, ttl: 900, 'wait:a': entry(NOW) }
    const where = [ttlIs(900), { field: 'wait:a', is: '=', value: entry(NOW) }]
    const set = { 'wait:a': MINE, ttl: 1_001 }
    expect(addWaiter(KEY, item, mine, NOW)).toEqual(update(where, set))
  })

  it('removes others whose time is over, and keeps the item as long as the last one needs it', () => {
    const item = { ...KEY, ttl: 5_000, 'wait:b': entry(NOW), 'wait:c': entry(NOW + 1) }
    const where = [ttlIs(5_000), { absent: 'wait:a' }]
    const set = { 'wait:a': MINE, ttl: 5_000 }
    expect(addWaiter(KEY, item, mine, NOW)).toEqual(update(where, set, ['wait:b']))
  })

  it('gives a ttl to an item that has none, or none that can be read', () => {
    const set = { 'wait:a': MINE, ttl: 1_001 }
    const absent = [{ absent: 'ttl' }, { absent: 'wait:a' }]
    expect(addWaiter(KEY, { ...KEY }, mine, NOW)).toEqual(update(absent, set))
    const odd = { ...KEY, ttl: new Set(['5']) }
    expect(addWaiter(KEY, odd, mine, NOW)).toEqual(update(absent, set))
    const text = [{ field: 'ttl', is: '=', value: '9999' }, { absent: 'wait:a' }]
    expect(addWaiter(KEY, { ...KEY, ttl: '9999' }, mine, NOW)).toEqual(update(text, set))
  })
})
