import type { Envelope } from '../envelope/envelope.ts'
import { RejectedError } from '../../base/errors.ts'
import { kindOf } from '../../base/kindOf.ts'
import { TIME_EXPECTED, toTime } from '../../base/time.ts'

/**
 * When the sender made the request, according to its payload. A time after the first sending comes from a clock that is ahead.
 * The queue's time is used instead, because otherwise `newerThan` would refuse the requests after it.
 * @param now used for a record that does not say when its queue accepted it
 * @throws RejectedError when `given` is not a time
 */
export function senderTime(given: unknown, { carried, enqueuedAt }: Envelope, now: number): number {
  const time = toTime(given)
  if (time === undefined) {
    throw new RejectedError(`sentAt(payload) gave ${shown(given)}: expected ${TIME_EXPECTED}`)
  }
  // A copy carries the time of the first sending: the queue accepted the copy itself later.
  const isCopy = carried.retry > 0 || carried.death !== undefined
  return Math.min(time, (isCopy ? carried.sentAt : undefined) ?? enqueuedAt ?? now)
}

/** Never quotes the value: payloads must not end up in the log. */
function shown(given: unknown): string {
  if (given instanceof Date) return 'an invalid Date, or one before 1970'
  if (typeof given === 'number') return 'a number that is no time, or seconds'
  return typeof given === 'string' ? 'a text that is no time with a zone' : kindOf(given)
}
