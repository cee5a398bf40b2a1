import type { InvocationOutcome } from './invoke.ts'

/** An invocation that has ended. */
export interface InvocationReport {
  /** Counts from 1 in each mapping. */
  readonly number: number
  readonly awsRequestId: string
  /** In the order of the event's records. */
  readonly messageIds: readonly string[]
  readonly outcome: InvocationOutcome['kind']
  /** What the handler threw, when `outcome` is `failed`. */
  readonly error?: unknown
  /** The ids of the messages that stay on the queue. */
  readonly failures: readonly string[]
  /** The SDK calls on instrumented clients in order, such as `SendMessage`: the points where faults can be injected. */
  readonly calls: readonly string[]
}

/** Running totals of a mapping: invocations, deliveries and injected faults. */
export interface Counts {
  invocations: number
  /** Records passed to the handler, with duplicates and redeliveries. */
  deliveries: number
  /** Records that were delivered twice, at the same time or later. */
  duplicates: number
  kills: number
  lostAnswers: number
  throttles: number
  /** Calls that a throttled table refused. */
  tableThrottles: number
  /** Requests that were never answered. */
  hangs: number
  /** Calls that met a transaction on one of their items. */
  conflicts: number
  /** Reads that showed an older version of an item. */
  staleReads: number
  timeouts: number
  /** Invocations that threw, died or timed out. */
  failedInvocations: number
  /** Messages that SQS deleted. */
  deleted: number
}

export function noCounts(): Counts {
  return {
    invocations: 0,
    deliveries: 0,
    duplicates: 0,
    kills: 0,
    lostAnswers: 0,
    throttles: 0,
    tableThrottles: 0,
    hangs: 0,
    conflicts: 0,
    staleReads: 0,
    timeouts: 0,
    failedInvocations: 0,
    deleted: 0,
  }
}
