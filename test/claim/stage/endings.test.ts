import { describe, expect, it } from 'vitest'
import {
  endRun,
  readEndedRequest,
  endedRequestKey,
  REMEMBERED_ENDS,
} from '../../../src/library/protocol/claim/stage/endRun.ts'
import {
  decideAbandon,
  resetFromOutside,
} from '../../../src/library/protocol/claim/stage/abandonRun.ts'
import { judgeRunProgress } from '../../../src/library/protocol/claim/stage/runProgress.ts'
import { deadRunKey } from '../../../src/library/protocol/claim/stage/deadRun.ts'
import { indexed } from '../../../src/library/protocol/claim/statusIndex.ts'
import {
  type RequestEnd,
  type EndKind,
  writeEnds,
} from '../../../src/library/protocol/claim/stage/stageRecord.ts'
import { digestOf, versionOf } from '../../../src/library/protocol/claim/stage/version.ts'
import { type Given, idle, KEY, LIVE, NOW, running } from './given.ts'

/** A day and half a second: `ttl` counts whole seconds, rounded up. */
const closing = { now: NOW, retention: 86_400_500 } as const
const TTL = 87_401
/** A dead letter can be redriven for 30 days. */
const DEAD_TTL = 1_000 + 30 * 86_400
const SAME = [
  { field: 'uniquerequestid', is: '=', value: 'r4' },
  { field: 'epoch', is: '=', value: 3 },
  { field: 'fence', is: '=', value: 7 },
]
const OF_THE_RUN = ['uniquerequestid', 'giveUpAt', 'reopened']
const INDEX = ['statusShard', 'dueAt']
const ended = (as: EndKind, id = 'r4'): RequestEnd => ({ digest: digestOf(id), as })

function close(as: EndKind, given: Given = {}, more: object = {}): ReturnType<typeof endRun> {
  const record = running(given)
  return endRun(record, record.run, { as, stages: record.run.stages }, { ...closing, ...more })
}

describe('the end of a run', () => {
  it('is one write: the next epoch, its end remembered, and of the run the names of its effects only', () => {
    expect(close('completed', { 'stage:validate': 'settled ends' })).toEqual({
      as: 'completed',
      remember: [],
      park: undefined,
      finish: {
        key: KEY,
        where: SAME,
        set: { epoch: 4, last: writeEnds([ended('completed')]), ttl: TTL },
        remove: [...OF_THE_RUN, ...INDEX, 'stage:validate'],
        needsNoItem: true,
      },
    })
  })

  it('holds only while what else it rests on holds', () => {
    const record = running()
    const { stages } = record.run
    const own = [{ absent: 'stage:validate' }]
    const { finish } = endRun(record, record.run, { as: 'reset', stages }, closing, own)
    expect(finish.where).toEqual([...SAME, ...own])
  })

  it('closes what is kept of its death, before its reset, when it was reopened and succeeds', () => {
    const key = deadRunKey(KEY, 'r4')
    const where = [{ field: 'fence', is: '<=', value: 7 }]
    const { close: closing, deadRun } = close('completed', { reopened: true })
    expect(closing).toEqual({ key, where, set: { ttl: TTL }, remove: INDEX })
    expect(deadRun).toBeUndefined()
    expect(close('dead', { reopened: true }).close).toBeUndefined()
  })

  it('stores a dead request without an error when there was none', () => {
    expect(close('dead').deadRun?.create).not.toHaveProperty('error')
    expect(close('dead').deadRun?.update.set).not.toHaveProperty('error')
  })

  it.each([{}, { error: 'no such cart' }])('stores a dead request: %o', (error) => {
    const given = { 'stage:validate': 'dead 3 terminal', restored: '["validate:reserve"]' }
    const key = deadRunKey(KEY, 'r4')
    const content = {
      uniquerequestid: 'r4',
      epoch: 3,
      fence: 7,
      created: '1970-01-01T00:16:40.000Z',
      continuable: expect.any(Number),
      ...given,
      ...error,
      ...indexed(KEY.pk, 'dead', NOW),
    }
    expect(close('dead', given, error).deadRun).toEqual({
      create: { ...key, ...content },
      update: {
        key,
        where: [{ field: 'fence', is: '<', value: 7 }],
        set: content,
        remove: ['ttl', 'dropped'],
      },
    })
  })
})

