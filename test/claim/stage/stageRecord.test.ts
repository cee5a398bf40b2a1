import { describe, expect, it } from 'vitest'
import { deadRunKey, readDeadRun } from '../../../src/library/protocol/claim/stage/deadRun.ts'
import {
  readStageRecord,
  recordKey,
  sameRun,
  writeEnds,
} from '../../../src/library/protocol/claim/stage/stageRecord.ts'
import { digestOf, versionOf } from '../../../src/library/protocol/claim/stage/version.ts'
import type { Item } from '../../../src/library/protocol/store/store.ts'

const KEY = recordKey('checkout', 'cart/1')
const IDLE: Item = { ...KEY, epoch: 3, fence: 7 }
const ENDS = [
  { digest: digestOf('r1'), as: 'completed' },
  { digest: digestOf('r2'), as: 'dead' },
  { digest: digestOf('r3'), as: 'reset' },
] as const
const RUNNING: Item = {
  ...IDLE,
  uniquerequestid: 'r4',
  giveUpAt: 86_400_000,
  newest: versionOf(5, 'r4'),
  waiting: versionOf(6, 'r5'),
  dropped: digestOf('r0') + digestOf('r9'),
  ended: writeEnds(ENDS),
  forgotten: versionOf(1, 'r0'),
  last: writeEnds(ENDS.slice(0, 1)),
  'stage:validate': 'settled on charge',
  'stage:charge': 'open 2 01J 5000 1',
  applied: new Set(['charge:sale']),
  restored: '["validate:reserve"]',
  reopened: true,
}

describe('a stage record', () => {
  it('is read when idle', () => {
    expect(readStageRecord(IDLE)).toEqual({
      key: KEY,
      process: 'newest',
      epoch: 3,
      fence: 7,
      run: undefined,
      newest: undefined,
      waiting: undefined,
      dropped: [],
      ended: [],
      forgotten: undefined,
      last: undefined,
    })
  })

  it.each(['newest', 'every'])('says the process of all its runs: %s', (process) => {
    expect(readStageRecord({ ...IDLE, process })?.process).toBe(process)
  })

  it('is read whole while a request runs', () => {
    const record = readStageRecord(RUNNING)
    expect(record).toMatchObject({
      newest: versionOf(5, 'r4'),
      waiting: versionOf(6, 'r5'),
      dropped: [digestOf('r0'), digestOf('r9')],
      ended: ENDS,
      forgotten: versionOf(1, 'r0'),
      last: ENDS[0],
      run: { uniqueRequestId: 'r4', giveUpAt: 86_400_000, reopened: true },
    })
    expect([...(record?.run?.stages.keys() ?? [])]).toEqual(['validate', 'charge'])
    expect([...(record?.run?.marks ?? [])]).toEqual(['charge:sale', 'validate:reserve'])
  })

  it.each<[string, Item]>([
    ['no partition key', { ...IDLE, pk: 7 }],
    ['no sort key', { ...IDLE, sk: 7 }],
    ['a process of a newer version', { ...IDLE, process: 'oldest' }],
    ['no epoch', { ...KEY, fence: 1 }],
    ['a fence of a wrong type', { ...IDLE, fence: '7' }],
    ['a negative epoch', { ...IDLE, epoch: -1 }],
    ['an epoch that is no number', { ...IDLE, epoch: Number.NaN }],
    ['a stage of a newer version', { ...RUNNING, 'stage:charge': 'paused 1' }],
    ['a stage that is a number', { ...RUNNING, 'stage:charge': 5 }],
    ['stages without a request', { ...IDLE, 'stage:charge': 'settled ends' }],
    ['a request without its time', { ...IDLE, uniquerequestid: 'r4' }],
    ['a request id of a wrong type', { ...RUNNING, uniquerequestid: 4 }],
    ['marks that are a text', { ...RUNNING, applied: 'charge:sale' }],
    ['restored marks that are no JSON', { ...RUNNING, restored: '[' }],
    ['restored marks that are no list', { ...RUNNING, restored: '{}' }],
    ['restored marks of numbers', { ...RUNNING, restored: '[1]' }],
    ['digests of another width', { ...RUNNING, dropped: 'short' }],
    ['dropped ones of a wrong type', { ...RUNNING, dropped: 4 }],
    ['ends of another width', { ...RUNNING, ended: 'short' }],
    ['a last end of a wrong type', { ...RUNNING, last: 5 }],
    ['a version in other words', { ...RUNNING, waiting: 'tomorrow' }],
    ['an end of a newer version', { ...RUNNING, ended: `${digestOf('r1')}z` }],
    ['a version of a wrong type', { ...RUNNING, newest: 5 }],
    ['another number of fingerprints than of ends', { ...RUNNING, payloads: '-'.repeat(12 * 9) }],
  ])('with %s is refused: it must never be run as if it were idle', (_, item) => {
    expect(readStageRecord(item)).toBeUndefined()
  })

  it('may be at its first epoch, and was perhaps never reopened', () => {
    const record = readStageRecord({ ...RUNNING, epoch: 0, fence: 0, reopened: false })
    expect(record).toMatchObject({ epoch: 0, fence: 0, run: { reopened: false } })
  })

  it('stands under its flow and key, and remembers ends as they were written', () => {
    expect(recordKey('checkout', 'cart/1')).toEqual({ pk: 'flow#checkout/cart/1', sk: 'stage' })
    expect(readStageRecord({ ...IDLE, ended: writeEnds(ENDS) })?.ended).toEqual(ENDS)
    expect(writeEnds(ENDS)).toBe(`${digestOf('r1')}c${digestOf('r2')}d${digestOf('r3')}r`)
  })

  it('is the same run while request and epoch are', () => {
    const record = readStageRecord(RUNNING)
    const conditions = record?.run && sameRun(record, record.run)
    expect(conditions).toEqual([
      { field: 'uniquerequestid', is: '=', value: 'r4' },
      { field: 'epoch', is: '=', value: 3 },
    ])
  })

  it('lets fields of a newer version be', () => {
    expect(readStageRecord({ ...RUNNING, colour: 'red' })).toEqual(readStageRecord(RUNNING))
  })
})

describe('a dead request', () => {
  const PARKED: Item = {
    ...deadRunKey(KEY, 'r4'),
    uniquerequestid: 'r4',
    epoch: 3,
    fence: 7,
    restored: '["charge:sale"]',
    'stage:charge': 'dead 3 terminal',
  }

  it('is read', () => {
    expect(readDeadRun(PARKED)).toMatchObject({ uniqueRequestId: 'r4', epoch: 3, fence: 7 })
    expect(readDeadRun(PARKED)?.stages.get('charge')).toEqual({
      status: 'dead',
      epoch: 3,
      reason: 'terminal',
    })
  })

  it.each<[string, Item]>([
    ['no request', { ...PARKED, uniquerequestid: 1 }],
    ['no fence', { ...PARKED, fence: '7' }],
    ['marks that cannot be read', { ...PARKED, restored: '7' }],
    ['a stage that cannot be read', { ...PARKED, 'stage:charge': 'dead 3 bored' }],
  ])('with %s is refused', (_, item) => {
    expect(readDeadRun(item)).toBeUndefined()
  })
})
