import type { Faults } from 'lineclear/local'

export const FAULT_NAMES = ['duplicate', 'kill', 'late', 'lose', 'shuffle', 'throttle'] as const
export type FaultName = (typeof FAULT_NAMES)[number]

/** Probabilities are per record for duplicates, per SDK call for the others. */
const RATES: Readonly<Record<FaultName, Faults>> = {
  duplicate: { duplicate: 0.08, duplicateLater: 0.04 },
  kill: { kill: 0.004 },
  // They have payments and queues of their own.
  late: {},
  lose: { loseAnswer: 0.012 },
  shuffle: { shuffle: true },
  throttle: { throttle: 0.012 },
}

/** What each one means, here and in the calls of the processor (calls.ts). */
export const MEANINGS: Readonly<Record<FaultName, string>> = {
  duplicate: 'the processor calls twice, and SQS delivers twice',
  kill: 'functions die between any two of their requests',
  late: 'attempts reach their timeout and run on (ten payments of their own)',
  lose: 'requests are carried out, and their answers get lost',
  shuffle: 'callbacks arrive out of order',
  throttle: 'requests are refused as too many',
}

export function isFaultName(name: string): name is FaultName {
  return Object.hasOwn(RATES, name)
}

export function faultsOf(names: readonly FaultName[], seed: number): Faults {
  return names.reduce<Faults>((faults, name) => ({ ...faults, ...RATES[name] }), { seed })
}
