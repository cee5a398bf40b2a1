import { setTimeout as sleep } from 'node:timers/promises'
import type { SqsHandler } from '../../../src/consumer/recordHandler.ts'
import { currentInvocation, untilTerminated } from '../../../src/testing/local/faults/invocation.ts'
import { randomOf } from './plan.ts'

/** Attempts that run on after their time, as on Lambda Managed Instances, where nothing stops their code. */
export interface Overtime {
  /** Ends each invocation at its time, as failed. Its code runs on, beside the next attempts. */
  ends(handler: SqsHandler): SqsHandler
  /** A pause within a handler. Some are longer than its time and its lease. */
  pause(): Promise<void>
  /** Resolves when no code runs on any more. @returns how many invocations were cut off at their time */
  over(): Promise<number>
}

const LONG_SHARE = 0.03
/** Beyond the time of an attempt. Its lease ends after five seconds more, so that two attempts run for some seconds side by side. */
const BEYOND_MS = 8_000

/** A handler that was given up is seen only while it pauses. */
const BETWEEN_PAUSES_MS = 500

/** @param timeout of the functions, seconds */
export function openOvertime(seed: number, timeout: number): Overtime {
  const random = randomOf(seed)
  const running = new Set<Promise<unknown>>()
  const long = timeout * 1_000 + BEYOND_MS
  let ranOn = 0
  /** Until `work` has ended, `over` has not. The code of a killed process does nothing more, so it never ends: its calls stay unanswered. */
  const follow = (work: Promise<unknown>): void => {
    const invocation = currentInvocation()
    const ended: Promise<unknown> = Promise.race([
      work,
      ...(invocation === undefined ? [] : [untilTerminated(invocation)]),
    ]).then(gone, gone)
    running.add(ended)
    function gone(): void {
      running.delete(ended)
    }
  }
  return {
    ends: (handler) => async (event, context) => {
      const until = Date.now() + timeout * 1_000
      const left = { ...context, getRemainingTimeInMillis: () => until - Date.now() }
      const work = handler(event, left)
      follow(work)
      const over = new AbortController()
      const late = async (): Promise<never> => {
        await sleep(timeout * 1_000, undefined, { signal: over.signal })
        ranOn += 1
        throw new Error(`timed out after ${timeout} s; its code runs on`)
      }
      return Promise.race([work, late()]).finally(() => over.abort())
    },
    async pause() {
      const pause = sleep(random() < LONG_SHARE ? long * (0.5 + random()) : random() * 5)
      follow(pause)
      await pause
    },
    async over() {
      while (running.size > 0) {
        await Promise.all(running)
        await sleep(BETWEEN_PAUSES_MS)
      }
      return ranOn
    },
  }
}

/** Handlers without it. */
export const NO_PAUSE = (): Promise<void> => Promise.resolve()
