import { describe, expect, it } from 'vitest'
import {
  claimWrite,
  type ClaimWrite,
  running as runOf,
} from '../../../src/library/protocol/claim/stage/claimWrite.ts'
import {
  writeDrop,
  writeWaiting,
} from '../../../src/library/protocol/claim/stage/decideConflict.ts'
import { INDEX_ATTRIBUTES, indexed } from '../../../src/library/protocol/claim/statusIndex.ts'
import { digestOf, versionOf } from '../../../src/library/protocol/claim/stage/version.ts'
import type { Item, Update } from '../../../src/library/protocol/store/store.ts'
import { GIVE_UP, idle, KEY, NOW, request, running } from './given.ts'
import { deadRunGiven } from './historyGiven.ts'

const LEASE = NOW + 30_000
const OPENED = `open 1 mine ${LEASE} 0`

function updateOf(write: ClaimWrite): Update {
  if (write.kind !== 'update') throw new Error('expected an update')
  return write.update
}

const started: Item = {
  uniquerequestid: 'r5',
  giveUpAt: GIVE_UP,
  newest: versionOf(6, 'r5'),
}
/** Where operators and the sweeper find it. */
const LISTED = indexed(KEY.pk, 'running', GIVE_UP)
const newer = request({ uniqueRequestId: 'r5', sentAt: 6 })
const LEFT = ['ttl', 'applied', 'restored', 'reopened', ...INDEX_ATTRIBUTES]

describe('a run starts', () => {
  it('without a record above all fences that the key may have had', () => {
    const after = { ...newer, first: { epoch: 20, fence: 1_000 } }
    const write = claimWrite({ kind: 'start', record: undefined }, after, KEY)
    expect(write).toMatchObject({ kind: 'create', item: { epoch: 21, fence: 1_001 } })
  })

  it('as an item of its own when there is none', () => {
    const write = claimWrite({ kind: 'start', record: undefined }, newer, KEY)
    const item = { ...KEY, epoch: 1, fence: 1, ...started, 'stage:validate': OPENED }
    expect(write).toEqual({ kind: 'create', item })
  })

  it('with the order of its flow, when that is not the usual one', () => {
    const every = request({ ...newer, process: 'every' })
    const write = claimWrite({ kind: 'start', record: undefined }, every, KEY)
    expect(write).toMatchObject({ kind: 'create', item: { process: 'every' } })
    const update = updateOf(claimWrite({ kind: 'start', record: idle() }, every, KEY))
    expect(update.set).not.toHaveProperty('process')
  })

  it('on the idle record as it was judged, one epoch and one fence on', () => {
    const update = updateOf(claimWrite({ kind: 'start', record: idle() }, newer, KEY))
    expect(update).toEqual({
      key: KEY,
      where: [
        { field: 'epoch', is: '=', value: 3 },
        { field: 'fence', is: '=', value: 7 },
      ],
      set: { epoch: 4, fence: 8, ...started, 'stage:validate': OPENED },
      remove: LEFT,
    })
  })

  it('over a run that it supersedes, of which nothing is left', () => {
    const before = running({ 'stage:charge': 'settled on', 'stage:validate': 'settled on charge' })
    const { remove } = updateOf(claimWrite({ kind: 'start', record: before }, newer, KEY))
    expect(remove).toEqual([...LEFT, 'stage:charge'])
  })

  it('and keeps the newest version when it is an older one, in a flow of every', () => {
    const record = idle({ newest: versionOf(9, 'r9') })
    const { set } = updateOf(claimWrite({ kind: 'start', record }, newer, KEY))
    expect(set?.['newest']).toBe(versionOf(9, 'r9'))
  })

  it.each([
    ['an older one, which waits no more', versionOf(5, 'r9'), [...LEFT, 'waiting']],
    ['itself', versionOf(6, 'r5'), [...LEFT, 'waiting']],
    ['a newer one, which waits on', versionOf(7, 'r1'), LEFT],
  ])('while there waits %s', (_, waiting, remove) => {
    const update = updateOf(claimWrite({ kind: 'start', record: idle({ waiting }) }, newer, KEY))
    expect(update.remove).toEqual(remove)
  })
})

describe('a dead run is reopened', () => {
  const back = request({ death: 3 })
  const marks = { restored: '["charge:sale"]', reopened: true }
  const dead = deadRunGiven({ price: 'settled on validate', validate: 'dead 3 terminal' })
  const stages = { 'stage:price': 'settled on validate', 'stage:validate': OPENED }
  const again = { ...started, ...LISTED, uniquerequestid: 'r4', newest: versionOf(5, 'r4') }

  it('with its marks and settled stages, its own stage opened afresh', () => {
    const update = updateOf(
      claimWrite({ kind: 'reopen', record: idle(), deadRun: dead }, back, KEY),
    )
    expect(update.set).toEqual({ ...again, ...stages, ...marks, epoch: 4, fence: 8 })
    expect(update.remove).toEqual(['ttl', 'applied'])
  })

  it('beyond its stored state, when the record is gone', () => {
    const verdict = { kind: 'reopen', record: undefined, deadRun: dead } as const
    const item = { ...KEY, ...again, ...stages, ...marks, epoch: 4, fence: 7 }
    expect(claimWrite(verdict, back, KEY)).toEqual({ kind: 'create', item })
  })

  it('beyond its stored state, when the record began anew', () => {
    const record = idle({ epoch: 1, fence: 2 })
    const { set } = updateOf(claimWrite({ kind: 'reopen', record, deadRun: dead }, back, KEY))
    expect(set).toMatchObject({ epoch: 4, fence: 7 })
  })
})

