import { expect, it } from 'vitest'
import { writeAwaiting } from '../../../src/library/protocol/claim/awaiting/writeAwaiting.ts'
import { itemStore } from '../../../src/library/protocol/claim/itemStore.ts'
import { memoryStore } from '../../../src/library/adapters/store/memory/memoryStore.ts'

it('a step that one stage has saved is not taken over by another one', async () => {
  const store = itemStore(memoryStore())
  const key = { pk: 'flow#trips/k', sk: 'await#quote#r1' }
  const save = (from: string) =>
    writeAwaiting(store, {
      wanted: { key, uniqueRequestId: 'r1', epoch: 1, stepIds: ['s1'], need: 1, until: 9_000 },
      more: { ...key, from },
      externalIds: ['q1'],
      now: () => 1_000,
      assertOpen: () => {},
    })
  expect(await save('book')).toEqual({ kind: 'saved' })
  expect(await save('book')).toEqual({ kind: 'saved' })
  expect(await save('pay')).toEqual({ kind: 'ofOtherStage', stage: 'book' })
})
