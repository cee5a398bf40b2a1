import { type PostgresEffects, postgresEffects, type PostgresTransaction } from 'lineclear/postgres'
import { Pool } from 'pg'

/** One pool for each process. A frozen sandbox keeps its connections: as many as there are records at once are enough. */
export const pool: Pool = new Pool({
  connectionString: process.env['DATABASE_URL'],
  max: 10,
  connectionTimeoutMillis: 3_000,
})

export const sql: PostgresEffects<PostgresTransaction> = postgresEffects(pool)

/** The tables of the ledger, and those of `ctx.sql`. Run it once, from a machine that reaches the database. */
export async function createTables(): Promise<void> {
  await sql.createTables()
  await pool.query(`
    CREATE TABLE IF NOT EXISTS entries (
      transfer text NOT NULL,
      account text NOT NULL,
      cents bigint NOT NULL
    );
    CREATE INDEX IF NOT EXISTS entries_account ON entries (account)`)
}
