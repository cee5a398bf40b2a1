import { describe, expect, it } from 'vitest'
import { saveAwaiting } from '../../../src/library/protocol/claim/awaiting/saveAwaiting.ts'
import { stepIdOf } from '../../../src/library/protocol/claim/awaiting/awaiting.ts'
import { readToken } from '../../../src/library/protocol/claim/token/token.ts'
import {
  applyPlan,
  type ApplyResult,
  type ChangePlan,
} from '../../../src/tools/operator/plan/applyPlan.ts'
import { loadedStep } from '../../../src/tools/operator/plan/loadedStep.ts'
import { planComplete } from '../../../src/tools/operator/plan/planAwaits.ts'
import { planDropRun } from '../../../src/tools/operator/plan/planFlow.ts'
import { planReopen } from '../../../src/tools/operator/plan/planToken.ts'
import type { Messenger, SendOutcome } from '../../../src/library/protocol/send/messenger.ts'
import { readDeadRun } from '../../../src/library/protocol/claim/stage/deadRun.ts'
import { readStageRecord } from '../../../src/library/protocol/claim/stage/stageRecord.ts'
import type { Item, StoreKey, Store } from '../../../src/library/protocol/store/store.ts'
import { type FaultyStore, faultyStore } from '../../call/faultyStore.ts'

const NOW = Date.UTC(2026, 0, 1)

const nowhere: Messenger = {
  send: () => Promise.reject(new Error('nothing is to be sent')),
  publish: () => Promise.reject(new Error('nothing is to be sent')),
  hide: () => Promise.reject(new Error('nothing is to be hidden')),
  remove: () => Promise.reject(new Error('nothing is to be removed')),
  deadLetterQueueOf: () => Promise.reject(new Error('unexpected call')),
}

function apply(store: Store, plan: ChangePlan, messenger = nowhere): Promise<ApplyResult> {
  if (plan.kind !== 'change') throw new Error(plan.because)
  return applyPlan(store, plan, { by: 'ann', why: 'test', force: true, now: NOW, messenger })
}

describe('a plan is refused when what it was made from has changed', () => {
  const PARKED: Item & StoreKey = {
    pk: 'lock#orders/r1',
    sk: 'token',
    status: 'unknown',
    attemptId: 'a',
    attempt: 2,
    fence: 7,
    format: 1,
    leaseUntil: 5,
    'step:pay': 'start',
  }
  const reopen = (): ChangePlan => {
    const token = readToken(PARKED)
    if (token === undefined) throw new Error('unreadable')
    return planReopen(token, {}, NOW)
  }

  it('and applied when nothing has', async () => {
    const store = faultyStore()
    await store.create([PARKED])
    expect(await apply(store, reopen())).toEqual({ kind: 'applied' })
  })

  it.each<Item>([
    { attemptId: 'b' },
    { attempt: 3 },
    { fence: 8 },
    { leaseUntil: 6 },
    { status: 'error' },
    { 'step:pay': 'done:1' },
  ])('of a token: %j', async (change) => {
    const store = faultyStore()
    const changed = { ...PARKED, ...change }
    await store.create([changed])
    expect(await apply(store, reopen())).toEqual({ kind: 'refused', because: 'outdated' })
    expect(store.items()).toEqual([changed])
  })

  const DEAD: Item & StoreKey = {
    pk: 'flow#trip/k',
    sk: 'dead#r1',
    uniquerequestid: 'r1',
    epoch: 3,
    fence: 4,
    restored: '[]',
    statusShard: 'dead#1',
    dueAt: NOW,
  }

  it.each<Item>([{ fence: 5 }, { epoch: 4 }])(
    'of a dead run, which died again since: %j',
    async (change) => {
      const store = faultyStore()
      const deadRun = readDeadRun(DEAD)
      if (deadRun === undefined) throw new Error('unreadable')
      await store.create([{ ...DEAD, ...change }])
      const key = { pk: DEAD.pk, sk: 'stage' }
      const plan = planDropRun({ key, seen: undefined }, deadRun, DEAD, NOW)
      expect(await apply(store, plan)).toEqual({ kind: 'refused', because: 'outdated' })
      expect(store.items()[0]).toHaveProperty('statusShard')
    },
  )
})