describe('a flow with process every remembers the requests that have ended', () => {
  const before = Array.from({ length: REMEMBERED_ENDS }, (_, index) =>
    ended('completed', `a${index}`),
  )
  const every = { process: 'every' }

  it('on the record, as long as there is room', () => {
    const given = { ended: writeEnds(before.slice(1)) }
    const { finish, remember } = close('reset', { ...given, ...every })
    expect(finish.set?.['ended']).toBe(writeEnds([...before.slice(1), ended('reset')]))
    expect(remember).toEqual([])
  })

  it('in items of their own, once it is full; the one that ends now stays', () => {
    const died = [...before.slice(1), ended('dead', 'a0')]
    const { finish, remember } = close('completed', { ended: writeEnds(died), ...every })
    expect(finish.set).toMatchObject({
      ended: writeEnds([ended('completed')]),
      forgotten: versionOf(5, 'r4'),
    })
    expect(remember).toHaveLength(REMEMBERED_ENDS)
    const key = endedRequestKey(KEY, digestOf('a0'))
    expect(remember.at(-1)).toEqual({
      create: { ...key, as: 'dead', ttl: DEAD_TTL },
      update: {
        key,
        where: [
          {
            any: [
              { field: 'as', is: '=', value: 'dead' },
              { field: 'ttl', is: '<=', value: NOW / 1_000 },
            ],
          },
        ],
        set: { as: 'dead', ttl: DEAD_TTL },
      },
    })
  })

  it('and forgets no version when none is known', () => {
    const given = { ended: writeEnds(before), newest: undefined }
    expect(close('completed', { ...given, ...every }).finish.set).not.toHaveProperty('forgotten')
  })

  it('which a flow with process newest does not', () => {
    const { finish, remember } = close('completed', { ended: writeEnds(before) })
    expect(finish.set).not.toHaveProperty('ended')
    expect(remember).toEqual([])
  })

  it.each([
    [undefined, undefined],
    [{ as: 'completed' }, 'completed'],
    [{ as: 'reset' }, 'reset'],
    [{ as: 'dead' }, 'dead'],
    [{ as: 'paused' }, undefined],
  ])('by a receipt that is read as it was written: %j', (item, as) => {
    expect(readEndedRequest(item)).toBe(as)
  })

  it('under the key of the flow', () => {
    expect(endedRequestKey(KEY, 'digest')).toEqual({ pk: KEY.pk, sk: 'done#digest' })
  })
})

describe('the join', () => {
  const fence = { field: 'fence', is: '=', value: 7 }
  const open = `open 1 a ${NOW} 0`

  it.each<[string, Given, object]>([
    ['ends in one', { 'stage:a': 'settled on b', 'stage:b': 'settled ends' }, { kind: 'complete' }],
    [
      'ends in one of two',
      { 'stage:a': 'settled ends', 'stage:b': 'settled on' },
      { kind: 'complete' },
    ],
    ['dies in one', { 'stage:a': 'settled ends', 'stage:b': 'dead 3 terminal' }, { kind: 'dead' }],
    ['ends nowhere', { 'stage:a': 'settled on' }, { kind: 'open', because: fence }],
    ['has not begun', {}, { kind: 'open', because: fence }],
    [
      'is at work',
      { 'stage:a': 'settled ends', 'stage:b': open },
      { kind: 'open', because: { field: 'stage:b', is: '=', value: open } },
    ],
    [
      'dies in one and is at work in the other',
      { 'stage:a': 'dead 3 terminal', 'stage:b': open },
      { kind: 'open', because: { field: 'stage:b', is: '=', value: open } },
    ],
    [
      'died in one and waits for what the other handed on',
      { 'stage:a': 'dead 3 terminal', 'stage:b': 'settled on c' },
      { kind: 'open', because: { absent: 'stage:c' } },
    ],
    [
      'waits for what was handed on',
      { 'stage:a': 'settled on b c', 'stage:b': 'settled ends' },
      { kind: 'open', because: { absent: 'stage:c' } },
    ],
  ])('of a run that %s', (_, given, join) => {
    const record = running(given)
    expect(judgeRunProgress(record, record.run.stages)).toEqual(join)
  })
})

describe('giving up', () => {
  const over: Given = { giveUpAt: NOW }

  it.each<[string, Given]>([
    ['has time left', { giveUpAt: LIVE }],
    ['may be at work', { ...over, 'stage:validate': `open 1 a ${LIVE} 0` }],
  ])('keeps a run that %s', (_, given) => {
    expect(decideAbandon(running(given), closing)).toEqual({ kind: 'keep' })
  })

  it('keeps an idle flow', () => {
    expect(decideAbandon(idle(), closing)).toEqual({ kind: 'keep' })
  })

  it('first fences the attempts that may still run, over exactly the record that was judged', () => {
    const left = { 'stage:a': `open 1 x ${NOW} 0`, 'stage:b': `dying 1 x ${NOW} unknown` }
    const given = { ...over, 'stage:c': 'settled on a', ...left }
    expect(decideAbandon(running(given), closing)).toEqual({
      kind: 'abandon',
      update: {
        key: KEY,
        where: [
          ...SAME,
          ...Object.entries(left).map(([field, value]) => ({ field, is: '=', value })),
        ],
        set: { fence: 8, 'stage:a': 'dead 3 abandoned', 'stage:b': 'dead 3 abandoned' },
      },
    })
  })

  it.each<[string, Given, EndKind]>([
    ['nothing began', {}, 'dead'],
    ['a message is lost', { 'stage:a': 'settled on b' }, 'dead'],
    ['one died', { 'stage:a': 'dead 3 terminal' }, 'dead'],
    ['all is done', { 'stage:a': 'settled ends' }, 'completed'],
  ])('ends a run with no live attempt: %s', (_, given, as) => {
    const giving = decideAbandon(running({ ...over, ...given }), closing)
    expect(giving).toEqual({ kind: 'end', ending: close(as, { ...over, ...given }) })
  })

  it('resets a run from outside at any time, also while an attempt runs', () => {
    const given = { 'stage:validate': `open 1 a ${LIVE} 0` }
    expect(resetFromOutside(running(given), closing)).toEqual(close('reset', given))
    expect(resetFromOutside(idle(), closing)).toBeUndefined()
  })
})
