import { describe, expect, it } from 'vitest'
import {
  answered,
  type Awaiting,
  readAwaiting,
} from '../../../src/library/protocol/claim/awaiting/awaiting.ts'
import {
  decideAnswer,
  decideEarly,
  decideTimeout,
  moveTimeout,
} from '../../../src/library/protocol/claim/awaiting/decideAnswer.ts'
import { saveAwaiting } from '../../../src/library/protocol/claim/awaiting/saveAwaiting.ts'
import { indexed } from '../../../src/library/protocol/claim/statusIndex.ts'
import type { Item } from '../../../src/library/protocol/store/store.ts'

const NOW = 1_000_000
const KEY = { pk: 'flow#trip/1', sk: 'await#found#r1' }
const INDEX = ['statusShard', 'dueAt']

/** `r1` waits in epoch 2 for both of `a` and `b`, unless said otherwise. */
function awaiting(given: Item = {}): Awaiting {
  const item = { ...KEY, uniquerequestid: 'r1', epoch: 2, need: 2, count: 0, until: NOW }
  const read = readAwaiting({ ...item, 'step:a': 'waiting', 'step:b': 'waiting', ...given })
  if (read === undefined) throw new Error('the given item cannot be read')
  return read
}

const answer = { stepId: 'a', hash: 'h1' }
const over = (receipt: string): object => ({ kind: 'over', receipt })

describe('an answer', () => {
  it.each<[string, Awaiting | undefined, object]>([
    ['for an id that no run waits for', undefined, over('unknown')],
    ['of another step', awaiting({ 'step:c': 'waiting' }), over('unknown')],
  ])('that %s is unknown', (_, standing, completion) => {
    expect(decideAnswer(standing, { stepId: 'd', hash: 'h1' })).toEqual(completion)
  })

  it.each<[string, Item, object]>([
    ['again', { 'step:a': answered('h1') }, over('duplicate')],
    ['again, differently', { 'step:a': answered('h2') }, over('conflict')],
    ['after the timeout', { joinedBy: 'timeout' }, over('late')],
    ['after enough others', { joinedBy: 'b' }, over('late')],
    ['again, the last', { 'step:a': answered('h1'), joinedBy: 'a' }, { kind: 'continue' }],
    ['again, before the last', { 'step:a': answered('h1'), joinedBy: 'b' }, over('duplicate')],
    ['otherwise, the last', { 'step:a': answered('h2'), joinedBy: 'a' }, over('conflict')],
  ])('that comes %s', (_, given, completion) => {
    expect(decideAnswer(awaiting(given), answer)).toEqual(completion)
  })

  const where = (count: number): object[] => [
    { field: 'step:a', is: '=', value: 'waiting' },
    { field: 'count', is: '=', value: count },
    { field: 'need', is: '=', value: 2 },
    { absent: 'joinedBy' },
  ]

  it('is written while no other answer has arrived, and more are needed', () => {
    expect(decideAnswer(awaiting(), answer)).toEqual({
      kind: 'accept',
      fills: false,
      update: { key: KEY, where: where(0), set: { 'step:a': answered('h1'), count: 1 } },
    })
  })

  it.each([1, 2])('joins them as the last that is needed, after %d', (count) => {
    expect(decideAnswer(awaiting({ count }), answer)).toEqual({
      kind: 'accept',
      fills: true,
      update: {
        key: KEY,
        where: where(count),
        set: { 'step:a': answered('h1'), count: count + 1, joinedBy: 'a' },
        remove: INDEX,
      },
    })
  })

  it('that arrives before its step waits for the grace time, and no longer', () => {
    const ahead = { sentAt: NOW - 10, grace: 11 }
    expect(decideEarly(ahead, NOW)).toEqual({ kind: 'early', until: NOW + 1 })
    expect(decideEarly(ahead, NOW + 1)).toEqual({ kind: 'over' })
  })
})

