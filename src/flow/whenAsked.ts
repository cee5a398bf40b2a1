import type { Refused } from '../batch/protocol.ts'
import { decideGiveUp } from '../stage/giveUp.ts'
import { knownKeys, readKnown } from '../stage/known.ts'
import type { StageRecord } from '../stage/stageRecord.ts'
import type { Again, Claimant, Seen, StageClaim } from './claimant.ts'
import { carryOut } from './ending.ts'
import type { StageStore } from './stageStore.ts'

/** The record alone does not say how the request ended: other items do. */
export async function lookUp(
  store: StageStore,
  { key, request }: Claimant,
  epoch: number,
  seen: Seen,
  again: Again,
): Promise<StageClaim> {
  const [parkedKey, receiptKey] = knownKeys(key, request.uniqueRequestId)
  const [parked, receipt] = await Promise.all([store.read(parkedKey), store.read(receiptKey)])
  if (parked.kind === 'failed') return parked
  if (receipt.kind === 'failed') return receipt
  const known = readKnown(epoch, [parked.item, receipt.item])
  return known === undefined ? { kind: 'unreadable' } : again(seen, { ...request, known })
}

/** The run in the way has no time left, and nobody is at work on it: it is ended, whoever finds it. */
export async function giveUp(
  store: StageStore,
  { key, closing }: Claimant,
  record: StageRecord,
  again: Again,
): Promise<StageClaim> {
  const giving = decideGiveUp(record, closing)
  if (giving.kind === 'abandon') {
    const outcome = await store.update(giving.update)
    if (outcome.kind === 'failed') return outcome
  }
  if (giving.kind === 'end') {
    const outcome = await carryOut(store, giving.ending)
    if (outcome.kind === 'failed') return outcome
  }
  return again(await store.read(key))
}

export const ABANDONED = {
  reason: 'abandoned',
  error: 'its flow was given up: it had not ended by the time it may run (giveUpAfter)',
} as const

export function refusalOf({ refusal, request }: Claimant, because: 'refused' | 'expired'): Refused {
  const why =
    because === 'refused'
      ? refusal
      : { reason: 'too old', error: 'it came after the time it may run (giveUpAfter)' }
  return { ...why, death: request.death }
}
