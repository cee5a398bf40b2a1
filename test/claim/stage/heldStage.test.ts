import { describe, expect, it } from 'vitest'
import {
  holdStage,
  explainRefusedWrite,
  answerItem,
  answerKey,
  callState,
  isApplied,
  addStageEffect,
  markNotDone,
  markStarted,
  withEffect,
} from '../../../src/library/protocol/claim/stage/heldStage.ts'
import {
  type HeldStage,
  stageOwnedBy,
} from '../../../src/library/protocol/claim/stage/stageOwnedBy.ts'
import {
  deadEntry,
  settleStage,
  resentEntry,
  dyingEntry,
  releasedEntry,
  waitingEntry,
  resendingEntry,
} from '../../../src/library/protocol/claim/stage/endAttempt.ts'
import type { DyingEntry } from '../../../src/library/protocol/claim/stage/stageEntry.ts'
import { endRun } from '../../../src/library/protocol/claim/stage/endRun.ts'
import type { Item } from '../../../src/library/protocol/store/store.ts'
import { type Given, GIVE_UP, idle, itemOf, KEY, LIVE, NOW, running } from './given.ts'

const OPEN = `open 2 mine ${LIVE} 4`
const STAGE = 'stage:validate'
const RUN = [
  { field: 'uniquerequestid', is: '=', value: 'r4' },
  { field: 'epoch', is: '=', value: 3 },
]
const MINE = [...RUN, { field: STAGE, is: '=', value: OPEN }]

function held(given: Given = {}): HeldStage {
  const found = holdStage(running({ [STAGE]: OPEN, ...given }), 'validate', 'mine')
  if (found?.entry.status !== 'open') throw new Error('not held')
  return found as HeldStage
}

describe('who holds a stage', () => {
  it.each<[string, Given]>([
    ['no attempt claimed it', {}],
    ['another attempt has it', { [STAGE]: `open 2 theirs ${LIVE} 4` }],
    ['it is settled', { [STAGE]: 'settled on' }],
    ['it waits for a retry', { [STAGE]: `retry 2 mine ${LIVE} 4 sent` }],
  ])('is another attempt: %s', (_, given) => {
    expect(holdStage(running(given), 'validate', 'mine')).toBeUndefined()
  })

  it('is no attempt in an idle flow', () => {
    expect(holdStage(idle(), 'validate', 'mine')).toBeUndefined()
  })

  it.each([OPEN, `dying 2 mine ${LIVE} unknown`])('is this attempt: %s', (entry) => {
    const record = running({ [STAGE]: entry })
    const found = holdStage(record, 'validate', 'mine')
    expect(found).toEqual({
      record,
      run: record.run,
      stage: 'validate',
      entry: record.run.stages.get('validate'),
    })
    expect(found && stageOwnedBy(found)).toEqual([...RUN, { field: STAGE, is: '=', value: entry }])
  })
})

describe('a write of the holder', () => {
  const written = (value: string): object => ({
    key: KEY,
    where: MINE,
    set: { [STAGE]: value },
    needsNoItem: true,
  })

  it('gives the retry its number, before the copy is sent', () => {
    expect(resendingEntry(held(), 5, LIVE)).toEqual(written(`retry 2 mine ${LIVE} 5 unsent`))
  })

  it('confirms the resend, over its own resend number only', () => {
    const value = `retry 2 mine ${LIVE} 5 unsent`
    expect(resentEntry(held(), 5, LIVE)).toEqual({
      key: KEY,
      where: [...RUN, { field: STAGE, is: '=', value }],
      set: { [STAGE]: `retry 2 mine ${LIVE} 5 sent` },
      needsNoItem: true,
    })
  })

  it('waits for the same copy', () => {
    expect(waitingEntry(held(), LIVE)).toEqual(written(`retry 2 mine ${LIVE} 4 unsent`))
  })

  it('returns what it did not start: the attempt does not count', () => {
    expect(releasedEntry(held())).toEqual(written('retry 1 mine 0 4 unsent'))
  })

  it('dies for a reason, under its lease', () => {
    expect(dyingEntry(held(), 'unknown')).toEqual(written(`dying 2 mine ${LIVE} unknown`))
  })
})

