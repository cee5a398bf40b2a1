import type { Faults } from '../../../src/testing/local/index.ts'
import { EVERY_FAULT } from './faults.ts'

/** A mode in which one kind of fault happens all the time. */
export interface Mode {
  /** For the command line. */
  readonly id: 'twice' | 'atOnce' | 'lost' | 'dying' | 'clocks' | 'conflicts' | 'stale' | 'ten'
  readonly name: string
  readonly faults: Faults
  readonly concurrency?: number
  readonly clocks?: readonly number[]
  /** Of the functions, seconds. Default 2. */
  readonly timeout?: number
  /** Nothing fails, and nothing is sent twice: with such clocks a retry would wait for hours. */
  readonly calm?: true
}

const HOUR_MS = 3_600_000

export const MODES: readonly Mode[] = [
  // Drawn for each delivery: with 1 a message would never be deleted.
  {
    id: 'twice',
    name: 'messages come twice, and thrice',
    faults: { duplicateLater: 0.6, shuffle: true },
  },
  {
    id: 'atOnce',
    name: 'every message twice at once',
    faults: { duplicate: 1, shuffle: true },
  },
  { id: 'lost', name: 'a fifth of the answers lost', faults: { loseAnswer: 0.2 } },
  { id: 'dying', name: 'functions die', faults: { kill: 0.007 } },
  {
    id: 'clocks',
    name: 'clocks an hour apart',
    faults: { duplicate: 0.5 },
    clocks: [HOUR_MS, 0, -HOUR_MS],
    // An attempt that a slow machine ends at its time would be made again an hour later.
    timeout: 30,
    calm: true,
  },
  {
    id: 'conflicts',
    name: 'items in transactions of others',
    faults: { conflict: 0.1, transactionTime: 10, duplicate: 0.2 },
  },
  {
    id: 'stale',
    name: 'reads a second behind',
    faults: { staleRead: 1, duplicateLater: 0.3, shuffle: true },
  },
  {
    id: 'ten',
    name: 'ten invocations in one process',
    faults: EVERY_FAULT,
    concurrency: 10,
  },
]
