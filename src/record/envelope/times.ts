import { isInFuture } from './lineclearAttributes.ts'

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/
const EPOCH = /^[1-9]\d{0,14}$/

/** SNS's `Timestamp` in epoch milliseconds. undefined: it is not an ISO time in UTC, or it is in the future. */
export function readTimestamp(text: unknown, now: number): number | undefined {
  if (typeof text !== 'string' || !ISO.test(text)) return undefined
  const time = Date.parse(text)
  return time > 0 && isSameDay(time, text) && !isInFuture(time, now) ? time : undefined
}

/** SQS's `SentTimestamp`: epoch milliseconds as a text. */
export function readSentTimestamp(text: unknown): number | undefined {
  return typeof text === 'string' && EPOCH.test(text) ? Number(text) : undefined
}

/**
 * A time that SQS has stamped is in the past, whatever the local clock says: to a clock that is an hour slow, it would be in the
 * future.
 */
export function latestKnownTime(now: number, stamped: number | undefined): number {
  return Math.max(now, stamped ?? now)
}

/** Detects dates that `Date.parse` shifts: it reads the 30th of February as the 2nd of March, and 24:00 as the next day. */
function isSameDay(time: number, text: string): boolean {
  return new Date(time).getUTCDate() === Number(text.slice(8, 10))
}

/** The times that copies and messages of a request carry. `takenAt` is included only if it differs from `sentAt`. */
export function timesOf({
  sentAt,
  takenAt,
}: {
  readonly sentAt: number
  readonly takenAt: number | undefined
}): { readonly sentAt: number; readonly takenAt?: number } {
  return takenAt === undefined || takenAt === sentAt ? { sentAt } : { sentAt, takenAt }
}
