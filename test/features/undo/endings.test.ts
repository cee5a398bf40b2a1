import { describe, expect, it } from 'vitest'
import type { Messenger } from '../../../src/send/messenger.ts'
import { memoryStore } from '../../../src/store/memory/memoryStore.ts'
import { decideEnding, writePlan } from '../../../src/features/undo/decideEnding.ts'
import { endUndoableRun } from '../../../src/features/undo/sweepUndo.ts'
import { GIVE_UP, type Given, itemOf, NOW, running } from '../../claim/stage/given.ts'

const undoPlan = writePlan({
  sentAt: 5,
  stages: [{ stage: 'validate', queueUrl: 'https://sqs/1/validate' }],
  inSql: false,
  undoDead: false,
})
const closing = { now: NOW, retention: 1_000 }
const LEASE = NOW + 30_000
const OPEN: Given = { undoPlan, 'stage:validate': `open 1 mine ${LEASE} 0` }

describe('the fence of a run whose effects are to be undone', () => {
  const decision = decideEnding(running(OPEN), 'superseded', closing)
  const update = decision.kind === 'fence' ? decision.update : undefined

  it('holds only for the run and the stages that were judged', () => {
    expect(update?.where).toEqual([
      { field: 'uniquerequestid', is: '=', value: 'r4' },
      { field: 'epoch', is: '=', value: 3 },
      { field: 'fence', is: '=', value: 7 },
      { field: 'stage:validate', is: '=', value: OPEN['stage:validate'] },
    ])
  })

  it('says when the last of its attempts has certainly ended', () => {
    expect(update?.set).toMatchObject({ fence: 8, notBefore: LEASE, ending: 'superseded' })
  })
})

it.each([
  ['that is out of time is ended', { giveUpAt: NOW }, 'abandoned'],
  ['that has time left is kept', { giveUpAt: GIVE_UP }, undefined],
])('a run with effects %s by the sweeper', async (_, given, ended) => {
  const settled = `settled on`
  const item = itemOf({
    uniquerequestid: 'r4',
    ...OPEN,
    'stage:validate': settled,
    applied: new Set(['validate:a']),
    ...given,
  })
  const store = memoryStore()
  await store.create([item as typeof item & { pk: string; sk: string }])
  const messenger = { send: async () => [undefined] } as unknown as Messenger
  expect(await endUndoableRun(item, { store, messenger, ...closing })).toBe(ended)
})
