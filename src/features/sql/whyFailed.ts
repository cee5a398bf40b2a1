import { brokeOff } from '../../context/neverReached.ts'

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
  return chain.some(isLost) || brokeOff(error) ? 'lost' : 'own'
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
  if (typeof error !== 'object' || error === null || depth > MOST_CAUSES) return []
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  const message = 'message' in error && typeof error.message === 'string' ? error.message : ''
  const cause = 'cause' in error ? chainOf(error.cause, depth + 1) : []
  return [{ code, message }, ...cause]
}
