import { describe, expect, it } from 'vitest'
import type { Claim } from '../../../src/deliver/claimStrategy.ts'
import type { IncomingRecord } from '../../../src/deliver/incomingRecord.ts'
import type { Invocation } from '../../../src/deliver/invocation.ts'
import type { RecordsToUndo, StageToUndo } from '../../../src/consumer/undo.ts'
import { tokenKey } from '../../../src/claim/token/token.ts'
import { keepRecord, recordUndoId, UNDO_SUFFIX } from '../../../src/claim/token/deadRecord.ts'
import { deadRunKey } from '../../../src/claim/stage/deadRun.ts'
import { recordKey } from '../../../src/claim/stage/stageRecord.ts'
import { memoryStore } from '../../../src/store/memory/memoryStore.ts'
import type { Store } from '../../../src/store/store.ts'
import { claimRecordUndo } from '../../../src/features/undo/claimRecordUndo.ts'
import { claimUndo } from '../../../src/features/undo/claimUndo.ts'
import { parkDead } from '../../../src/features/undo/parkDead.ts'
import { undoId, writePlan } from '../../../src/features/undo/decideEnding.ts'

const NOW = 1_000_000
const QUEUE = 'https://sqs.eu-west-1.amazonaws.com/123456789012/orders'

/** A message of which only the identity and what it carries is looked at. */
function asks(uniqueRequestId: string, carried: object): IncomingRecord {
  const envelope = { carried: { resendNumber: 0, hops: 0, ...carried }, body: '{}' }
  return { record: {}, message: { kind: 'readable', uniqueRequestId, envelope } } as never
}

function invocationOn(store: Store): Invocation {
  const consumer = {
    store,
    clock: { now: () => NOW },
    retention: 1_000,
    messenger: { send: async () => [undefined] },
  }
  return { consumer, queue: QUEUE, logger: { info() {} } } as never
}

/** @returns how the message is claimed, without the parts that only a claim has */
async function kindOf(claiming: Promise<readonly Claim[]>): Promise<string> {
  const [claim] = await claiming.catch(() => [])
  return claim?.kind === 'over' ? claim.as : (claim?.kind ?? 'taken for a request to undo')
}

describe('the undo of a stage', () => {
  const run = { name: 'trip', key: 'k', id: 'r1', epoch: 3, sentAt: 5, from: 'book', undo: true }

  async function claimed(id: string, notBefore: number, epoch = 3): Promise<string> {
    const store = memoryStore()
    const stages = [{ stage: 'book', queueUrl: QUEUE }]
    const plan = writePlan({ sentAt: 5, stages, inSql: false, undoDead: false })
    const item = { uniquerequestid: 'r1', epoch: 3, fence: 2, ending: 'superseded', notBefore }
    const kept = { ...item, undo: 'due', undoPlan: plan, restored: '["book:reserve"]' }
    await store.create([{ ...deadRunKey(recordKey('trip', 'k'), 'r1'), ...kept }])
    const stage: StageToUndo = { flow: 'trip', stage: 'book', store, now: () => NOW } as never
    const work = asks(id, { flow: { ...run, epoch } })
    return kindOf(claimUndo(stage, [work], invocationOn(store), false))
  }

  it('runs under one id only, in the run that has ended', async () => {
    expect(await claimed('forged', 0)).toBe('stale')
    expect(await claimed(undoId('r1', 2, 'book'), 0, 2)).toBe('stale')
    expect(await claimed(undoId('r1', 3, 'book'), 0)).toBe('taken for a request to undo')
  })

  it('waits until the last attempt of its run has certainly ended', async () => {
    expect(await claimed(undoId('r1', 3, 'book'), NOW + 1)).toBe('early')
  })
})

describe('a dead record', () => {
  const { pk } = tokenKey('orders', 'r1')
  const token = { pk, sk: 'token', attemptId: 'a', attempt: 1, fence: 1, death: 1, undoable: 1 }

  async function claimed(id: string, status: string): Promise<string> {
    const store = memoryStore()
    const kept = { death: 1, body: '{}', queue: QUEUE, sentAt: 5, inSql: false, keptUntil: NOW }
    await store.create([{ ...token, status }, keepRecord(pk, kept, NOW, 0).create])
    const work = asks(id, { undo: 'r1', consumer: `orders${UNDO_SUFFIX}` })
    return kindOf(claimRecordUndo({} as RecordsToUndo, [work], invocationOn(store), false))
  }

  it('is undone under one id only, and once that was decided', async () => {
    const id = recordUndoId('r1', 1)
    expect(await claimed('forged', 'undoing')).toBe('stale')
    expect(await claimed(id, 'error')).toBe('stale')
    expect(await claimed(id, 'dying')).toBe('early')
    expect(await claimed(id, 'undoing')).toBe('taken for a request to undo')
  })

  /** @param seen what the read shows, which may be a claim behind */
  async function parked(standing: object, seen: object = standing, undoDead = false) {
    const store = memoryStore()
    await store.create([{ ...token, status: 'dying', applied: new Set(['a']), ...standing }])
    const read: Store['read'] = async (keys, options) =>
      (await store.read(keys, options)).map((one) =>
        one.kind === 'found' && one.item ? { ...one, item: { ...one.item, ...seen } } : one,
      )
    const dying = {
      records: { undoDead } as RecordsToUndo,
      hold: { fencing: { subject: pk }, deathReport: () => ({ death: 1 }) } as never,
      work: asks('r1', {}),
      invocation: invocationOn({ ...store, read }),
    }
    await parkDead(dying)
    return store.items()
  }

  it('is kept for an undo only where all of its effects are known', async () => {
    expect(await parked({})).toHaveLength(2)
    expect(await parked({ undoable: 0 })).toHaveLength(1)
  })

  it('is undone by itself only in the death that was read', async () => {
    expect((await parked({}, {}, true))[0]).toMatchObject({ status: 'undoing' })
    const later = { fence: 2, undoable: 2 }
    expect((await parked(later, { fence: 1, undoable: 1 }, true))[0]).toMatchObject({
      status: 'dying',
    })
  })
})
