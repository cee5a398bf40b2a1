import type { Faults } from 'lineclear/local'

/** What goes wrong, by the names of `--faults`. Probabilities are per record (duplicates) or per SDK call (the others). */
const RATES = {
  /** Besides, the provider calls twice: see calls.ts. */
  duplicate: { duplicate: 0.08, duplicateLater: 0.04 },
  kill: { kill: 0.004 },
  lose: { loseAnswer: 0.012 },
  /** Besides, the calls arrive out of order: see calls.ts. */
  shuffle: { shuffle: true },
  throttle: { throttle: 0.012 },
} as const satisfies Record<string, Faults>

export type FaultName = keyof typeof RATES

export const FAULT_NAMES: readonly FaultName[] = [
  'duplicate',
  'kill',
  'lose',
  'shuffle',
  'throttle',
]

export function isFaultName(name: string): name is FaultName {
  return Object.hasOwn(RATES, name)
}

export function faultsOf(names: readonly FaultName[], seed: number): Faults {
  return names.reduce<Faults>((faults, name) => ({ ...faults, ...RATES[name] }), { seed })
}
