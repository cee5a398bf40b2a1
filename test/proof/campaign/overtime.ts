import { setTimeout as sleep } from 'node:timers/promises'
import { currentInvocation, untilTerminated } from '../../../src/testing/local/faults/invocation.ts'
import { randomOf } from './plan.ts'

/** Attempts that are longer than their time: on Lambda Managed Instances nothing stops their code. */
export interface Overtime {
  /** A pause within a handler. Some are longer than its time and its lease. */
  pause(): Promise<void>
  /** Resolves when no handler pauses any more, also one whose invocation was answered before its time. */
  over(): Promise<void>
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
    },
  }
}

/** Handlers without it. */
export const NO_PAUSE = (): Promise<void> => Promise.resolve()
