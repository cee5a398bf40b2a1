import { describe, expect, it } from 'vitest'
import { itemStore, type ItemStore } from '../../../src/claim/itemStore.ts'
import { STARTED } from '../../../src/claim/hold.ts'
import { claimWrite } from '../../../src/claim/stage/claimWrite.ts'
import { type DeadRun, reopening } from '../../../src/claim/stage/deadRun.ts'
import { decideRedrive } from '../../../src/claim/stage/decideEntry.ts'
import { decideStage, decideStart } from '../../../src/claim/stage/decideStage.ts'
import { endRun } from '../../../src/claim/stage/endRun.ts'
import { fingerprintOf, digestOf } from '../../../src/claim/stage/version.ts'
import { type HeldStage, holdStage, answerItem } from '../../../src/claim/stage/heldStage.ts'
import { StageHold } from '../../../src/claim/stage/stageHold.ts'
import { writeEnding } from '../../../src/claim/stage/writeEnding.ts'
import { memoryStore } from '../../../src/store/memory/memoryStore.ts'
import { type Given, idle, KEY, LIVE, NOW, request, running } from './given.ts'
import { deadRunGiven, historyGiven } from './historyGiven.ts'

describe('the dead letter of a request', () => {
  const redriven = (more: Partial<DeadRun>) =>
    decideRedrive(
      idle({ last: `${digestOf('r4')}d` }),
      request({
        death: 3,
        history: historyGiven({
          deadRun: { ...deadRunGiven({ validate: 'dead 3 terminal' }), ...more },
        }),
      }),
      NOW,
    )

  it('reopens its run', () => {
    expect(redriven({}).kind).toBe('reopen')
  })

  it.each(['due', 'sent', 'undone'] as const)('whose undo is %s runs no more', (undo) => {
    expect(redriven({ undo })).toEqual({ kind: 'over', as: 'undone' })
  })

  it('whose reopened run has ended is a duplicate', () => {
    expect(redriven({ reopened: 'ended' })).toEqual({ kind: 'over', as: 'duplicate' })
  })

  it('reopens a run with effects to undo only when no undo was asked for', () => {
    const update = reopening(KEY, { ...deadRunGiven(), ending: 'dead' })
    expect(update?.where).toContainEqual({ absent: 'undo' })
  })
})

describe('a run with effects to undo', () => {
  const undoPlan = '[["validate","https://queue/1"]]'

  it('lets no stage begin while it is being ended', () => {
    const ending: Given = {
      undoPlan,
      ending: 'superseded',
      notBefore: LIVE,
      applied: new Set(['a']),
    }
    const record = running(ending)
    const next = request({ stage: 'pay', after: 'validate' })
    expect(decideStage(record, next, NOW)).toEqual({ kind: 'endRun', record, as: 'superseded' })
  })

  it('is replaced in one write only as long as it has made no effect', () => {
    const newer = request({ uniqueRequestId: 'r5', sentAt: 6, undoPlan })
    const write = claimWrite({ kind: 'start', record: running({ undoPlan }) }, newer, KEY)
    expect(write).toMatchObject({
      update: { where: expect.arrayContaining([{ absent: 'applied' }]) },
    })
  })
})

it.each([
  ['another payload', '{"b":1}', 'refuse'],
  ['the same payload', '{"a":1}', 'mine'],
])('%s under the id of the running request', (_, body, kind) => {
  const record = running({
    payload: fingerprintOf('{"a":1}', false),
    'stage:validate': `open 1 mine ${LIVE} 0`,
  })
  const verdict = decideStart(record, request({ payload: fingerprintOf(body, false) }), NOW)
  expect(verdict.kind).toBe(kind)
})

it('a run keeps its key when what is remembered of it could not be written', async () => {
  const written: string[] = []
  const store: ItemStore = {
    ...itemStore(memoryStore()),
    upsert: async () => ({ kind: 'failed', error: new Error('down') }),
    update: async () => {
      written.push('reset')
      return { kind: 'applied', item: undefined }
    },
  }
  const record = running({ 'stage:validate': 'dead 3 terminal' })
  const end = { as: 'dead', stages: record.run.stages } as const
  const ending = endRun(record, record.run, end, { now: NOW, retention: 1_000 })
  expect(await writeEnding(store, ending)).toMatchObject({ kind: 'failed' })
  expect(written).toEqual([])
})

describe('an outside call of a stage', () => {
  function callsOf(given: Given, store: ItemStore = itemStore(memoryStore())) {
    const record = running({ 'stage:validate': `open 1 mine ${LIVE} 0`, ...given })
    const held = holdStage(record, 'validate', 'mine') as HeldStage
    const { calls } = new StageHold({
      held,
      first: true,
      isSurelyFirst: true,
      key: 'k',
      sentAt: NOW,
      store,
      commit: store.update,
      decide: () => ({ kind: 'replaced' }),
      closing: () => ({ now: NOW, retention: 1_000 }),
      refusal: { reason: 'rejected', error: 'refused' },
    })
    return { calls, held, store }
  }

  it('that was begun is not begun again', async () => {
    const { calls } = callsOf({ applied: new Set(['validate?1:pay']) })
    expect(await calls.stored('pay')).toBe(STARTED)
    expect(await calls.store('pay', STARTED, undefined)).toBe(STARTED)
  })

  it('is replayed in a run that was reopened', async () => {
    const { calls, held, store } = callsOf({ reopened: true })
    await store.create(answerItem(held, 'pay', '"paid"', NOW))
    expect(await calls.stored('pay')).toBe('"paid"')
  })
})
