import type { Clock } from '../../library/base/clock.ts'
import type { SqlAttempt, SqlEffects } from '../../library/run/context/sqlEffects.ts'
import type { FenceRows } from '../../library/features/sql/database.ts'
import {
  type FenceRow,
  isMade,
  type MarkRow,
  raised,
  sqlEffects,
} from '../../library/features/sql/effects.ts'
import type { PostgresTransaction } from '../../library/features/sql/pool.ts'
import { whyFailed } from '../../library/features/sql/setUpError.ts'
import { markKeptFor } from '../../library/features/sql/statements.ts'

/** A statement with its values. @example const made: MemoryStatement = { text: 'DELETE FROM carts WHERE id = $1', values: ['a'] } */
export interface MemoryStatement {
  readonly text: string
  readonly values: readonly unknown[]
}

/** The rows with which a database in memory answers a statement. */
export type MemoryRows = (text: string, values: readonly unknown[]) => readonly object[]

/** A database in memory: it knows the rows of the fence and the marks, and of all others only the statements. */
export interface MemoryDatabase {
  readonly fences: Map<string, FenceRow>
  readonly marks: Map<string, MarkRow>
  /** Those that write, of committed transactions, in this order. */
  readonly statements: MemoryStatement[]
}

/** What a transaction will commit. */
export interface MemorySession {
  readonly statements: MemoryStatement[]
  lock?: { readonly subject: string; readonly fence: FenceRow }
  mark?: { readonly key: string; row: MarkRow }
}

export function openDatabase(): MemoryDatabase {
  return { fences: new Map(), marks: new Map(), statements: [] }
}

export function memorySql(
  database: MemoryDatabase,
  clock: Clock,
  answer: MemoryRows | undefined,
): SqlEffects<PostgresTransaction> {
  return sqlEffects({
    transaction: async (_left, work) => {
      const session: MemorySession = { statements: [] }
      const result = await work(transactionIn(session, answer), {
        ...markRows(database, session),
        enter: async (attempt, name) => {
          const passed = enter(database, session, attempt, name, clock.now())
          if (session.lock !== undefined)
            database.fences.set(session.lock.subject, session.lock.fence)
          return passed
        },
        raise: async (attempt) => raise(database, attempt, clock.now()),
      })
      const { lock } = session
      // PostgreSQL makes the later attempt wait. Here it has gone ahead, and the gate refuses this one when it tries again.
      if (lock !== undefined && database.fences.get(lock.subject) !== lock.fence)
        throw Object.assign(new Error('a later attempt has passed the gate'), { code: '40001' })
      commitTo(database, session)
      return result
    },
    whyFailed,
  })
}

export function transactionIn(
  { statements }: MemorySession,
  answer: MemoryRows = () => [],
): PostgresTransaction {
  return {
    query: async (query, given = []) => {
      const { text, values = given } = typeof query === 'string' ? { text: query } : query
      statements.push({ text: text.replaceAll(/\s+/g, ' ').trim(), values })
      const rows = [...answer(text, values)] as never[]
      const rowCount = rows.length || (READS.test(text.trim()) ? 0 : 1)
      return { rows, rowCount, command: text.trim().split(/\s/)[0] ?? '' }
    },
  }
}

export function enter(
  { fences, marks }: MemoryDatabase,
  session: MemorySession,
  attempt: SqlAttempt,
  name: string,
  now: number,
): 'superseded' | 'made' | 'open' {
  const { fencing, retention } = attempt
  const fence = raised(fences.get(fencing.subject), fencing, retention, now)
  if (fence === undefined) return 'superseded'
  session.lock = { subject: fencing.subject, fence }
  const key = keyOf(attempt, name)
  if (isMade(marks.get(key), now)) return 'made'
  session.mark = {
    key,
    row: { result: undefined, made: now, expires: now + markKeptFor(retention) },
  }
  return 'open'
}

export function raise(
  { fences }: MemoryDatabase,
  { fencing, retention }: SqlAttempt,
  now: number,
): 'superseded' | 'open' {
  const fence = raised(fences.get(fencing.subject), fencing, retention, now)
  if (fence === undefined) return 'superseded'
  fences.set(fencing.subject, fence)
  return 'open'
}

export function markRows(
  { marks }: MemoryDatabase,
  session: MemorySession,
): Pick<FenceRows, 'keep' | 'result'> {
  return {
    keep: async (_attempt, _name, result) => {
      if (session.mark !== undefined) session.mark.row = { ...session.mark.row, result }
      return true
    },
    result: async (attempt, name) => marks.get(keyOf(attempt, name))?.result,
  }
}

const READS = /^(?:select|show|values|explain)\b/i

export function commitTo(
  database: MemoryDatabase,
  { lock, mark, statements }: MemorySession,
): void {
  if (lock !== undefined) database.fences.set(lock.subject, lock.fence)
  if (mark === undefined) return
  database.marks.set(mark.key, mark.row)
  database.statements.push(...statements.filter(({ text }) => !READS.test(text)))
}

function keyOf({ fencing: { subject, request, stage } }: SqlAttempt, name: string): string {
  return JSON.stringify([subject, request, stage, name])
}
