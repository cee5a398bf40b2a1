import { MAX_LAMBDA_MS } from '../claim/lease.ts'
import type { Clock } from '../clock.ts'

/** The end of an invocation's time, less a reserve in which no work is started any more. Times in milliseconds. */
interface Deadline {
  /** Epoch milliseconds. undefined: unknown. */
  readonly at: number | undefined
  readonly reserve: number
  /** Aborts at the deadline. */
  readonly signal: AbortSignal
  remainingTime(): number
  close(): void
}

/** The reserve is at most a fifth of the function's timeout. */
const RESERVE_SHARE = 0.2

/** @param left until Lambda ends the invocation; undefined: unknown */
export function openDeadline(clock: Clock, left: number | undefined, wanted: number): Deadline {
  const reserve = left === undefined ? wanted : Math.min(wanted, left * RESERVE_SHARE)
  const at = left === undefined ? undefined : clock.now() + left - reserve
  const time = new AbortController()
  const timer = left === undefined ? undefined : abortAfter(time, left - reserve)
  return {
    at,
    reserve,
    signal: time.signal,
    remainingTime: () => (at === undefined ? MAX_LAMBDA_MS : Math.max(at - clock.now(), 0)),
    close: () => clearTimeout(timer),
  }
}

function abortAfter(time: AbortController, milliseconds: number): NodeJS.Timeout | undefined {
  const abort = (): void => time.abort(new Error('the time of the invocation is nearly up'))
  if (milliseconds <= 0) {
    abort()
    return undefined
  }
  return setTimeout(abort, milliseconds).unref()
}
