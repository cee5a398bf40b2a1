import { MAX_LAMBDA_MS } from '../../protocol/claim/lease.ts'
import type { Clock } from '../../base/clock.ts'

/** The end of an invocation's time, less a margin in which no work is started any more. */
export interface Deadline {
  /** When the margin begins, epoch milliseconds. undefined: unknown. */
  readonly deadline: number | undefined
  /** Aborts at the deadline. */
  readonly signal: AbortSignal
  /** Aborts when half of the margin is over: work that still runs is waited for no longer, and must not send any more. */
  readonly over: AbortSignal
  /** @returns undefined once `over` has aborted */
  unlessOver<T>(work: Promise<T>): Promise<T | undefined>
  /** Aborts when three quarters of the margin are over: the invocation answers with what has ended by then. */
  readonly closed: AbortSignal
  /** @returns undefined once `closed` has aborted */
  unlessClosed<T>(work: Promise<T>): Promise<T | undefined>
  /** Milliseconds until the deadline. */
  remainingTime(): number
  close(): void
}

/** The margin is at most a fifth of the function's timeout. */
const MARGIN_SHARE = 0.2

/** @param left until Lambda ends the invocation, milliseconds; undefined: unknown */
export function openDeadline(clock: Clock, left: number | undefined, wanted: number): Deadline {
  const margin = Math.min(wanted, (left ?? Infinity) * MARGIN_SHARE)
  const deadline = left === undefined ? undefined : clock.now() + left - margin
  const [near, over, closed] = [
    openEnd('the time of the invocation is nearly up'),
    openEnd('the time of the invocation is up'),
    openEnd('the time of the invocation is up'),
  ]
  const timers: NodeJS.Timeout[] = []
  const begin = (): void => {
    near.come()
    timers.push(setTimeout(over.come, margin / 2), setTimeout(closed.come, (margin * 3) / 4))
  }
  if (left !== undefined && left > margin) timers.push(setTimeout(begin, left - margin).unref())
  else if (left !== undefined) begin()
  return {
    deadline,
    signal: near.signal,
    over: over.signal,
    unlessOver: over.unless,
    closed: closed.signal,
    unlessClosed: closed.unless,
    remainingTime: () =>
      deadline === undefined ? MAX_LAMBDA_MS : Math.max(deadline - clock.now(), 0),
    close: () => timers.forEach(clearTimeout),
  }
}

/**
 * One end for all that runs: a timer and a listener for each record would be a tenth of what a record costs. Without an end a
 * handler that ignores the signal would take the finished records of its batch along when the sandbox is killed.
 */
function openEnd(reason: string) {
  const controller = new AbortController()
  const { promise, resolve } = Promise.withResolvers<undefined>()
  return {
    signal: controller.signal,
    unless: <T>(work: Promise<T>): Promise<T | undefined> => Promise.race([work, promise]),
    come(): void {
      // First: work that the signal aborts would otherwise count as failed.
      resolve(undefined)
      controller.abort(new Error(reason))
    },
  }
}
