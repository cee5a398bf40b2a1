// @acts

import { messageOf, StoreUnavailableError } from '../../base/errors.ts'
import type { TableNames } from './statements.ts'
import { brokeOff } from '../../run/context/neverReached.ts'

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

/**
 * SQLSTATE of a transaction that PostgreSQL gave up for another one: it is made again as a whole.
 * https://www.postgresql.org/docs/current/mvcc-serialization-failure-handling.html
 */
const CONFLICTS: readonly string[] = ['40001', '40P01']
/**
 * SQLSTATE of a session that PostgreSQL has ended or not begun: class 08, shutdown, a lack of resources, and its time limits for
 * idle and for long transactions. https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const ENDED = /^(?:08...|57P0[1-5]|53...|25P0[34])$/
/** `pg` has no codes for these, and postgres.js codes of its own. */
const CLOSED =
  /Connection terminated|connection error and is not queryable|timeout exceeded when trying to connect/
const CLOSED_CODE = /^CONNECT(?:ION)?_(?:CLOSED|DESTROYED|ENDED|TIMEOUT)$/

/** Why a transaction of PostgreSQL failed, by the error of any client. */
export function whyFailed(error: unknown): 'conflict' | 'lost' | 'own' {
  const chain = chainOf(error)
  if (chain.some(({ code }) => CONFLICTS.includes(code))) return 'conflict'
  const isLost = ({ code, message }: Coded): boolean =>
    ENDED.test(code) || CLOSED_CODE.test(code) || CLOSED.test(message)
  return chain.some(isLost) ||
    // @protects a broken connection is not an error of the function
    brokeOff(error)
    ? 'lost'
    : 'own'
}

/** The SQLSTATE, wherever a client has put it. */
export function sqlStateOf(error: unknown): string | undefined {
  return chainOf(error).find(({ code }) => /^[0-9A-Z]{5}$/.test(code))?.code
}

interface Coded {
  readonly code: string
  readonly message: string
}

/** Errors are wrapped by query builders, and causes may form a cycle. */
const MOST_CAUSES = 5

function chainOf(error: unknown, depth = 0): readonly Coded[] {
  // @survives ArrayDeclaration: a text that matches none of the patterns is as good as an empty one, and an entry without code and
  // message as none.
  if (typeof error !== 'object' || error === null || depth > MOST_CAUSES) return []
  // @survives StringLiteral: a text that matches none of the patterns is as good as an empty one, and an entry without code and
  // message as none.
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  // @survives StringLiteral: a text that matches none of the patterns is as good as an empty one, and an entry without code and
  // message as none.
  const message = 'message' in error && typeof error.message === 'string' ? error.message : ''
  // @survives ArrayDeclaration: a text that matches none of the patterns is as good as an empty one, and an entry without code and
  // message as none.
  const cause = 'cause' in error ? chainOf(error.cause, depth + 1) : []
  return [{ code, message }, ...cause]
}
