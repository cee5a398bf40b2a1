import { MAX_LAMBDA_MS } from '../claim/lease.ts'
import type { Clock } from '../base/clock.ts'

/** The end of an invocation's time, less a reserve in which no work is started any more. Times in milliseconds. */
interface Deadline {
  /** Epoch milliseconds. undefined: unknown. */
  readonly at: number | undefined
  readonly reserve: number
  /** Aborts at the deadline. */
  readonly signal: AbortSignal
  /** Aborts when half of the reserve is over: work that still runs is waited for no longer. */
  readonly over: AbortSignal
  /** @returns undefined once `over` has aborted */
  unlessOver<T>(work: Promise<T>): Promise<T | undefined>
  /** Aborts when three quarters of the reserve are over: the invocation answers with what has ended by then. */
  readonly closed: AbortSignal
  /** @returns undefined once `closed` has aborted */
  unlessClosed<T>(work: Promise<T>): Promise<T | undefined>
  remainingTime(): number
  close(): void
}

/** The reserve is at most a fifth of the function's timeout. */
const RESERVE_SHARE = 0.2
/** Share of the reserve. The rest is for the answer's way to Lambda. */
const CLOSED_AFTER = 0.75

/** @param left until Lambda ends the invocation; undefined: unknown */
export function openDeadline(clock: Clock, left: number | undefined, wanted: number): Deadline {
  const reserve = left === undefined ? wanted : Math.min(wanted, left * RESERVE_SHARE)
  const at = left === undefined ? undefined : clock.now() + left - reserve
  const time = new AbortController()
  const [wait, last] = [openWait(), openWait()]
  const timers: NodeJS.Timeout[] = []
  const end = (): void => {
    time.abort(new Error('the time of the invocation is nearly up'))
    timers.push(setTimeout(over, reserve / 2))
  }
  const over = (): void => {
    timers.push(setTimeout(last.end, reserve * (CLOSED_AFTER - 0.5)))
    wait.end()
  }
  if (left !== undefined && left > reserve) timers.push(setTimeout(end, left - reserve).unref())
  else if (left !== undefined) end()
  return {
    at,
    reserve,
    signal: time.signal,
    over: wait.over,
    unlessOver: wait.unlessOver,
    closed: last.over,
    unlessClosed: last.unlessOver,
    remainingTime: () => (at === undefined ? MAX_LAMBDA_MS : Math.max(at - clock.now(), 0)),
    close: () => timers.forEach(clearTimeout),
  }
}

/**
 * One end for all that runs: a timer and a listener for each record would be a tenth of what a record costs. Without an end a
 * handler that ignores the signal would take the finished records of its batch along when the sandbox is killed.
 */
function openWait(): Pick<Deadline, 'over' | 'unlessOver'> & { end(): void } {
  const controller = new AbortController()
  const waiting = new Set<() => void>()
  return {
    over: controller.signal,
    unlessOver: (work) =>
      new Promise((resolve, reject) => {
        const giveUp = (): void => resolve(undefined)
        if (controller.signal.aborted) giveUp()
        else waiting.add(giveUp)
        const once =
          <V>(settle: (value: V) => void) =>
          (value: V): void => {
            waiting.delete(giveUp)
            settle(value)
          }
        work.then(once(resolve), once(reject))
      }),
    end() {
      // First: work that the signal aborts would otherwise count as failed.
      for (const giveUp of waiting) giveUp()
      controller.abort(new Error('the time of the invocation is up'))
    },
  }
}
