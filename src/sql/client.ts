/**
 * Runs statements that are given as a tagged template gives them; the values are texts. It answers with the rows, or with an
 * object that has `rows`.
 * @example const run: SqlTag = (strings, ...values) => tx.execute(sql(strings, ...values))
 */
export type SqlTag = (
  strings: TemplateStringsArray,
  ...values: readonly string[]
) => PromiseLike<unknown>

/**
 * A database client that can run a function in a transaction of PostgreSQL: it begins one, hands it to `work` with a way to run
 * statements in it, and commits when `work` has ended. It must not repeat `work` by itself.
 * @example
 * // Kysely: import { sql } from 'kysely'
 * const kysely = postgresEffects({
 *   transaction: (work) =>
 *     db.transaction().execute((tx) => work(tx, (strings, ...values) => sql(strings, ...values).execute(tx))),
 * })
 */
export interface SqlClient<Tx> {
  /** @returns what `work` has returned, after the COMMIT. @throws what `work` has thrown, or what the COMMIT met */
  transaction(work: (tx: Tx, run: SqlTag) => Promise<unknown>): Promise<unknown>
}
