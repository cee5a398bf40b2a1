import type { Simulation } from './simulation.ts'

/** Chance of each invocation's own, and the same whenever the schedule is repeated. As of `Math.random`. */
export function seededRandom(simulation: Simulation): () => number {
  const states = new Map<number, number>()
  return () => {
    const number = simulation.current?.number ?? 0
    const state = ((states.get(number) ?? seedOf(number)) + STEP) >>> 0
    states.set(number, state)
    return mixed(state) / 2 ** 32
  }
}

/** mulberry32: good enough for names and jitter, and cheap. */
const STEP = 0x6d2b79f5

function mixed(state: number): number {
  let mix = Math.imul(state ^ (state >>> 15), state | 1)
  mix ^= mix + Math.imul(mix ^ (mix >>> 7), mix | 61)
  return (mix ^ (mix >>> 14)) >>> 0
}

/** Far from those of the others, so that no two draw the same. */
function seedOf(number: number): number {
  return Math.imul(number + 1, 0x9e3779b1) >>> 0
}
