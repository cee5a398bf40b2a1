import { env } from 'node:process'

/** `npm run proof` explores what `npm test` takes samples of. */
export const isProof: boolean = env['LINECLEAR_PROOF'] !== undefined

/** LINECLEAR_PROOF=whole, each night: every schedule. Otherwise the first ones, up to a bound. */
export const isWhole: boolean = env['LINECLEAR_PROOF'] === 'whole'

/** All of them in the proof, else every `nth`, the first one included. */
export function sampled<T>(all: readonly T[], every: number): readonly T[] {
  return isProof ? all : all.filter((_, nth) => nth % every === 0)
}

/**
 * All of them each night; else every `nth`, other ones for each LINECLEAR_TURN, which CI takes from the commit. In a file that CI runs
 * for every third turn, thirds would always be the same ones: it takes halves.
 */
export function inTurn<T>(all: readonly T[], every: number): readonly T[] {
  const turn = Number(env['LINECLEAR_TURN'] ?? 0)
  // Else nothing would be in turn, and nothing would fail.
  if (!Number.isInteger(turn))
    throw new Error(`LINECLEAR_TURN: expected a whole number; got ${turn}`)
  return isWhole ? all : all.filter((_, nth) => nth % every === turn % every)
}

/** How many schedules are explored. */
export function bound(sample: number, proof: number, whole: number): number {
  if (isWhole) return whole
  return isProof ? proof : sample
}