describe('leaving a stage', () => {
  const closing = { now: NOW, retention: 1_000 } as const

  it('only leaves while another stage keeps the run open', () => {
    const other = `open 1 other ${LIVE} 0`
    const holder = held({ 'stage:price': other })
    const end = { ends: true, sentTo: ['price'] }
    expect(settleStage(holder, end, closing)).toEqual({
      kind: 'leave',
      update: {
        key: KEY,
        where: [...MINE, { field: 'stage:price', is: '=', value: other }],
        set: { [STAGE]: 'settled ends price' },
        needsNoItem: true,
      },
    })
  })

  it('ends the run as the last open stage', () => {
    const holder = held()
    const leaving = settleStage(holder, { ends: true, sentTo: [] }, closing)
    const stages = new Map(running({ [STAGE]: 'settled ends' }).run.stages)
    const end = { as: 'completed', stages } as const
    const ending = endRun(holder.record, holder.run, end, closing, stageOwnedBy(holder))
    expect(leaving).toEqual({ kind: 'end', ending })
  })

  it('ends the run as dead once its dead letter was accepted', () => {
    const entry = `dying 2 mine ${LIVE} unknown`
    const record = running({ [STAGE]: entry })
    const holder = holdStage(record, 'validate', 'mine')
    if (holder?.entry.status !== 'dying') throw new Error('not dying')
    const leaving = deadEntry(holder as HeldStage<DyingEntry>, closing)
    const stages = new Map(running({ [STAGE]: 'dead 3 unknown' }).run.stages)
    const end = { as: 'dead', stages } as const
    const ending = endRun(record, record.run, end, closing, stageOwnedBy(holder))
    expect(leaving).toEqual({ kind: 'end', ending })
    expect(ending.deadRun?.create).toMatchObject({ [STAGE]: 'dead 3 unknown' })
  })
})

describe('what a stage has done', () => {
  const mark = (member: string): object => ({
    key: KEY,
    where: [...MINE, { field: 'applied', lacks: member }],
    addTo: { field: 'applied', member },
  })

  it('is marked once, by stage and name', () => {
    expect(addStageEffect(held(), 'sale')).toEqual(mark('validate:sale'))
    expect(isApplied(held({ applied: new Set(['validate:sale']) }), 'sale')).toBe(true)
    expect(isApplied(held({ applied: new Set(['charge:sale']) }), 'sale')).toBe(false)
  })

  it('is seen by the holder as soon as it is marked', () => {
    const before = held({ applied: new Set(['validate:a']) })
    const after = withEffect(before, addStageEffect(before, 'sale'))
    expect([...after.run.marks]).toEqual(['validate:a', 'validate:sale'])
    expect(after).toEqual({ ...before, run: { ...before.run, marks: after.run.marks, applied: 2 } })
    expect(withEffect(before, { key: KEY, where: [] })).toBe(before)
  })

  it('counts the calls that were started, and those that were certainly not made', () => {
    expect(markStarted(held(), 'pay', 2)).toEqual(mark('validate?2:pay'))
    expect(markNotDone(held(), 'pay', 2)).toEqual(mark('validate!2:pay'))
  })

  it.each<[string[], object]>([
    [[], { kind: 'never' }],
    [['validate?1:other'], { kind: 'never' }],
    [['validate?2:pay'], { kind: 'never' }],
    [['validate?1:pay'], { kind: 'inDoubt', nth: 1 }],
    [['validate?1:pay', 'validate!1:pay'], { kind: 'notDone', nth: 1 }],
    [['validate?1:pay', 'validate!1:pay', 'validate?2:pay'], { kind: 'inDoubt', nth: 2 }],
  ])('reports the state of a call whose marks are %j', (marks, state) => {
    const applied = marks.length === 0 ? {} : { applied: new Set(marks) }
    expect(callState(held(applied), 'pay')).toEqual(state)
  })

  it('stores a result in an item of its own, by request, stage and name', () => {
    const key = { pk: KEY.pk, sk: 'answer#r4#validate:pay' }
    expect(answerKey(held(), 'pay')).toEqual(key)
    expect(answerItem(held(), 'pay', '{}', 1_500)).toEqual({ ...key, answer: '{}', ttl: 2 })
  })

  it('under a key that no other request, stage and name share', () => {
    const of = (uniqueRequestId: string, stage: string, name: string): string => {
      const { record, run, ...more } = held()
      return answerKey({ ...more, record, run: { ...run, uniqueRequestId }, stage }, name).sk
    }
    const long = '#'.repeat(255)
    const keys = [
      of('7', 'pay', 'line#book:card'),
      of('7#pay:line', 'book', 'card'),
      of('7%23pay:line', 'book', 'card'),
      of(`${long}1`, 'book', 'card'),
      of(`${long}2`, 'book', 'card'),
    ]
    expect(new Set(keys).size).toBe(keys.length)
    const longest = of('i'.repeat(256), 's'.repeat(128), '口'.repeat(255))
    expect(of('7', 'pay', longest.split(':')[1] ?? '')).not.toContain(`:${longest.split(':')[1]}`)
    expect(Buffer.byteLength(longest)).toBeLessThanOrEqual(1_024)
  })
})

