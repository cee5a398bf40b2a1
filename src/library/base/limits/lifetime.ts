import { longestRetention } from './sqs.ts'

/**
 * How long each item and each object is kept: everything that belongs to a request lives as long as the request can still be
 * continued. README.md beside this file states the rule and lists what outlives what. All times are milliseconds.
 */
export const DAY_MS = 86_400_000

/** How long an ended request is remembered, by default. */
export const DEFAULT_RETENTION_MS: number = 30 * DAY_MS

/** SQS keeps no message for longer, dead letters included. */
const LONGEST_IN_QUEUE_MS = longestRetention * 1_000

/** Clocks differ, and DynamoDB deletes by its own: what is needed until a time is kept this much longer. */
const MARGIN_MS = DAY_MS

/** What operators may want to read a year later: the audit, pauses, applied plans. */
export const RECORDED_MS: number = 400 * DAY_MS

/** A plan that nothing has applied: as long as its dead letters can be on their queue, and a day. */
export const PLAN_KEPT_MS: number = LONGEST_IN_QUEUE_MS + MARGIN_MS

/** The value of the attribute `ttl`, epoch seconds. @param until epoch milliseconds */
export function ttlAt(until: number): number {
  return Math.ceil(until / 1_000)
}

/**
 * What has expired counts as gone, whether DynamoDB has deleted it or not: it deletes days late, and never early.
 * @param ttl the attribute, epoch seconds
 */
export function hasExpired(ttl: unknown, now: number): boolean {
  // @protects what has expired counts as gone also before DynamoDB deletes it
  // @without false @tests test/proof/lifetimes
  return typeof ttl === 'number' && ttl * 1_000 <= now
}

/**
 * Until when a run can be continued: run, redriven or reopened. A dead letter waits 14 days on its queue, and the redriven one up to
 * 14 on the queue of its stage; then the run gets its time limit again, which is at most the retention.
 * @param giveUpAt the time limit of its first life, epoch milliseconds
 */
export function continuableUntil(giveUpAt: number, retention: number): number {
  return giveUpAt + 2 * redrivenWithin(retention)
}

/** @param until when its run can no longer be continued, epoch milliseconds */
export function keptForRun(until: number): number {
  // @protects what belongs to a run is kept until the run can no longer be continued
  // @without until - 60 * DAY_MS @tests test/proof/lifetimes
  return until + MARGIN_MS
}

/** From its death on, how long a message about a request can still come, milliseconds. */
export function redrivenWithin(retention: number): number {
  // @protects a run can be continued from its dead letter, as long as that can be redriven twice
  // @without 0 @tests test/proof/lifetimes
  return Math.max(retention, 2 * LONGEST_IN_QUEUE_MS + 2 * DAY_MS)
}

/**
 * Days after which a lifecycle rule may expire payloads that are kept in S3, with the default retention: the message waits in the table
 * for as long as the retention, for the redrive of a dead sender, then runs and is retried for the retention, and is a dead letter.
 */
export const PAYLOAD_DAYS: number =
  (2 * DEFAULT_RETENTION_MS + 2 * LONGEST_IN_QUEUE_MS + 2 * MARGIN_MS) / DAY_MS
