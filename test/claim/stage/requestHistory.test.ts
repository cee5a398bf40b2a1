import { expect, it } from 'vitest'
import type { Process } from '../../../src/library/protocol/claim/stage/stageRecord.ts'
import { endedRequestKey } from '../../../src/library/protocol/claim/stage/endRun.ts'
import {
  endOf,
  historyKeys,
  currentHistory,
  readHistory,
} from '../../../src/library/protocol/claim/stage/requestHistory.ts'
import { deadRunKey } from '../../../src/library/protocol/claim/stage/deadRun.ts'
import { digestOf } from '../../../src/library/protocol/claim/stage/version.ts'
import type { Item } from '../../../src/library/protocol/store/store.ts'
import { idle, KEY } from './given.ts'
import { deadRunGiven, historyGiven } from './historyGiven.ts'

const PARKED: Item = {
  ...deadRunKey(KEY, 'r4'),
  uniquerequestid: 'r4',
  epoch: 3,
  fence: 6,
  restored: '["charge:sale"]',
}

it('is kept beside the record: the dead request, and its receipt', () => {
  expect(historyKeys(KEY, 'r4')).toEqual([
    { pk: KEY.pk, sk: 'dead#r4' },
    endedRequestKey(KEY, digestOf('r4')),
  ])
})

it('is read from both items', () => {
  expect(readHistory(3, [PARKED, { as: 'reset' }], 0)).toEqual({
    ...historyGiven({ deadRun: deadRunGiven() }),
    end: 'reset',
  })
  expect(readHistory(3, [undefined, undefined], 0)).toEqual(historyGiven())
})

it('is not known when the item of the dead request cannot be read', () => {
  expect(readHistory(3, [{ ...PARKED, epoch: 'three' }, undefined], 0)).toBeUndefined()
})

it('is valid for the epoch of its read only', () => {
  const looked = historyGiven()
  expect(currentHistory(idle(), looked)).toBe(looked)
  expect(currentHistory(idle({ epoch: 4 }), looked)).toBeUndefined()
  expect(currentHistory(idle(), undefined)).toBeUndefined()
  const before = historyGiven({ epoch: 0 })
  expect(currentHistory(undefined, before)).toBe(before)
  expect(currentHistory(undefined, looked)).toBeUndefined()
})

const ended = (letter: string, id = 'r4'): string => digestOf(id) + letter

it.each<[string, Item, Process, string | undefined]>([
  ['the last', { last: ended('r') }, 'newest', 'reset'],
  ['the last, before any other news', { last: ended('r'), ended: ended('c') }, 'every', 'reset'],
  ['the last of another', { last: ended('r', 'r1') }, 'newest', undefined],
  ['among the ended, for newest', { ended: ended('c') }, 'newest', undefined],
  ['among the ended', { ended: ended('c') }, 'every', 'completed'],
  ['twice among the ended', { ended: ended('d') + ended('c') }, 'every', 'completed'],
  ['ended, and a receipt', { ended: ended('c') }, 'every', 'completed'],
  ['a receipt alone', { ended: ended('c', 'r1') }, 'every', 'dead'],
  ['a receipt, for newest', {}, 'newest', undefined],
])('knows how a request ended last: %s', (_, given, process, end) => {
  const looked = historyGiven({ end: 'dead' })
  expect(endOf(idle(given), { uniqueRequestId: 'r4', process }, looked)).toBe(end)
})

it('is unknown without a read', () => {
  expect(endOf(idle(), { uniqueRequestId: 'r4', process: 'every' }, undefined)).toBeUndefined()
})
