import { recordKey, readStageRecord } from '../../../claim/stage/stageRecord.ts'
import { deadRunKey, readDeadRun, REOPENED_RUN_ENDED } from '../../../claim/stage/deadRun.ts'
import type { StageEntry } from '../../../claim/stage/stageEntry.ts'
import { plausibleRetry } from '../../../claim/token/decideClaim.ts'
import { readToken, type Token, tokenKey } from '../../../claim/token/token.ts'
import type { Item, StoreKey } from '../../../store/store.ts'
import type { DeadLetter } from './deadLetter.ts'

/**
 * What has become of a dead letter that was sent back. `done`: its request has completed, or is undone. `failed`: an attempt has failed again,
 * also if it will be retried. `open`: not known yet.
 */
export type Fate = 'done' | 'failed' | 'open'

/**
 * Where the table shows what becomes of it. Empty: SQS moved it, or its consumer is not Lineclear's, so that the message does not
 * name its record.
 */
export function fateKeys({ envelope, uniqueRequestId }: DeadLetter): readonly StoreKey[] {
  const { flow, consumer } = envelope.carried
  if (flow !== undefined) {
    const key = recordKey(flow.name, flow.key)
    return [key, deadRunKey(key, flow.id)]
  }
  return consumer === undefined ? [] : [tokenKey(consumer, uniqueRequestId)]
}

/** @param items what is under `fateKeys`, in that order */
export function fateOf(deadLetter: DeadLetter, items: readonly (Item | undefined)[]): Fate {
  const { flow, death = 0 } = deadLetter.envelope.carried
  const [item, dead] = items
  if (flow !== undefined) return fateOfRun(deadLetter, item, dead)
  const token = item && readToken(item)
  return token === undefined ? 'open' : fateOfToken(token, death)
}

/** Whether its effects are undone, or are being undone, which is final: a redrive of it is dropped. */
export function isUndone(
  { envelope }: DeadLetter,
  [item, dead]: readonly (Item | undefined)[],
): boolean {
  if (envelope.carried.flow !== undefined) {
    // The undo of a run has messages of the flow, too: until it has ended, a dead letter may be one of these.
    return dead !== undefined && readDeadRun(dead)?.undo === 'undone'
  }
  const status = item && readToken(item)?.status
  return status === 'undoing' || status === 'undone'
}

/**
 * Whether an attempt has written it whose record is gone: its consumer refuses it as a lost record. One that was refused before any
 * attempt carries no number of a death.
 */
export function hasLostRecord(
  { envelope: { carried } }: DeadLetter,
  [item, dead]: readonly (Item | undefined)[],
): boolean {
  const { flow, consumer, death = 0 } = carried
  if (flow === undefined) {
    return consumer !== undefined && item === undefined && wasAttempted(carried)
  }
  if (flow.undo === true || dead !== undefined) return false
  return Number(item?.['epoch'] ?? 0) < Math.max(flow.epoch, death)
}

/** Whether an attempt has written it, and it does not say under which name: whether its record is gone cannot be seen. */
export function hidesItsRecord({ envelope: { carried } }: DeadLetter): boolean {
  const { flow, consumer } = carried
  return flow === undefined && consumer === undefined && wasAttempted(carried)
}

function wasAttempted({ death = 0, retry }: DeadLetter['envelope']['carried']): boolean {
  return death > 0 || plausibleRetry(retry) > 0
}

/** The dead letter carries the number of its death: with a higher one, the request has died again. */
function fateOfToken({ status, death, attempt, leaseUntil }: Token, sent: number): Fate {
  switch (status) {
    case 'complete':
      return 'done'
    case 'error':
    case 'unknown':
    case 'dying':
      return death > sent ? 'failed' : 'open'
    case 'undoing':
    case 'undone':
      // Undone after the death that it reports, it runs nothing; after a later one, it has run and died again.
      return death > sent ? 'failed' : 'done'
    case 'inProgress':
      // A retry waits, or the second attempt runs. Attempt 0 is a request that an operator has freed.
      return attempt > 1 || (attempt === 1 && leaseUntil === 0) ? 'failed' : 'open'
  }
}

function fateOfRun(
  { envelope: { carried } }: DeadLetter,
  item: Item | undefined,
  dead: Item | undefined,
): Fate {
  const { flow, consumer = '', death = 0 } = carried
  const stage = consumer.slice((flow?.name.length ?? 0) + 1)
  const run = item && readStageRecord(item)?.run
  if (run !== undefined && run.uniqueRequestId === flow?.id) {
    return fateOfStage(run.stages.get(stage), death)
  }
  const kept = dead && readDeadRun(dead)
  if (kept === undefined) return 'open'
  if (kept.reopened === REOPENED_RUN_ENDED || dead?.['ttl'] !== undefined) return 'done'
  return fateOfStage(kept.stages.get(stage), death)
}

function fateOfStage(entry: StageEntry | undefined, death: number): Fate {
  switch (entry?.status) {
    case 'settled':
      return 'done'
    case 'dying':
      return 'failed'
    case 'retry':
      return entry.attempt > 0 ? 'failed' : 'open'
    case 'dead':
      return entry.epoch > death ? 'failed' : 'open'
    case 'open':
      return entry.attempt > 1 ? 'failed' : 'open'
    case undefined:
      return 'open'
  }
}