describe('an answer of an operator for a join', () => {
  const STEP = { pk: 'flow#trip/k', sk: 'await#quote#r1' }

  /** Two ids are awaited; the operator answers one of them. */
  async function waiting(): Promise<{ store: FaultyStore; plan: ChangePlan }> {
    const store = faultyStore()
    const stepIds = ['q1', 'q2'].map((id) => stepIdOf('quote', id, 'r1'))
    const wanted = { key: STEP, uniqueRequestId: 'r1', epoch: 1, stepIds, need: 2, until: NOW + 9 }
    const saving = saveAwaiting(undefined, wanted, NOW)
    const record = readStageRecord({
      pk: STEP.pk,
      sk: 'stage',
      epoch: 1,
      fence: 1,
      uniquerequestid: 'r1',
      giveUpAt: NOW + 9,
    })
    if (saving.kind !== 'create') throw new Error(saving.kind)
    const item = { ...saving.item, queueUrl: 'http://sqs/1/quotes', sentAt: NOW, from: 'book' }
    await store.create([item])
    const step = loadedStep(item, record)
    if (step === undefined) throw new Error('unreadable')
    store.calls.length = 0
    return { store, plan: planComplete(step, { quoteId: 'q1' }, undefined, NOW) }
  }

  const sending = ({ calls }: FaultyStore, outcome?: Error): Messenger & { sent: string[] } => {
    const sent: string[] = []
    return {
      ...nowhere,
      sent,
      send: async (_url, messages): Promise<readonly SendOutcome[]> => {
        sent.push(...calls)
        return messages.map(() => outcome)
      },
    }
  }

  it('is only sent: the step counts it when its own function has validated it', async () => {
    const { store, plan } = await waiting()
    const messenger = sending(store)
    expect(await apply(store, plan, messenger)).toEqual({ kind: 'applied' })
    expect(messenger.sent).toEqual(['update'])
    expect(store.calls).toEqual(['update'])
    const step = store.items().find(({ sk }) => sk === STEP.sk)
    expect(step).toMatchObject({ count: 0, operatorBy: 'ann' })
    expect(step).not.toHaveProperty('joinedBy')
  })

  it('is sent by the same plan again when its queue has refused it', async () => {
    const { store, plan } = await waiting()
    const messenger = sending(store, new Error('no such queue'))
    await expect(apply(store, plan, messenger)).rejects.toThrow(/did not accept.*no such queue/)
    const again = sending(store)
    expect(await apply(store, plan, again)).toEqual({ kind: 'applied' })
    expect(again.sent).toEqual(['update', 'update'])
    expect(store.items().find(({ sk }) => sk === STEP.sk)).toMatchObject({ count: 0 })
  })

  it('is sent also when the answer to its mark was lost, and the mark was written twice', async () => {
    const { store, plan } = await waiting()
    store.next('update', 'lose')
    const messenger = sending(store)
    expect(await apply(store, plan, messenger)).toEqual({ kind: 'applied' })
    expect(messenger.sent).toEqual(['update'])
  })
})

describe('a change whose answer was lost', () => {
  it('is recognised as its own, not taken for a change by another operator', async () => {
    const store = faultyStore()
    const item = { pk: 'lock#orders/r2', sk: 'token', status: 'error', attemptId: 'a' }
    await store.create([{ ...item, attempt: 1, fence: 1 }])
    const [standing = {}] = store.items()
    const token = readToken(standing)
    if (token === undefined) throw new Error('unreadable')
    store.next('update', 'lose')
    expect(await apply(store, planReopen(token, {}, NOW))).toEqual({ kind: 'applied' })
  })
})
