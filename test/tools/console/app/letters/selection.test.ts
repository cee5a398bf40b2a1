import { describe, expect, it } from 'vitest'
import {
  chosenIn,
  givenOf,
  refusedAgain,
  toggled,
  lettersViewIn,
} from '../../../../../src/tools/console/app/pages/letters/selection.ts'
import {
  isStale,
  lookPrice,
  requestOf,
} from '../../../../../src/tools/console/app/pages/letters/answers.ts'

it.each([
  [{}, 'groups'],
  [{ queue: 'dead', reason: 'unknown' }, 'groups'],
  [{ queue: 'dead', group: '1234abcd' }, 'list'],
  [{ list: '1' }, 'list'],
  [{ queue: 'uploads', per: 'tenant' }, 'values'],
  [{ id: 'o-1' }, 'list'],
  [{ group: '1234abcd', letter: 'm1' }, 'letter'],
  [{ letter: 'm1', edit: '1' }, 'edit'],
])('%j shows the view %s', (query, view) => {
  expect(lettersViewIn(query)).toBe(view)
})

describe('what a change is given', () => {
  const none = new Set<string>()

  it.each([
    [{ queue: 'dead', group: 'g', reason: '' }, none, { queue: 'dead', group: 'g' }],
    [{ group: 'g', olderThan: '2h' }, none, { all: true, group: 'g', olderThan: '2h' }],
    [{ queue: 'dead', id: 'o-1', list: '1' }, none, { queue: 'dead', id: ['o-1'] }],
  ])('%j', (query, chosen, given) => {
    expect(givenOf(query, chosen)).toEqual(given)
  })

  it('names the chosen ones, and no query beside them', () => {
    const query = { queue: 'dead', group: 'g', match: 'x', chosen: ['m1', 'm2'] }
    expect(givenOf(query, chosenIn(query))).toEqual({ queue: 'dead', id: ['m1', 'm2'] })
    expect(toggled(chosenIn(query), 'm1')).toEqual(['m2'])
    expect(toggled(chosenIn(query), 'm3')).toEqual(['m1', 'm2', 'm3'])
  })
})

const queue = (name: string, visible: number) => ({
  name,
  url: `https://sqs/${name}`,
  arn: name,
  sources: [],
  visible,
  inFlight: 0,
  delayed: 0,
  deadLetterQueue: undefined,
})

it('a look costs a request for ten dead letters of each queue, and those that end and undo it', () => {
  const queues = [queue('one', 21), queue('two', 1), queue('empty', 0)]
  expect(lookPrice(queues, '')).toEqual({ letters: 22, requests: 3 + 2 + 3 + 1 + 2 + 1 })
  expect(lookPrice(queues, 'two')).toEqual({ letters: 1, requests: 4 })
  expect(lookPrice(queues, 'empty')).toEqual({ letters: 0, requests: 0 })
})

it.each([
  [{ of: 'orders' }, { id: 'orders/o-1' }],
  [
    { of: 'parcels.ship', flow: 'parcels/p-1', run: 'r-1' },
    { id: 'parcels/p-1', request: 'r-1' },
  ],
  [{ of: 'queue orders' }, undefined],
  [{ of: 'not said' }, undefined],
])('the request of %j', (letter, query) => {
  const rest = { queue: 'dead', messageId: 'm', identity: 'stamped', group: 'g', reason: 'none' }
  const numbers = { received: 1, sentAt: '2026-01-31T03:00:00.000Z', attributes: {}, bytes: 1 }
  const given = { ...rest, ...numbers, ...letter, identity: 'stamped' as const }
  expect(requestOf({ uniquerequestid: 'o-1', ...given })).toEqual(query)
})

describe('a look', () => {
  const queues = [queue('one', 3), queue('two', 1)]
  const saw = (looked: number) => ({ looked, more: false, fifo: false })

  it.each<[string, string, number, boolean]>([
    ['that has seen all', '', 4, false],
    ['that has missed some', '', 3, true],
    ['at what is gone since', 'two', 2, true],
    ['at one of them', 'one', 3, false],
  ])('%s', (_name, which, looked, stale) => {
    expect(isStale({ queues, unread: [] }, which, saw(looked))).toBe(stale)
  })

  it('is not repeated while a reader holds some, nor for queues that are not looked at', () => {
    const held = { ...queue('one', 2), inFlight: 1 }
    expect(isStale({ queues: [held], unread: [] }, '', saw(1))).toBe(false)
    const source = { ...queue('source', 9), deadLetterQueue: 'https://sqs/dead' }
    expect(isStale({ queues: [...queues, source], unread: [] }, '', saw(4))).toBe(false)
  })

  it('that was not meant to see all tells nothing', () => {
    expect(isStale({ queues, unread: [] }, '', { ...saw(3), more: true })).toBe(false)
    expect(isStale({ queues, unread: [] }, '', { ...saw(3), fifo: true })).toBe(false)
  })
})

it.each([
  [['exhausted', 'moved'], undefined],
  [['exhausted', 'rejected', 'rejected'], 'A redrive alone does not cure what is rejected'],
])('the main button is a redrive where that cures %j', (reasons, said) => {
  expect(refusedAgain(reasons)).toBe(said)
})