describe('the time to wait', () => {
  it.each<[string, Awaiting | undefined, object]>([
    ['of no step', undefined, { kind: 'over' }],
    ['written before', awaiting({ joinedBy: 'timeout' }), { kind: 'continue' }],
    ['after all answers', awaiting({ joinedBy: 'b' }), { kind: 'over' }],
    ['moved since', awaiting({ until: NOW + 1 }), { kind: 'early', until: NOW + 1 }],
  ])('%s', (_, standing, timeout) => {
    expect(decideTimeout(standing, NOW)).toEqual(timeout)
  })

  const where = [{ absent: 'joinedBy' }, { field: 'until', is: '=', value: NOW }]

  it('is over by one write, which a heartbeat in between refuses', () => {
    expect(decideTimeout(awaiting(), NOW)).toEqual({
      kind: 'expire',
      update: { key: KEY, where, set: { joinedBy: 'timeout' }, remove: INDEX },
    })
  })

  it('is moved by a heartbeat, forwards only', () => {
    expect(moveTimeout(awaiting(), NOW + 1_000)).toEqual({
      key: KEY,
      where,
      set: {
        until: NOW + 1_000,
        expectedCompletion: '1970-01-01T00:16:41.000Z',
        ...indexed(KEY.pk, 'awaiting', NOW + 1_000),
      },
    })
    expect(moveTimeout(awaiting(), NOW)).toBeUndefined()
    expect(moveTimeout(awaiting({ joinedBy: 'b' }), NOW + 1_000)).toBeUndefined()
  })
})

describe('what a run waits for', () => {
  const until = NOW + 1_000
  const wanted = { key: KEY, uniqueRequestId: 'r1', epoch: 2, stepIds: ['a', 'b'], need: 2, until }
  const times = {
    until,
    expectedCompletion: '1970-01-01T00:16:41.000Z',
    ...indexed(KEY.pk, 'awaiting', until),
  }

  it('is one item with all its steps', () => {
    expect(saveAwaiting(undefined, wanted, NOW)).toEqual({
      kind: 'create',
      item: {
        ...KEY,
        uniquerequestid: 'r1',
        epoch: 2,
        need: 2,
        count: 0,
        created: '1970-01-01T00:16:40.000Z',
        'step:a': 'waiting',
        'step:b': 'waiting',
        ...times,
      },
    })
  })

  it.each<[string, Awaiting]>([
    ['an attempt before', awaiting({ 'step:a': answered('h1'), count: 1 })],
    ['an attempt before that asked for more', awaiting({ 'step:c': 'waiting' })],
    ['an attempt before, and all is answered', awaiting({ joinedBy: 'b' })],
  ])('was saved by %s', (_, standing) => {
    expect(saveAwaiting(standing, wanted, NOW)).toEqual({ kind: 'saved', awaiting: standing })
  })

  it('was joined by an earlier attempt that requested fewer steps: it stays joined', () => {
    const standing = awaiting({ joinedBy: 'b' })
    const more = { ...wanted, stepIds: ['a', 'b', 'c'] }
    expect(saveAwaiting(standing, more, NOW)).toEqual({ kind: 'saved', awaiting: standing })
  })

  it('is of a later run already', () => {
    expect(saveAwaiting(awaiting({ epoch: 3 }), wanted, NOW)).toEqual({ kind: 'stale' })
  })

  const asSeen = (epoch: number): object[] => [
    { field: 'epoch', is: '=', value: epoch },
    { field: 'count', is: '=', value: 1 },
  ]

  it('gets the steps that an earlier attempt had not requested', () => {
    const saving = saveAwaiting(awaiting({ count: 1 }), { ...wanted, stepIds: ['a', 'c'] }, NOW)
    expect(saving).toEqual({
      kind: 'update',
      update: {
        key: KEY,
        where: [...asSeen(2), { absent: 'step:c' }, { absent: 'joinedBy' }],
        set: { epoch: 2, need: 2, 'step:c': 'waiting', ...times },
      },
    })
  })

  it('continues in a reopened run, with the answers it has', () => {
    const saving = saveAwaiting(awaiting({ epoch: 1, count: 1 }), { ...wanted, need: 1 }, NOW)
    expect(saving).toEqual({
      kind: 'update',
      update: {
        key: KEY,
        where: [...asSeen(1), { absent: 'joinedBy' }],
        set: { epoch: 2, need: 1, ...times },
      },
    })
  })

  it('stays joined in a reopened run', () => {
    const standing = awaiting({ epoch: 1, count: 1, joinedBy: 'b' })
    const more = { ...wanted, stepIds: ['c'] }
    expect(saveAwaiting(standing, more, NOW)).toEqual({
      kind: 'update',
      update: { key: KEY, where: asSeen(1), set: { epoch: 2 } },
    })
  })
})
