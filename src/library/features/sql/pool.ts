// @acts

import { ConfigError, RetryableError } from '../../base/errors.ts'
import { textOf } from './statements.ts'
import type { SqlClient } from './database.ts'
import { whyFailed } from './setUpError.ts'

/** What is used of a pool of `pg`. */
export interface PostgresPool {
  connect(): Promise<PostgresClient>
  on(event: 'error', listener: (error: Error) => void): unknown
}

/** What is used of a client of `pg`. */
export interface PostgresClient {
  query(query: PostgresQuery | string, values?: unknown[]): Promise<PostgresResult<never>>
  on(event: 'error', listener: (error: Error) => void): unknown
  off(event: 'error', listener: (error: Error) => void): unknown
  release(destroy?: boolean): void
}

/** A query as `pg` takes it. @example const query: PostgresQuery = { text: 'select $1::int', values: [1] } */
export interface PostgresQuery {
  readonly text: string
  readonly values?: unknown[]
  /** Prepares the statement under this name. Default: not prepared. */
  readonly name?: string
}

/** The result of a query, as data. @example const { rowCount }: PostgresResult<never> = await tx.query('delete from carts') */
export interface PostgresResult<Row> {
  readonly rows: Row[]
  /** Rows that were read or changed; null for a command that has none. */
  readonly rowCount: number | null
  readonly command: string
}

/** The transaction of `ctx.sql` with a pool of `pg`. It is closed when the function has ended. */
export interface PostgresTransaction {
  /**
   * Runs one statement in the transaction. `Row` is what you know of its rows; nothing checks it.
   * @throws the error of `pg`, with its SQLSTATE as `code`; ConfigError after the function has ended
   * @example const { rows } = await tx.query<{ total: string }>('select sum(cents) as total from entries where account = $1', [id])
   */
  query<Row extends object = Record<string, unknown>>(
    query: PostgresQuery | string,
    values?: readonly unknown[],
  ): Promise<PostgresResult<Row>>
}

/** Runs each transaction on a connection of its own, which returns to the pool only when it is known to be in order. */
export function poolClient(pool: PostgresPool, isolation: string): SqlClient<PostgresTransaction> {
  // Without a listener the loss of an idle connection ends the process. The pool has replaced it by then.
  pool.on('error', () => {})
  return {
    async transaction(work) {
      const client = checked(await pool.connect())
      let broken = false
      const onError = (): void => {
        broken = true
      }
      // A frozen sandbox finds its connection closed when it thaws: without a listener that would end the process.
      client.on('error', onError)
      try {
        return await inTransaction(client, isolation, work)
      } catch (error) {
        broken ||= whyFailed(error) === 'lost'
        if (!broken) broken = await rollBack(client)
        throw error
      } finally {
        client.off('error', onError)
        client.release(broken)
      }
    },
  }
}

/** A single client has the methods of a pool, but connects to nothing that could be handed out. */
function checked(client: PostgresClient | undefined): PostgresClient {
  if (typeof client?.release === 'function') return client
  throw new ConfigError(
    'postgresEffects: the first argument: expected a Pool of pg; its connect() gave no client that can be released, as a Client ' +
      'does. Nothing was done. Write new Pool(…).',
  )
}

async function inTransaction<T>(
  client: PostgresClient,
  isolation: string,
  work: Parameters<SqlClient<PostgresTransaction>['transaction']>[0],
): Promise<T> {
  await client.query(`BEGIN ISOLATION LEVEL ${isolation}`)
  const { tx, close } = openTransaction(client)
  try {
    const result = await work(tx, (strings, ...values) =>
      client.query(textOf({ strings }), [...values]),
    )
    close()
    const { command } = await client.query('COMMIT')
    // PostgreSQL answers the COMMIT of a transaction in which a statement has failed with ROLLBACK, and no error.
    // @protects a transaction that was rolled back is not taken for committed
    if (command !== 'COMMIT') throw rolledBack()
    return result as T
  } finally {
    close()
  }
}

/** @returns whether the connection is of no further use */
async function rollBack(client: PostgresClient): Promise<boolean> {
  try {
    await client.query('ROLLBACK')
    return false
  } catch {
    return true
  }
}

function openTransaction(client: PostgresClient): { tx: PostgresTransaction; close(): void } {
  let isOpen = true
  return {
    tx: Object.freeze({
      query: async (query: PostgresQuery | string, values?: readonly unknown[]) => {
        // @protects a query after the end does not reach another transaction
        if (!isOpen) throw tooLate()
        const { rows, rowCount, command } = await (values === undefined
          ? client.query(query)
          : client.query(query, [...values]))
        return { rows, rowCount, command }
      },
    }),
    close: () => {
      isOpen = false
    },
  }
}

function tooLate(): ConfigError {
  return new ConfigError(
    'tx.query: the function of ctx.sql has ended, and its transaction with it: nothing was done. Await every query in the function.',
  )
}

function rolledBack(): RetryableError {
  return new RetryableError(
    'ctx.sql: PostgreSQL has rolled the transaction back at COMMIT, because a statement had failed: nothing was committed',
  )
}
