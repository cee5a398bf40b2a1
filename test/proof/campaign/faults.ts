import type { Faults } from '../../../src/testing/local/index.ts'

/** Everything at once. */
export const EVERY_FAULT: Faults = {
  duplicate: 0.08,
  duplicateLater: 0.04,
  kill: 0.004,
  loseAnswer: 0.012,
  throttle: 0.012,
  shuffle: true,
  conflict: 0.01,
  transactionTime: 5,
  staleRead: 0.1,
  hang: 0.001,
  sandboxDeath: 0.01,
  freeze: 0.5,
}

/** The tables of the users do not answer for a while, Lineclear's own does. */
export const THROTTLED: Faults = {
  ...EVERY_FAULT,
  throttleTables: ['effects', 'ledger'].map((table) => ({ table, after: 1_500, for: 4_000 })),
}

/** For batches of a hundred. Each death loses a hundred records: with as many as above the retries would take the most of a run. */
export const THROTTLED_BATCHES: Faults = { ...THROTTLED, kill: 0.003, sandboxDeath: 0.01 }

/**
 * For attempts that run on: only their own time ends an invocation, no code is frozen, and none hangs. Those that run on die with their
 * process now and then, too.
 */
export const RUNNING_ON: Faults = { ...EVERY_FAULT, freeze: 0, hang: 0, sandboxDeath: 0 }
