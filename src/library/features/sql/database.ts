import type { SqlAttempt } from '../../run/context/sqlEffects.ts'

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
  /** @returns false: the transaction that set the mark is over */
  keep(attempt: SqlAttempt, name: string, result: string): Promise<boolean>
  /** The result that an earlier transaction has stored. */
  result(attempt: SqlAttempt, name: string): Promise<string | undefined>
}

/**
 * Runs statements that are given as a tagged template gives them; the values are texts. It answers with the rows, or with an
 * object that has `rows`.
 * @example const run: SqlTag = (strings, ...values) => sql(strings, ...values).execute(tx)
 */
export type SqlTag = (
  strings: TemplateStringsArray,
  ...values: readonly string[]
) => PromiseLike<unknown>

/** The compiler shows it where `tx` is used and its type is not known: TypeScript cannot infer it from the adapter. */
export interface NameTheTransactionType {
  readonly 'write postgresEffects<Transaction<Database>>({ … })'?: never
}

/**
 * A database client that can run a function in a transaction of PostgreSQL: it begins one, hands it to `work` with a way to run
 * statements in it, and commits when `work` has ended. It must not repeat `work` by itself. Under Kysely and Drizzle a pool of
 * `pg` needs `pool.on('connect', (client) => client.on('error', () => {}))`: else a connection that is lost within a transaction
 * ends the process.
 * @example
 * // `sql` and Transaction of kysely; Drizzle and postgres.js likewise.
 * const client: SqlClient<Transaction<Database>> = {
 *   transaction: (work) =>
 *     db.transaction().execute((tx) => work(tx, (strings, ...values) => sql(strings, ...values).execute(tx))),
 * }
 */
export interface SqlClient<Tx> {
  /** @returns what `work` has returned, after the COMMIT. @throws what `work` has thrown, or what the COMMIT met */
  transaction(work: (tx: Tx, run: SqlTag) => Promise<unknown>): Promise<unknown>
}