describe('a stage is claimed, and after its first attempt the run is listed', () => {
  const sameRun = [
    { field: 'uniquerequestid', is: '=', value: 'r4' },
    { field: 'epoch', is: '=', value: 3 },
    { field: 'fence', is: '=', value: 7 },
  ]
  const claim = (kind: 'begin' | 'takeOver' | 'revive', entry?: string): Update =>
    updateOf(
      claimWrite(
        { kind, record: running(entry === undefined ? {} : { 'stage:validate': entry }) },
        request(),
        KEY,
      ),
    )

  it('for the first time while no other attempt has it', () => {
    expect(claim('begin')).toEqual({
      key: KEY,
      where: [...sameRun, { absent: 'stage:validate' }],
      set: { fence: 8, 'stage:validate': OPENED },
    })
  })

  it.each([
    ['a lost attempt', `open 1 theirs ${NOW} 4`, `open 2 mine ${LEASE} 4`],
    ['a retry that is due', `retry 2 theirs ${NOW} 4 sent`, `open 3 mine ${LEASE} 4`],
    ['a released attempt', `retry 0 theirs 0 4 unsent`, `open 1 mine ${LEASE} 4`],
  ])('from %s, as it was judged', (_, before, after) => {
    expect(claim('takeOver', before)).toEqual({
      key: KEY,
      where: [...sameRun, { field: 'stage:validate', is: '=', value: before }],
      set: { fence: 8, 'stage:validate': after, ...LISTED },
    })
  })

  it('from the dead, with a fresh budget', () => {
    const update = claim('revive', 'dead 3 terminal')
    expect(update.set).toEqual({ fence: 8, 'stage:validate': OPENED, reopened: true, ...LISTED })
  })

  it.each([
    ['lost', `open 2 theirs ${NOW} 4`, 2],
    ['waiting', `retry 3 theirs ${NOW} 4 sent`, 3],
    ['dying', `dying 1 theirs ${NOW} unknown`, 1],
    ['not claimed', undefined, 0],
  ])('for dead-lettering, which counts no attempt: %s', (_, before, attempt) => {
    const record = running(before === undefined ? {} : { 'stage:validate': before })
    const verdict = { kind: 'deadLetter', record, because: 'too old' } as const
    const { set } = updateOf(claimWrite(verdict, request(), KEY))
    const entry = `dying ${attempt} mine ${LEASE} too old`
    expect(set).toEqual({ fence: 8, 'stage:validate': entry, ...LISTED })
  })

  it('never in an idle flow', () => {
    expect(() => runOf(idle())).toThrow(`${KEY.pk} is idle`)
  })
})

describe('a request that may not have the flow', () => {
  const busy = [{ field: 'epoch', is: '=', value: 3 }, { exists: 'uniquerequestid' }]

  it('is remembered as dropped while the flow is busy', () => {
    expect(writeDrop(running(), 'r5')).toEqual({
      key: KEY,
      where: [...busy, { absent: 'dropped' }],
      set: { dropped: digestOf('r5') },
      needsNoItem: true,
    })
  })

  it('is remembered beside the last fifteen, the oldest forgotten', () => {
    const ids = Array.from({ length: 16 }, (_, index) => digestOf(`r${index + 10}`))
    const { where, set } = writeDrop(running({ dropped: ids.join('') }), 'r5')
    expect(where).toEqual([...busy, { field: 'dropped', is: '=', value: ids.join('') }])
    expect(set).toEqual({ dropped: [...ids.slice(1), digestOf('r5')].join('') })
  })

  it.each([
    [undefined, { absent: 'waiting' }],
    [versionOf(5, 'r3'), { field: 'waiting', is: '=', value: versionOf(5, 'r3') }],
  ])('waits as the newest, as no newer request waits: %s', (waiting, asSeen) => {
    const record = running(waiting === undefined ? {} : { waiting })
    expect(writeWaiting(record, newer)).toEqual({
      key: KEY,
      where: [...busy, asSeen],
      set: { waiting: versionOf(6, 'r5') },
    })
  })
})

describe('the status index', () => {
  it('is spread over eight shards, each key always on the same one', () => {
    const keys = Array.from({ length: 400 }, (_, index) => `flow#f/${index}`)
    const shards = keys.map((pk) => indexed(pk, 'running', 5).statusShard)
    const expected = Array.from({ length: 8 }, (_, shard) => `running#${shard}`)
    expect([...new Set(shards)].toSorted()).toEqual(expected)
    expect(indexed('flow#f/1', 'running', 6).statusShard).toBe(shards[1])
  })

  it('does not move a key to another shard from version to version', () => {
    expect(indexed('flow#checkout/cart/1', 'dead', 5)).toEqual({ statusShard: 'dead#3', dueAt: 5 })
    expect(INDEX_ATTRIBUTES).toEqual(['statusShard', 'dueAt'])
  })
})
