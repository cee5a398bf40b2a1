import type { Value } from '../../../store/store.ts'

/** What the table shows about one request. */
export interface KnownRequest {
  /** Requests and ledger rows with the same text belong together. */
  readonly joinKey: string
  /** undefined: only a digest of it is stored, as for most requests of a flow that have ended. */
  readonly id: string | undefined
  /** Partition key of the item that shows it. */
  readonly pk: string
  readonly state: RequestState
  /** Names of the effects that it has certainly made, for a request that has not completed. */
  readonly marks: readonly string[]
  /** It has made no effect before then, epoch milliseconds. undefined: not known. */
  readonly began: number | undefined
  /** Whether `began` is the claim of a later attempt, so that an earlier one may have made effects before. */
  readonly retried: boolean
  /** What is stored here was made by then, epoch milliseconds. undefined: not known. */
  readonly settledBy: number | undefined
  /** An earlier life of the request, whose end was forgotten after its retention, may have made effects too. */
  readonly mayHaveRunBefore: boolean
}

/**
 * `completed`: its handler ended well. `resolved`: an operator ended it. `reset`: its run of a flow was superseded, reset or undone.
 * `dead`: dead-lettered, or parked. `open`: an attempt runs, or is to come.
 */
export type RequestState = 'completed' | 'resolved' | 'reset' | 'dead' | 'open'

/** An ISO time of an item as epoch milliseconds. */
export function storedTime(value: Value | undefined): number | undefined {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isNaN(time) ? undefined : time
}
