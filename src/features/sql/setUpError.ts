import { messageOf, StoreUnavailableError } from '../../base/errors.ts'
import type { TableNames } from './tables.ts'
import { sqlStateOf } from './whyFailed.ts'

/** SQLSTATE. https://www.postgresql.org/docs/current/errcodes-appendix.html */
const MISSING: readonly string[] = ['42P01', '3F000']
const NOT_ALLOWED = '42501'

/** One of our own statements failed, and would fail in each attempt. It says nothing about the record, which stays on its queue. */
export function unusableTables(error: unknown, tables: TableNames): StoreUnavailableError {
  const { fence, mark } = tables
  const state = sqlStateOf(error)
  const cure = MISSING.includes(state ?? '')
    ? `The tables ${fence} and ${mark} are missing. ${createThem(tables)}`
    : state === NOT_ALLOWED
      ? `The role of the connection lacks privileges. Run, with the name of the role: ${grants(tables)}`
      : `The tables ${fence} and ${mark} are not those of this version. Compare them with postgresTables() of lineclear/postgres.`
  return refusal('the tables of ctx.sql cannot be used', error, cure)
}

/** No transaction could be begun, and another attempt would not do better. */
export function noTransaction(error: unknown): StoreUnavailableError {
  const cure =
    'Check the connection string: the user, the password, the database, and TLS; and the adapter, if there is one.'
  return refusal('ctx.sql cannot begin a transaction', error, cure)
}

function refusal(what: string, cause: unknown, cure: string): StoreUnavailableError {
  return new StoreUnavailableError(
    `${what} (${messageOf(cause)}): the call has done nothing, the record stays on its queue, and the attempt does not count. ${cure}`,
    { reason: 'setUp', cause },
  )
}

function createThem({ schema }: TableNames): string {
  const [first, name] =
    schema === undefined
      ? ['', '']
      : [`CREATE SCHEMA IF NOT EXISTS "${schema}"; then `, `'${schema}'`]
  return (
    `Create them: ${first}node --input-type=module -e "import { postgresTables } from 'lineclear/postgres'; ` +
    `console.log(postgresTables(${name}))" | psql "$DATABASE_URL"; or call createTables() of postgresEffects once.`
  )
}

function grants({ schema, fence, mark }: TableNames): string {
  const usage = schema === undefined ? '' : `GRANT USAGE ON SCHEMA "${schema}" TO role; `
  return `${usage}GRANT SELECT, INSERT, UPDATE, DELETE ON ${fence}, ${mark} TO role;`
}
