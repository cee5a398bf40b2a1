import { AsyncLocalStorage } from 'node:async_hooks'
import type { Clock } from '../../../src/library/base/clock.ts'
import { mode } from './mode.ts'

/** How far the clock of the running Lambda is ahead, milliseconds. */
const ahead = new AsyncLocalStorage<number>()

let passed = 0
let lambdas = 0
const clocks = new WeakMap<object, number>()

/** As `clock`, but each Lambda has its own, and the lease of a killed one ends at once. */
export function modeTime<Given extends Clock>(clock: Given): Given {
  return { ...clock, now: () => clock.now() + passed + (ahead.getStore() ?? 0) }
}

/** Runs it by the clock of that Lambda: each has the next clock of the mode. */
export function byClockOf<T>(lambda: object, run: () => T): T {
  const { clocks: list = [0] } = mode
  const own = clocks.get(lambda) ?? list[(lambdas += 1) % list.length] ?? 0
  clocks.set(lambda, own)
  return ahead.run(own, run)
}

/** Longer than LEASE_MARGIN_MS. */
const MARGIN_MS = 6_000

/** Advances the time past the lease of an invocation with this remaining time. */
export function passLease(remaining: number): void {
  passed += remaining + MARGIN_MS
}

/** Each test begins in the present and with the first clock, in any order of tests. */
export function backToPresent(): void {
  passed = 0
  lambdas = 0
}
