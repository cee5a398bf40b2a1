import type { Simulation } from './simulation.ts'

/** Stands in for `Math.random`: each invocation has its own sequence, the same whenever the schedule is repeated. */
export function seededRandom(simulation: Simulation): () => number {
  const states = new Map<number, number>()
  return () => {
    const number = simulation.current?.number ?? 0
    const state = ((states.get(number) ?? seedOf(number)) + STEP) >>> 0
    states.set(number, state)
    return mixed(state) / 2 ** 32
  }
}

/** mulberry32: cheap, and random enough for ids and jitter. */
const STEP = 0x6d2b79f5

function mixed(state: number): number {
  let mix = Math.imul(state ^ (state >>> 15), state | 1)
  mix ^= mix + Math.imul(mix ^ (mix >>> 7), mix | 61)
  return (mix ^ (mix >>> 14)) >>> 0
}

/** Seeds of different invocations are far apart, so that no two sequences overlap. */
function seedOf(number: number): number {
  return Math.imul(number + 1, 0x9e3779b1) >>> 0
}
