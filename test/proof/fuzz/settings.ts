import { env } from 'node:process'
import { bound } from '../depth.ts'

const SEED = Number(env['LINECLEAR_FUZZ_SEED'] ?? 20_260_101)
/** This many times the runs of `npm test`. */
const RUNS = Number(env['LINECLEAR_FUZZ_RUNS'] ?? bound(0.5, 2, 5))

/**
 * The same values in every run, unless the environment says otherwise: `LINECLEAR_FUZZ_SEED=7` others,
 * `LINECLEAR_FUZZ_RUNS=50` fifty times as many.
 */
export function settings(runs: number): { readonly seed: number; readonly numRuns: number } {
  return { seed: SEED, numRuns: Math.ceil(runs * RUNS) }
}

/** Milliseconds. */
export const PATIENCE: number = 30_000 * Math.max(1, RUNS)

/** Fails when a value has got into what all objects share. */
export function assertUnpolluted(): void {
  const names = Object.keys(Object.prototype)
  if (names.length > 0) throw new Error(`Object.prototype has ${names.join()}`)
}
