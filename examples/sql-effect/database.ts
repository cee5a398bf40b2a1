import { DatabaseSync, type SQLInputValue } from 'node:sqlite'

/** SQLite, so that the example runs without a server. In PostgreSQL the statements are the same, with `$1` for `?`. */
export const database: DatabaseSync = new DatabaseSync(':memory:')
database.exec(`
  CREATE TABLE applied (effect TEXT PRIMARY KEY);
  CREATE TABLE accounts (name TEXT PRIMARY KEY, cents INTEGER NOT NULL);
`)

/** Runs one statement and says whether it changed a row. */
type Run = (statement: string, ...values: readonly SQLInputValue[]) => boolean

export function transaction(work: (run: Run) => void): void {
  database.exec('BEGIN IMMEDIATE')
  try {
    work((statement, ...values) => database.prepare(statement).run(...values).changes > 0)
    database.exec('COMMIT')
  } catch (error) {
    database.exec('ROLLBACK')
    throw error
  }
}
