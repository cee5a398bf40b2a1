import { expect } from 'vitest'
import type {
  StageRequest,
  StartRequest,
} from '../../../src/library/protocol/claim/stage/stageMessage.ts'
import {
  readStageRecord,
  recordKey,
  type StageRun,
  type StageRecord,
} from '../../../src/library/protocol/claim/stage/stageRecord.ts'
import type { StageVerdict } from '../../../src/library/protocol/claim/stage/verdict.ts'
import { versionOf } from '../../../src/library/protocol/claim/stage/version.ts'
import type { Item, Value } from '../../../src/library/protocol/store/store.ts'

export const NOW = 1_000_000
/** One millisecond in which another attempt may be running. */
export const LIVE: number = NOW + 1
export const GIVE_UP: number = NOW + 60_000
export const KEY = recordKey('checkout', 'cart/1')

/** Attributes as they stand in the table; `undefined` takes one away. */
export type Given = Readonly<Record<string, Value | undefined>>

export function itemOf(given: Given): Item {
  const all: Given = { ...KEY, epoch: 3, fence: 7, newest: versionOf(5, 'r4'), ...given }
  const item: Record<string, Value> = {}
  for (const [name, value] of Object.entries(all)) if (value !== undefined) item[name] = value
  return item
}

/** No request holds the flow, by default. */
export function idle(given: Given = {}): StageRecord {
  const record = readStageRecord(itemOf(given))
  if (record === undefined) throw new Error('the given record cannot be read')
  return record
}

/** `r4`, sent at 5, holds the flow. */
export function running(given: Given = {}): StageRecord & { readonly run: StageRun } {
  const record = idle({ uniquerequestid: 'r4', giveUpAt: GIVE_UP, ...given })
  const { run } = record
  if (run === undefined) throw new Error('the given record is idle')
  return { ...record, run }
}

/** A first delivery of `r4` to its stage `validate`. */
export function request(
  given: Partial<StartRequest & StageRequest> = {},
): StartRequest & StageRequest {
  return {
    stage: 'validate',
    uniqueRequestId: 'r4',
    attemptId: 'mine',
    leaseUntil: NOW + 30_000,
    maxAttempts: 3,
    resendNumber: 0,
    death: undefined,
    giveUpAt: GIVE_UP,
    refused: false,
    history: undefined,
    seen: 0,
    young: true,
    fifo: false,
    sentAt: 5,
    process: 'newest',
    onConflict: 'defer',
    epoch: 3,
    ...given,
  }
}

/** A verdict without the record that was judged, which has to be the given one. */
export type Then = Readonly<Record<string, unknown>> & { readonly kind: StageVerdict['kind'] }

export function expectVerdict(
  verdict: StageVerdict,
  then: Then,
  record: StageRecord | undefined,
): void {
  if ('record' in verdict) {
    expect(verdict.record).toBe(record)
    expect(verdict).toEqual({ ...then, record })
  } else {
    expect(verdict).toEqual(then)
  }
}
