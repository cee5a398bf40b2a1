import { holds } from '../../store/condition.ts'
import type { Condition, Item } from '../../store/store.ts'
import { type ClaimWrite, claimWrite } from './claimWrite.ts'
import type { StageClaimRequest, Unread } from './stageClaim.ts'
import { type StageEntry, writeEntry } from './stageEntry.ts'
import { STAGE, type StageRecord } from './stageRecord.ts'
import type { ClaimVerdict } from './verdict.ts'

/** A claim that can be tried before the record is read: its condition holds everything that was assumed of the record. */
export interface ProbableClaim {
  readonly verdict: ClaimVerdict
  readonly write: ClaimWrite
}

type Claimant = Pick<StageClaimRequest, 'key' | 'request' | 'notBefore' | 'closing' | 'decide'> & {
  readonly unread?: Pick<Unread, 'fence'> | undefined
}

/**
 * The claim that a first delivery makes in most cases: of a key that has no record, or of the stage to which the last settled stage has
 * sent its only message. Written without a read it saves a round trip; refused it costs a write unit, and the item that refused it is
 * the look that was saved.
 */
export function probableClaim(claimant: Claimant): ProbableClaim | undefined {
  const { request, notBefore, closing, key, unread } = claimant
  if (unread === undefined || notBefore > closing.now) return undefined
  const isLater = 'epoch' in request
  const record = isLater ? assumedRecord(claimant, unread.fence) : undefined
  if (isLater && record === undefined) return undefined
  const verdict = claimant.decide(record, request)
  if (verdict.kind !== 'start' && verdict.kind !== 'begin') return undefined
  const write = claimWrite(verdict, request, key)
  if (write.kind === 'create') return { verdict, write }
  const where = [...write.update.where, ...assumed(claimant)]
  return { verdict, write: { kind: 'update', update: { ...write.update, where } } }
}

/** Whether the claim would have been made, had it been tried before this read. */
export function wouldHold({ write }: ProbableClaim, item: Item | undefined): boolean {
  return write.kind === 'create'
    ? item === undefined
    : item !== undefined && holds({ all: write.update.where }, item)
}

/** undefined: the message does not say what the record was like when it was sent. */
function assumedRecord(
  { key, request }: Claimant,
  fence: number | undefined,
): StageRecord | undefined {
  const { after } = request
  if (!('epoch' in request) || after === undefined || fence === undefined) return undefined
  const stages = new Map([[after, senderOf(request)]])
  const run = {
    uniqueRequestId: request.uniqueRequestId,
    giveUpAt: request.giveUpAt,
    stages,
    marks: new Set<string>(),
    reopened: false,
  }
  const { epoch, order } = request
  const nothing = { newest: undefined, waiting: undefined, forgotten: undefined, last: undefined }
  const ended = { dropped: [], ended: [], payloads: undefined, payload: undefined }
  return { key, order, epoch, fence, run, ...nothing, ...ended }
}

/** It has sent one message, and has settled since. */
function senderOf({ stage }: { readonly stage: string }): StageEntry {
  return { status: 'settled', ends: false, sentTo: [stage] }
}

/** What `claimWrite` does not compare, because it is otherwise read. */
function assumed({ request, closing }: Claimant): Condition[] {
  const { after = '', order } = request
  return [
    { field: STAGE + after, is: '=', value: writeEntry(senderOf(request)) },
    { field: 'giveUpAt', is: '>', value: closing.now },
    { absent: 'ending' },
    order === 'newest' ? { absent: 'order' } : { field: 'order', is: '=', value: order },
  ]
}
