// @acts

import { randomInt } from 'node:crypto'
import { systemClock } from '../../base/clock.ts'
import { hasCode, messageOf, RetryableError, StoreUnavailableError } from '../../base/errors.ts'
import type { FencedDatabase, FenceRows } from './database.ts'

/** A conflict lasts as long as the other transaction, and many may queue up for one row. */
const MOST_CONFLICTS = 12
/** Whether a lost COMMIT was made, the next transaction sees: it waits for the lock and finds the mark. */
const MOST_LOST = 3
const SHORTEST_MS = 5
const LONGEST_MS = 200

/**
 * Commits `work`, in as many transactions as it takes.
 * @param left milliseconds
 * @throws what `work` throws; StoreUnavailableError when the database gives no answer
 */
export async function transactSql<Tx, T>(
  database: FencedDatabase<Tx>,
  left: number,
  work: (tx: Tx, rows: FenceRows) => Promise<T>,
): Promise<T> {
  const until = systemClock.now() + left
  const failures = { conflict: 0, lost: 0 }
  let lost: unknown
  for (;;) {
    const now = until - systemClock.now()
    if (now <= 0) throw failures.lost === 0 ? outOfTime() : unavailable('lost', lost)
    try {
      return await database.transaction(now, work)
    } catch (error) {
      if (OWN.some((code) => hasCode(error, code))) throw error
      const why = database.whyFailed(error)
      if (why === 'own') throw error
      failures[why] += 1
      if (why === 'lost') lost = error
      if (
        failures.conflict > MOST_CONFLICTS ||
        failures.lost >
          // @protects a lost COMMIT is tried again a few times only
          // @without 1_000
          MOST_LOST
      ) {
        throw unavailable(why, error)
      }
      await systemClock.sleep(pauseAfter(failures[why]))
    }
  }
}

/** Not about the connection: the function or the rows of the fence have thrown them. */
const OWN = ['SUPERSEDED', 'CONFIG', 'STORE_UNAVAILABLE', 'RETRYABLE', 'TERMINAL'] as const

// @survives BlockStatement: Only the length of a pause, which is random and of no consequence for the end: that of a test without
// one is the same.
function pauseAfter(failures: number): number {
  // @survives ArithmeticOperator ×2: Only the length of a pause, which is random and of no consequence for the end: that of a test
  // without one is the same.
  return (randomInt(1_000) / 1_000) * Math.min(SHORTEST_MS * 2 ** failures, LONGEST_MS)
}

function unavailable(why: 'conflict' | 'lost', cause: unknown): StoreUnavailableError {
  const [reason, text] =
    why === 'lost'
      ? (['noAnswer', 'the SQL database gave no answer'] as const)
      : (['busy', 'other transactions were in the way each time'] as const)
  return new StoreUnavailableError(`${text}: ${messageOf(cause)}`, { reason, cause })
}

function outOfTime(): RetryableError {
  return new RetryableError(
    'the time of the invocation was up before the SQL transaction could begin: nothing was done, and the record is tried again',
  )
}

/** What the result of a query in `pg` declares. */
const DECLARED = ['command', 'rowCount', 'oid', 'rows', 'fields'] as const

/** The result of a query in `pg` also has functions, which cannot be stored: only what it declares is kept. */
export function plainResult(result: unknown): unknown {
  return isQueryResult(result)
    ? Object.fromEntries(DECLARED.map((name) => [name, result[name]]))
    : result
}

function isQueryResult(result: unknown): result is Record<(typeof DECLARED)[number], unknown> {
  return typeof result === 'object' && result !== null && DECLARED.every((name) => name in result)
}
