import { documented } from '../../proof/formats/page.ts'
import { describe, expect, it } from 'vitest'
import { itemStore, type ItemStore } from '../../../src/library/protocol/claim/itemStore.ts'
import { STARTED } from '../../../src/library/protocol/claim/hold.ts'
import { decideRedrive } from '../../../src/library/protocol/claim/stage/decideEntry.ts'
import { decideStart } from '../../../src/library/protocol/claim/stage/decideStage.ts'
import { endRun } from '../../../src/library/protocol/claim/stage/endRun.ts'
import { fingerprintOf, digestOf } from '../../../src/library/protocol/claim/stage/version.ts'
import { holdStage, answerItem } from '../../../src/library/protocol/claim/stage/heldStage.ts'
import { type HeldStage } from '../../../src/library/protocol/claim/stage/stageOwnedBy.ts'
import { StageHold } from '../../../src/library/protocol/claim/stage/stageHold.ts'
import { writeEnding } from '../../../src/library/protocol/claim/stage/writeEnding.ts'
import { memoryStore } from '../../../src/library/adapters/store/memory/memoryStore.ts'
import { type Given, idle, LIVE, NOW, request, running } from './given.ts'
import { deadRunGiven, historyGiven } from './historyGiven.ts'

describe('the dead letter of a request', () => {
  it('reopens its run', () => {
    const verdict = decideRedrive(
      idle({ last: `${digestOf('r4')}d` }),
      request({
        death: 3,
        history: historyGiven({ deadRun: deadRunGiven({ validate: 'dead 3 terminal' }) }),
      }),
      NOW,
    )
    expect(verdict.kind).toBe('reopen')
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
    ...itemStore(documented(memoryStore())),
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
  function callsOf(given: Given, store: ItemStore = itemStore(documented(memoryStore()))) {
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
