import { DAY_MS } from '../../base/limits/lifetime.ts'
import type { Fencing } from '../../claim/hold.ts'

/** The row of a subject in `lineclear_fence`. Times are epoch milliseconds. */
export interface FenceRow {
  readonly epoch: number
  /** The highest fence of each stage in this epoch. */
  readonly stages: Readonly<Record<string, number>>
  /** From then on the row refuses no attempt: the claim may have been forgotten, and its fence may begin at 1 again. */
  readonly expires: number
}

/** A row of `lineclear_mark`: the effect was made. */
export interface MarkRow {
  /** undefined: the function has ended the transaction by itself, before the result was stored. */
  readonly result: string | undefined
  readonly made: number
  readonly expires: number
}

/**
 * The rule of the gate, which `statements.ts` expresses in SQL: every transaction begins with it, holds the lock of the row to its
 * end, and so waits for the transactions of earlier attempts.
 * @returns the row as the attempt leaves it; undefined: a later attempt has raised the fence
 */
export function raised(
  row: FenceRow | undefined,
  { epoch, stage, fence }: Fencing,
  retention: number,
  now: number,
): FenceRow | undefined {
  const own = { [stage]: fence }
  const expires = now + retention
  // The epoch of an expired row says nothing: a new life of the subject counts from 1 again.
  if (row === undefined || row.expires < now || row.epoch < epoch) {
    return { epoch, stages: own, expires }
  }
  if (row.epoch > epoch || (row.stages[stage] ?? 0) > fence) return undefined
  return { epoch, stages: { ...row.stages, ...own }, expires }
}

export function isMade(mark: MarkRow | undefined, now: number): boolean {
  return mark !== undefined && mark.expires >= now
}

/**
 * How long a mark is kept, milliseconds. Longer than the request can come back, because the clock of the database is another one:
 * a mark that is missing repeats its effect, and a mark that is kept too long suppresses it.
 */
export function markKeptFor(retention: number): number {
  return retention + Math.min(retention / 10, DAY_MS)
}