describe('a refused write', () => {
  const item = (more: Given = {}): Item =>
    itemOf({ uniquerequestid: 'r4', giveUpAt: GIVE_UP, [STAGE]: OPEN, ...more })
  const next = resendingEntry(held(), 5, LIVE)
  const kindOf = (
    update: Parameters<typeof explainRefusedWrite>[1],
    found: Item | undefined,
  ): string => explainRefusedWrite(held(), update, found).kind

  it.each<[string, Item | undefined, string]>([
    ['nothing is there', undefined, 'gone'],
    ['what is there cannot be read', { ...item(), epoch: 'x' }, 'unreadable'],
    ['another request has the flow', item({ uniquerequestid: 'r5' }), 'gone'],
    ['a later run of mine has it', item({ epoch: 4 }), 'gone'],
    ['the flow is idle', itemOf({}), 'gone'],
    ['another attempt has the stage', item({ [STAGE]: `open 3 theirs ${LIVE} 4` }), 'gone'],
    ['no attempt has claimed the stage', item({ [STAGE]: undefined }), 'gone'],
    ['mine still', item(), 'mine'],
    ['my own write', item({ [STAGE]: `retry 2 mine ${LIVE} 5 unsent` }), 'written'],
  ])('when %s', (_, found, kind) => {
    expect(kindOf(next, found)).toBe(kind)
  })

  it('shows the record on which to decide again', () => {
    const { record } = held()
    expect(explainRefusedWrite(held(), next, item())).toEqual({ kind: 'mine', record })
    const other = item({ uniquerequestid: 'r5' })
    expect(explainRefusedWrite(held(), next, other)).toMatchObject({
      kind: 'gone',
      record: { run: { uniqueRequestId: 'r5' } },
    })
    expect(explainRefusedWrite(held(), next, undefined)).toEqual({
      kind: 'gone',
      record: undefined,
    })
  })

  it('was applied only if all that it sets and removes is there', () => {
    const both = { key: KEY, where: [], set: { fence: 7, last: 'x' }, remove: ['ttl', 'waiting'] }
    expect(kindOf(both, item())).toBe('mine')
    expect(kindOf({ ...both, set: { fence: 7 } }, item())).toBe('written')
    expect(kindOf({ ...both, set: { fence: 7 } }, item({ ttl: 5 }))).toBe('mine')
  })

  it('was applied if its mark is there, and the stage is still held by this attempt', () => {
    const update = addStageEffect(held(), 'sale')
    const marked = { applied: new Set(['validate:sale']) }
    expect(kindOf(update, item(marked))).toBe('written')
    expect(kindOf(update, item({ applied: new Set(['validate:other']) }))).toBe('mine')
    expect(kindOf(update, item())).toBe('mine')
    expect(kindOf(update, item({ ...marked, [STAGE]: `open 3 theirs ${LIVE} 4` }))).toBe('gone')
  })
})
