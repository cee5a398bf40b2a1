import type { InvocationOutcome } from './invoke.ts'

/** One ended invocation. */
export interface InvocationReport {
  /** Counts from 1 in each mapping. */
  readonly number: number
  readonly awsRequestId: string
  /** In the order of the event's records. */
  readonly messageIds: readonly string[]
  readonly outcome: InvocationOutcome['kind']
  /** What the handler threw, when `outcome` is `failed`. */
  readonly error?: unknown
  /** The message ids that stay on the queue. */
  readonly failures: readonly string[]
  /** The SDK calls that left on instrumented clients, in order, such as `SendMessage`: the points at which faults can hit. */
  readonly calls: readonly string[]
}

/** Running totals of a mapping, with every injected fault. */
export interface Counts {
  invocations: number
  /** Records handed to the handler, every copy and redelivery among them. */
  deliveries: number
  /** Records given twice, at once or later. */
  duplicates: number
  kills: number
  lostAnswers: number
  throttles: number
  /** Calls on a table that is throttled for a while. */
  tableThrottles: number
  /** Requests that were accepted and never answered. */
  hangs: number
  /** Calls that met a transaction on an item of theirs. */
  conflicts: number
  /** Reads that showed what was no longer so. */
  staleReads: number
  timeouts: number
  /** Invocations that threw, died or ran out of time. */
  failedInvocations: number
  /** Messages whose delete SQS took. */
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
