import type { Envelope } from '../envelope/envelope.ts'
import { RejectedError } from '../../errors.ts'
import { kindOf } from '../../kindOf.ts'
import { TIME_EXPECTED, toTime } from '../../time.ts'

/**
 * When the sender made the request, as its payload says. It cannot be later than its first sending: where it is, the
 * sender's clock is ahead, and the queue's time stands in; else its request would shut out those after it.
 * @param now for a record that does not say when its queue took it
 * @throws RejectedError when it gives no time
 */
export function senderTime(given: unknown, { carried, enqueuedAt }: Envelope, now: number): number {
  const time = toTime(given)
  if (time === undefined) {
    throw new RejectedError(`sentAt(payload) gave ${shown(given)}: expected ${TIME_EXPECTED}`)
  }
  // What a copy carries is what was found at first: the queue has taken the copy later.
  const isCopy = carried.retry > 0 || carried.death !== undefined
  return Math.min(time, (isCopy ? carried.sentAt : undefined) ?? enqueuedAt ?? now)
}

/** Values of payloads stand in no error text. */
function shown(given: unknown): string {
  if (given instanceof Date) return 'an invalid Date, or one before 1970'
  if (typeof given === 'number') return 'a number that is no time'
  return typeof given === 'string' ? 'a text that is no time with a zone' : kindOf(given)
}
