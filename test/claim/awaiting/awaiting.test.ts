import { documented } from '../../proof/formats/page.ts'
import { memoryStore } from 'lineclear/testing'
import { expect, it } from 'vitest'
import {
  answered,
  type Awaiting,
  awaitingKey,
  markUsed,
  readAwaiting,
  stepIdOf,
  WAITING,
} from '../../../src/library/protocol/claim/awaiting/awaiting.ts'
import type { Item } from '../../../src/library/protocol/store/store.ts'

const KEY = awaitingKey('flow#trip/1', 'found', 'r1')
const STEPS = [stepIdOf('found', 'e1', 'r1'), stepIdOf('found', 'e2', 'r1')] as const
const ITEM: Item = {
  ...KEY,
  uniquerequestid: 'r1',
  epoch: 2,
  need: 2,
  count: 1,
  until: 9_000,
  [`step:${STEPS[0]}`]: answered('hash'),
  [`step:${STEPS[1]}`]: WAITING,
}

it('no request can take the key of another one, or of an answer, as its id', () => {
  const hash = 'a'.repeat(43)
  const ids = ['7', '7%23', '7#', `7#${STEPS[0]}#${hash}`]
  const keys = ids.map((id) => awaitingKey('flow#trip/1', 'found', id).sk)
  expect(new Set(keys).size).toBe(keys.length)
  for (const sk of keys) expect(sk.split('#')).toHaveLength(3)
})

it('reads what a run waits for, and what was answered', () => {
  expect(readAwaiting(ITEM)).toEqual({
    key: KEY,
    uniqueRequestId: 'r1',
    epoch: 2,
    need: 2,
    count: 1,
    until: 9_000,
    steps: new Map([
      [STEPS[0], 'hash'],
      [STEPS[1], undefined],
    ]),
    joinedBy: undefined,
    used: false,
    reopened: false,
  })
})

it.each<[string, Item]>([
  ['no partition key', { ...ITEM, pk: 5 }],
  ['no sort key', { ...ITEM, sk: 5 }],
  ['no request', { ...ITEM, uniquerequestid: 5 }],
  ['no epoch', { ...ITEM, epoch: '2' }],
  ['no count', { ...ITEM, count: 'one' }],
  ['no end', { ...ITEM, until: '' }],
  ['a step of a newer version', { ...ITEM, [`step:${STEPS[1]}`]: 'refused' }],
  ['a step of a wrong type', { ...ITEM, [`step:${STEPS[1]}`]: 1 }],
  ['a join of a wrong type', { ...ITEM, joinedBy: 1 }],
])('with %s is refused', (_, item) => {
  expect(readAwaiting(item)).toBeUndefined()
})

it('reads which answer was the last that was needed', () => {
  expect(readAwaiting({ ...ITEM, joinedBy: STEPS[0] })?.joinedBy).toBe(STEPS[0])
})

it('gives each request, name and external id a step of its own', () => {
  const ids = [
    stepIdOf('found', 'e1', 'r1'),
    stepIdOf('found', 'e1', 'r2'),
    stepIdOf('found', 'e2', 'r1'),
    stepIdOf('lost', 'e1', 'r1'),
    stepIdOf('founde', '1', 'r1'),
  ]
  expect(new Set(ids).size).toBe(ids.length)
})

it('stands beside the record of the run, and keeps answers as texts', () => {
  expect(KEY).toEqual({ pk: 'flow#trip/1', sk: 'await#found#r1' })
  expect(answered('hash')).toBe('answered hash')
})

it('is marked as used once it is over, and not before', async () => {
  const used = async (item: Item): Promise<readonly [string | undefined, Awaiting | undefined]> => {
    const store = documented(memoryStore())
    await store.create([{ ...item, ...KEY }])
    const awaiting = readAwaiting(item)
    const [outcome] = awaiting === undefined ? [] : await store.update([markUsed(awaiting)])
    const [read] = await store.read([KEY])
    return [outcome?.kind, readAwaiting((read?.kind === 'found' && read.item) || {})]
  }
  const over = { ...ITEM, joinedBy: STEPS[1] }
  expect(await used(over)).toMatchObject(['applied', { joinedBy: STEPS[1], used: true }])
  expect(await used(ITEM)).toMatchObject(['refused', { used: false }])
})
