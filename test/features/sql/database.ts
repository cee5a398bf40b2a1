import { Pool, type PoolConfig } from 'pg'
import { postgresEffects, type PostgresOptions } from 'lineclear/postgres'
import { onTestFinished } from 'vitest'
import {
  type LocalPostgres,
  startPostgres,
} from '../../../examples/sql-ledger/local/startPostgres.ts'

let started: Promise<LocalPostgres> | undefined
let schemas = 0

/** One server for each process that runs tests; it ends with the process. */
export function server(): Promise<LocalPostgres> {
  return (started ??= startPostgres())
}

/** The address of an empty schema, as that of a database of its own. */
export async function emptySchema(): Promise<string> {
  const { url } = await server()
  const name = `test_${process.pid}_${(schemas += 1)}`
  const pool = new Pool({ connectionString: url, max: 1 })
  await pool.query(`CREATE SCHEMA ${name}`)
  await pool.end()
  return `${url}?options=-c%20search_path%3D${name}`
}

export function poolOf(connectionString: string, more: PoolConfig = {}): Pool {
  const pool = new Pool({ connectionString, ...more })
  pool.on('error', () => {})
  // For the query builders: a connection that is lost within a transaction would end the process.
  pool.on('connect', (client) => client.on('error', () => {}))
  onTestFinished(() => pool.end())
  return pool
}

/** An empty database with our tables, and one table that tests write to. */
export async function openDatabase(options: PostgresOptions = {}) {
  const url = await emptySchema()
  const pool = poolOf(url)
  const effects = postgresEffects(pool, options)
  await effects.createTables()
  await pool.query('CREATE TABLE bookings (id text, by text)')
  return {
    url,
    pool,
    effects,
    /** Who has booked, in their order. */
    async bookings(id = 'a'): Promise<string[]> {
      const text = 'SELECT by FROM bookings WHERE id = $1 ORDER BY ctid'
      const { rows } = await pool.query<{ by: string }>(text, [id])
      return rows.map(({ by }) => by)
    },
    async count(table: string): Promise<number> {
      const { rows } = await pool.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${table}`)
      return Number(rows[0]?.n)
    },
  }
}
