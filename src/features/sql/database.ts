import type { SqlAttempt } from '../../context/sqlEffects.ts'

/** A database with transactions in which the fence and the marks are rows. */
export interface FencedDatabase<Tx> {
  /**
   * Runs `work` in one transaction and commits it.
   * @param left when the transaction must have ended, milliseconds from now: the database ends it by itself
   */
  transaction<T>(left: number, work: (tx: Tx, rows: FenceRows) => Promise<T>): Promise<T>
  /**
   * Why a transaction failed. `conflict`: serialization failure or deadlock. `lost`: the connection broke, and whether it was
   * committed is unknown. `own`: what the function itself has thrown.
   */
  readonly whyFailed: (error: unknown) => 'conflict' | 'lost' | 'own'
}

type Passed = 'superseded' | 'made' | 'open'

/** The rows of one transaction. What they throw that is neither a conflict nor a lost connection is a Lineclear error. */
export interface FenceRows {
  /** Passes the gate and sets the mark. */
  enter(attempt: SqlAttempt, name: string): Promise<Passed>
  /** Passes the gate and keeps the marks of the request for another retention. */
  raise(attempt: SqlAttempt): Promise<Exclude<Passed, 'made'>>
  /**
   * The effects of the request in the stage of the attempt, and their results. Complete only after `raise` in the same
   * transaction, whichever answer that had.
   */
  made(attempt: SqlAttempt): Promise<ReadonlyMap<string, string | undefined>>
  /** @returns false: the transaction that set the mark is over */
  keep(attempt: SqlAttempt, name: string, result: string): Promise<boolean>
  /** The result that an earlier transaction has stored. */
  result(attempt: SqlAttempt, name: string): Promise<string | undefined>
}
