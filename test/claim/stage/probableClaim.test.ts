import { describe, expect, it } from 'vitest'
import { claimStreak } from '../../../src/library/protocol/claim/stage/claimStreak.ts'
import {
  type AnyStageRequest,
  claimWrite,
} from '../../../src/library/protocol/claim/stage/claimWrite.ts'
import { decideStage, decideStart } from '../../../src/library/protocol/claim/stage/decideStage.ts'
import {
  probableClaim,
  wouldHold,
} from '../../../src/library/protocol/claim/stage/claimInRecord.ts'
import {
  readStageRecord,
  type StageRecord,
} from '../../../src/library/protocol/claim/stage/stageRecord.ts'
import { versionOf } from '../../../src/library/protocol/claim/stage/version.ts'
import { applyUpdate } from '../../../src/library/adapters/store/memory/ownItems.ts'
import type { Item } from '../../../src/library/protocol/store/store.ts'
import { GIVE_UP, itemOf, KEY, LIVE, NOW, request } from './given.ts'

const { onConflict: _, ...later } = request({ stage: 'charge', after: 'validate', seen: 3 })
const { epoch: _epoch, ...first } = request()

function decide(record: StageRecord | undefined, asked: AnyStageRequest) {
  return 'epoch' in asked
    ? decideStage(record, asked, NOW)
    : decideStart(record, { ...first, ...asked }, NOW)
}

function claimOf(asked: AnyStageRequest, fence: number | undefined = 7, notBefore = 0) {
  const closing = { now: NOW, retention: 1_000 }
  return probableClaim({ key: KEY, request: asked, notBefore, closing, decide, unread: { fence } })
}

/** The record as the sender of the message has left it. */
const SETTLED: Item = itemOf({
  uniquerequestid: 'r4',
  giveUpAt: GIVE_UP,
  'stage:validate': 'settled on charge',
})

describe('a message of the first stage', () => {
  it('probably has a key that was never used', () => {
    const claim = claimOf(first)
    expect(claim).toMatchObject({ verdict: { kind: 'start' }, write: { kind: 'create' } })
    expect(claim && [wouldHold(claim, undefined), wouldHold(claim, itemOf({}))]).toEqual([
      true,
      false,
    ])
  })

  it.each<[string, Partial<typeof first>, number?]>([
    ['may not run', { refused: true }],
    ['is too old', { giveUpAt: NOW }],
    ['has a record, which is lost', { seen: 2 }],
    ['is not due', {}, LIVE],
  ])('is not tried when it %s', (_why, given, notBefore) => {
    expect(claimOf({ ...first, ...given }, 7, notBefore)).toBeUndefined()
  })
})

describe('a message of a later stage', () => {
  it.each<[string, Partial<typeof later>, number?]>([
    ['may not run', { refused: true }],
    ['is not due', {}, LIVE],
    ['does not say who has sent it', { after: undefined }],
  ])('is not tried when it %s', (_why, given, notBefore) => {
    expect(claimOf({ ...later, ...given }, 7, notBefore)).toBeUndefined()
  })

  it('is not tried when it does not say the fence', () => {
    const closing = { now: NOW, retention: 1_000 }
    const unread = { fence: undefined }
    const asked = { key: KEY, request: later, notBefore: 0, closing, decide, unread }
    expect(probableClaim(asked)).toBeUndefined()
  })

  /** Whatever the record is: a claim that succeeds unread is the claim that a read would have made. */
  const ENTRIES = {
    'stage:validate': [
      'settled on charge',
      'settled on charge ship',
      'settled ends',
      'open 1 a 0 0',
      undefined,
    ],
    'stage:charge': [
      undefined,
      `open 1 theirs ${NOW} 0`,
      'retry 1 theirs 0 0 sent',
      'settled ends',
      'dead 3 terminal',
    ],
    'stage:ship': [undefined, 'open 1 theirs 5 0'],
    uniquerequestid: ['r4', 'r5', undefined],
    epoch: [3, 4],
    fence: [7, 8],
    giveUpAt: [GIVE_UP, NOW],
    process: [undefined, 'every'],
    waiting: [undefined, versionOf(9, 'r9')],
  } as const

  function records(): Item[] {
    let all: Record<string, string | number | undefined>[] = [{}]
    for (const [name, values] of Object.entries(ENTRIES)) {
      all = all.flatMap((one) => values.map((value) => ({ ...one, [name]: value })))
    }
    return all.map(itemOf)
  }

  it.each(['newest', 'every'] as const)('is claimed as after a read, or refused: %s', (process) => {
    const asked = { ...later, process }
    const claim = claimOf(asked)
    if (claim?.write.kind !== 'update') throw new Error('not tried')
    let applied = 0
    for (const item of records()) {
      const outcome = applyUpdate({ ...item, format: 1 }, claim.write.update)
      expect(wouldHold(claim, item)).toBe(outcome.kind === 'applied')
      if (outcome.kind !== 'applied') continue
      applied += 1
      const record = readStageRecord(item)
      const verdict = decideStage(record, asked, NOW)
      expect(verdict.kind).toBe('begin')
      if (verdict.kind !== 'begin') continue
      const ordinary = claimWrite(verdict, asked, KEY)
      if (ordinary.kind !== 'update') throw new Error('not an update')
      expect(outcome).toEqual(applyUpdate({ ...item, format: 1 }, ordinary.update))
    }
    expect(applied).toBe(4)
  })

  it('holds on the record that its sender has left', () => {
    const claim = claimOf(later)
    expect(claim && wouldHold(claim, SETTLED)).toBe(true)
  })
})

it('a claim that is presumed is tried until one is not as expected', () => {
  const streak = claimStreak(true)
  expect(streak.mayTry()).toBe(true)
  streak.note(false)
  expect(streak.mayTry()).toBe(false)
})

it('until the first claim that is presumed is answered, ten are tried and no more', () => {
  const streak = claimStreak(true)
  const tried = Array.from({ length: 12 }, () => streak.mayTry())
  expect(tried.filter(Boolean)).toHaveLength(10)
  streak.note(true)
  expect(Array.from({ length: 12 }, () => streak.mayTry())).not.toContain(false)
})

it('a claim is tried after ten in a row that were as expected', () => {
  const streak = claimStreak(false)
  for (let nth = 0; nth < 9; nth++) streak.note(true)
  expect(streak.mayTry()).toBe(false)
  streak.note(true)
  expect(streak.mayTry()).toBe(true)
  streak.note(false)
  expect(streak.mayTry()).toBe(false)
})
