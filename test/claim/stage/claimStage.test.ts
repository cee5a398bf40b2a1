import { documented } from '../../proof/formats/page.ts'
import { expect, it } from 'vitest'
import { type ItemStore, itemStore } from '../../../src/library/protocol/claim/itemStore.ts'
import { claimStage } from '../../../src/library/protocol/claim/stage/claimStage.ts'
import { claimStreak } from '../../../src/library/protocol/claim/stage/claimStreak.ts'
import { decideStage } from '../../../src/library/protocol/claim/stage/decideStage.ts'
import type {
  StageClaim,
  StageClaimRequest,
} from '../../../src/library/protocol/claim/stage/stageClaim.ts'
import { memoryStore } from '../../../src/library/adapters/store/memory/memoryStore.ts'
import type { Item, Update, WriteOutcome } from '../../../src/library/protocol/store/store.ts'
import { GIVE_UP, itemOf, KEY, LIVE, NOW, request } from './given.ts'

/** The record as the sender of the message has left it. */
const SETTLED = {
  ...itemOf({ uniquerequestid: 'r4', giveUpAt: GIVE_UP, 'stage:validate': 'settled on charge' }),
  ...KEY,
}
const THEIRS = { fence: 9, 'stage:charge': `open 2 theirs ${LIVE} 0` }

type Answer = (outcome: WriteOutcome) => WriteOutcome | Promise<WriteOutcome>

/** A store that holds the record, and answers the first update in its own way, once it is made. */
async function given(
  answer: Answer,
  record = SETTLED,
): Promise<{
  readonly store: ItemStore
  readonly calls: string[]
  readonly change: (how: Partial<Update>) => Promise<unknown>
}> {
  const memory = documented(memoryStore())
  await memory.create([record])
  const plain = itemStore(memory)
  const calls: string[] = []
  let isFirst = true
  const store: ItemStore = {
    ...plain,
    read: (key) => {
      calls.push('read')
      return plain.read(key)
    },
    async update(update: Update) {
      calls.push(update.needsNoItem ? 'update' : 'update, with the item')
      const outcome = await plain.update(update)
      if (!isFirst) return outcome
      isFirst = false
      return answer(outcome)
    },
  }
  const change = (how: Partial<Update>) => memory.update([{ key: KEY, where: [], ...how }])
  return { store, calls, change }
}

const { onConflict: _, ...later } = request({ stage: 'charge', after: 'validate', seen: 3 })

const UNREAD: Pick<StageClaimRequest, 'unread'> = {
  unread: { streak: claimStreak(true), fence: 7 },
}

function claim(store: ItemStore, given = UNREAD): Promise<StageClaim> {
  const claimant: StageClaimRequest = {
    key: KEY,
    request: later,
    notBefore: 0,
    decide: (record, asked) => decideStage(record, { ...later, ...asked }, NOW),
    sleep: async () => {},
    refusal: { reason: 'rejected', error: 'refused' },
    names: { known: new Set(['validate', 'charge']), former: [] },
    ahead: false,
    closing: { now: NOW, retention: 1_000 },
    ...given,
  }
  return claimStage(store, claimant)
}

const untold: Answer = ({ kind }) =>
  kind === 'applied' ? { kind, item: undefined } : { kind: 'failed', error: new Error(kind) }

const MINE = {
  kind: 'claimed',
  first: true,
  held: { record: { fence: 8 }, entry: { attemptId: 'mine', attempt: 1 } },
}

it('is held by the item that the write returns', async () => {
  const { store, calls } = await given((outcome) => outcome)
  expect(await claim(store)).toMatchObject(MINE)
  expect(calls).toEqual(['update, with the item'])
})

it('is held by the item that is read, where the store returns none: it is a first attempt all the same', async () => {
  const { store, calls } = await given(untold)
  expect(await claim(store)).toMatchObject(MINE)
  expect(calls).toEqual(['update, with the item', 'read'])
})

it('is not held once another attempt has taken over before that read', async () => {
  const { store, change } = await given(async (outcome) => {
    await change({ set: THEIRS })
    return untold(outcome)
  })
  expect(await claim(store)).toEqual({ kind: 'held', until: LIVE })
})

it.each<[what: string, returned: Item, then: StageClaim['kind']]>([
  ['the item before the write', SETTLED, 'claimed'],
  ['an item of another attempt', { ...SETTLED, ...THEIRS }, 'held'],
])('does not believe %s: it is decided on what is there', async (_what, item, then) => {
  const { store } = await given(({ kind }) =>
    kind === 'applied' ? { kind, item } : { kind: 'failed', error: new Error(kind) },
  )
  expect(await claim(store)).toMatchObject({ kind: then })
})

it('is recognised as its own when the answer was lost and the same write is refused', async () => {
  const { store, calls } = await given((outcome) =>
    outcome.kind === 'applied' ? { ...outcome, kind: 'refused' } : outcome,
  )
  expect(await claim(store)).toMatchObject({ ...MINE, first: false })
  expect(calls).toEqual(['update, with the item'])
})

/** Another attempt had the stage, and was lost. */
const LOST = { ...SETTLED, 'stage:charge': `open 1 theirs ${NOW - 1} 0` }
const MARK = { addTo: { field: 'applied', member: 'charge:sale' } }

it.each<[what: string, returned: Answer, then: string[]]>([
  ['the item that the write returns', (outcome) => outcome, []],
  ['the item that is read, where the store returns none', untold, ['read']],
])('that takes over knows by %s what the lost attempt did last', async (_what, answer, then) => {
  const { store, calls, change } = await given(answer, LOST)
  const late: ItemStore = {
    ...store,
    // Between the read and the claim.
    update: async (update) => {
      await change(MARK)
      return store.update(update)
    },
  }
  const taken = await claim(late, {})
  expect(taken).toMatchObject({ kind: 'claimed', first: false })
  expect(taken).toHaveProperty('held.run.marks', new Set(['charge:sale']))
  expect(calls).toEqual(['read', 'update, with the item', ...then])
})

it('fails with the store when that read fails, and leaves the claim to its lease', async () => {
  const { store } = await given(untold)
  const error = new Error('no answer')
  const failing: ItemStore = { ...store, read: async () => ({ kind: 'failed', error }) }
  expect(await claim(failing)).toEqual({ kind: 'failed', error })
})
