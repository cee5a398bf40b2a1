const [SEED, RUNS] = [process.env['LINECLEAR_FUZZ_SEED'], process.env['LINECLEAR_FUZZ_RUNS']]

/**
 * The same values in every run, unless the environment says otherwise: `LINECLEAR_FUZZ_SEED=7` others,
 * `LINECLEAR_FUZZ_RUNS=50` fifty times as many.
 */
export function settings(runs: number): { readonly seed: number; readonly numRuns: number } {
  return { seed: Number(SEED ?? 20_260_101), numRuns: runs * Number(RUNS ?? 1) }
}

/** Milliseconds. */
export const PATIENCE: number = 30_000 * Number(RUNS ?? 1)

/** Fails when a value has got into what all objects share. */
export function assertUnpolluted(): void {
  const names = Object.keys(Object.prototype)
  if (names.length > 0) throw new Error(`Object.prototype has ${names.join()}`)
}
