// @acts

import type { SqlEffects } from '../../run/context/sqlEffects.ts'
import { ConfigError, hasCode } from '../../base/errors.ts'
import { checkOptions, hasMembers, oneOf, anything, wrongOption } from '../../base/options.ts'
import type { NameTheTransactionType, SqlClient, SqlTag, FencedDatabase } from './database.ts'
import { sqlEffects } from './effects.ts'
import { fenceRows, rowsOf } from './fenceRows.ts'
import { poolClient, type PostgresPool, type PostgresTransaction } from './pool.ts'
import { noTransaction, whyFailed } from './setUpError.ts'
import {
  deleteExpired,
  limits,
  type SqlStatement,
  postgresTables,
  type TableNames,
  tableNames,
} from './statements.ts'

/** Options of {@link postgresEffects}. @example const options: PostgresOptions = { schema: 'billing' } */
export interface PostgresOptions {
  /** The schema of the tables of `ctx.sql`. Default: the first one of the search path in which they are. */
  readonly schema?: string
  /**
   * Isolation of the transactions of a pool. The last two cost repeats where attempts meet, and make the function see one state of
   * the database. Default `'read committed'`, which is enough for the fence.
   */
  readonly isolation?: 'read committed' | 'repeatable read' | 'serializable'
}

/** The option `sql` for PostgreSQL, with what its tables need. */
export interface PostgresEffects<Tx> extends SqlEffects<Tx> {
  /** Creates the tables if they do not exist. @example await sql.createTables() */
  createTables(): Promise<void>
  /**
   * Deletes what has expired, after the retention of each consumer. Call it about once a day, from any function.
   * @returns the number of rows
   * @example export const handler = () => sql.deleteExpired()
   */
  deleteExpired(): Promise<number>
}

/**
 * Effects in PostgreSQL for the option `sql` of handlers and flows. Takes a pool of `pg`, or any client that can run a function
 * in a transaction. Give each process one pool for its consumers, and set `connectionTimeoutMillis`; a pooler between must not be
 * in statement mode. Make the tables with `createTables` or `postgresTables()`.
 * @throws ConfigError when the client or an option is wrong
 * @example
 * const sql = postgresEffects(new Pool({ connectionString: process.env['DATABASE_URL'] }))
 * export const handler = recordHandler({ name: 'orders', store, schema: OrderPlaced, sql }, async (order, ctx) => {
 *   await ctx.sql('book', (tx) => tx.query('insert into bookings (id) values ($1)', [order.orderId]))
 * })
 */
export function postgresEffects(
  pool: PostgresPool,
  options?: PostgresOptions,
): PostgresEffects<PostgresTransaction>
export function postgresEffects<Tx = NameTheTransactionType>(
  client: SqlClient<Tx>,
  options?: Pick<PostgresOptions, 'schema'>,
): PostgresEffects<Tx>
export function postgresEffects(
  given: PostgresPool | SqlClient<unknown>,
  options: PostgresOptions = {},
): PostgresEffects<unknown> {
  checkOptions('postgresEffects', options, { schema: anything, isolation: ISOLATION })
  const { schema, isolation = 'read committed' } = options
  const tables = tableNames('postgresEffects', schema)
  const client = clientOf(given, isolation)
  return {
    ...sqlEffects(databaseOf(client, tables)),
    createTables: async () => {
      for (const text of postgresTables(schema).split(/;\n/).filter(Boolean)) {
        await runAlone(client, { strings: Object.assign([text], { raw: [text] }), values: [] })
      }
    },
    deleteExpired: async () => {
      const [row] = rowsOf(await runAlone(client, deleteExpired(tables)))
      return Number(row?.['deleted'])
    },
  }
}

const ISOLATION = oneOf('read committed', 'repeatable read', 'serializable')

function clientOf(given: unknown, isolation: string): SqlClient<unknown> {
  if (hasMembers(given, 'connect', 'on')) return poolClient(given as PostgresPool, isolation)
  if (hasMembers(given, 'transaction')) return given as SqlClient<unknown>
  const expected = 'a Pool of pg, or { transaction: (work) => … }'
  throw wrongOption('postgresEffects', 'the first argument', expected, given)
}

function databaseOf(client: SqlClient<unknown>, tables: TableNames): FencedDatabase<unknown> {
  return {
    transaction: async (left, work) => {
      let hasBegun = false
      try {
        return await carryOut(client, async (tx, tag) => {
          const run = ({ strings, values }: SqlStatement): PromiseLike<unknown> =>
            tag(strings, ...values)
          await run(limits(left))
          hasBegun = true
          return work(tx, fenceRows(tables, run))
        })
      } catch (error) {
        const isOurs = hasBegun || hasCode(error, 'CONFIG') || whyFailed(error) !== 'own'
        throw isOurs ? error : noTransaction(error)
      }
    },
    whyFailed,
  }
}

function runAlone(client: SqlClient<unknown>, { strings, values }: SqlStatement): Promise<unknown> {
  return carryOut(client, async (_tx, tag) => tag(strings, ...values))
}

/** With an adapter that does not wait for the transaction, or keeps its error, an effect that was not made would count as made. */
async function carryOut<T>(
  client: SqlClient<unknown>,
  work: (tx: unknown, tag: SqlTag) => Promise<T>,
): Promise<T> {
  let end: { readonly result: T } | { readonly error: unknown } | undefined
  let isOver = false
  const tagOf =
    (run: SqlTag): SqlTag =>
    (...statement) => {
      if (isOver) throw didNotWait()
      return run(...statement)
    }
  await client.transaction(async (tx, run) => {
    try {
      assertTag(run)
      end = { result: await work(tx, tagOf(run)) }
    } catch (error) {
      end = { error }
      throw error
    }
  })
  isOver = true
  if (end === undefined) throw didNotWait()
  if ('error' in end) throw end.error
  return end.result
}

function didNotWait(): ConfigError {
  return new ConfigError(
    'postgresEffects: transaction: expected a function that calls work(tx, run), and that ends when the transaction has ended; it ' +
      'ended before work did, so whether anything was committed is unknown. Return the promise of the transaction.',
  )
}

/** A query builder itself has a `transaction`, too, and would call `work` with something else. */
function assertTag(run: unknown): void {
  if (typeof run === 'function') return
  throw new ConfigError(
    'postgresEffects: transaction: expected a function that calls work(tx, run), where run executes a statement in the ' +
      'transaction; work got no such function, and nothing was done. The adapter takes three lines: see postgresEffects.',
  )
}
