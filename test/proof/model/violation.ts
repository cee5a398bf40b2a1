import type { Simulation } from '../../../src/testing/crashes/simulation/simulation.ts'

const violations = new WeakMap<Simulation, string>()

/** Notes that the schedule broke a promise. The first one counts: others may follow from it. */
export function violate(simulation: Simulation, what: string): void {
  if (!violations.has(simulation)) violations.set(simulation, what)
}

export function violationOf(simulation: Simulation): string | undefined {
  return violations.get(simulation)
}
