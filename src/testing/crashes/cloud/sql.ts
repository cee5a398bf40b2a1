import type { SqlAttempt, SqlEffects } from '../../../context/sqlEffects.ts'
import type { FencedDatabase, FenceRows } from '../../../features/sql/database.ts'
import { sqlEffects, isMade, raised } from '../../../features/sql/effects.ts'
import { markKeptFor } from '../../../features/sql/statements.ts'
import type { PostgresTransaction } from '../../../features/sql/pool.ts'
import { whyFailed } from '../../../features/sql/setUpError.ts'
import { call } from '../simulation/call.ts'
import type { CrashCallFault } from '../simulation/crashFaults.ts'
import type { ScheduleContext, SqlSession } from '../simulation/scheduleContext.ts'
import type { Actor } from '../simulation/simulation.ts'

const BEGIN: readonly CrashCallFault[] = ['request lost', 'conflict', 'killed before']
const COMMIT: readonly CrashCallFault[] = [
  'request lost',
  'answer lost',
  'conflict',
  'killed before',
  'killed on the wire',
]

/**
 * A SQL database as one invocation sees it: its statements are not interpreted, but counted where their transaction was
 * committed. The fence, the marks and the locks are those of the real database.
 */
export function sqlOf(context: ScheduleContext, actor: Actor): SqlEffects<PostgresTransaction> {
  const database: FencedDatabase<PostgresTransaction> = {
    transaction: async (left, work) => {
      const session: SqlSession = {
        actor,
        until: context.simulation.now + left,
        statements: [],
        isLate: false,
      }
      try {
        const result = await work(transactionOf(session), rowsOf(context, session))
        await commit(context, session)
        return result
      } finally {
        unlock(context, session)
      }
    },
    whyFailed,
  }
  return sqlEffects(database)
}

function transactionOf({ statements }: SqlSession): PostgresTransaction {
  return {
    query: (query, values) => {
      const { text, values: own = values ?? [] } =
        typeof query === 'string' ? { text: query } : query
      statements.push(`${text.replaceAll(/\s+/g, ' ').trim()} ${JSON.stringify(own)}`)
      return Promise.resolve({ rows: [], rowCount: 1, command: text.trim().split(/\s/)[0] ?? '' })
    },
  }
}

type Answer<A> =
  | { readonly kind: 'answered'; readonly value: A }
  /** SQLSTATE */
  | { readonly kind: 'failed'; readonly code: string }

async function ask<A>(
  { simulation }: ScheduleContext,
  { actor }: SqlSession,
  what: string,
  faults: readonly CrashCallFault[],
  apply: () => Answer<A>,
  isBlocked: () => boolean = () => false,
): Promise<A> {
  const lost = (): Answer<A> => ({ kind: 'failed', code: 'ECONNRESET' })
  const answer = await call<Answer<A>>(simulation, actor, {
    what,
    apply: async () => apply(),
    unanswered: lost,
    conflicted: () => ({ kind: 'failed', code: '40001' }),
    seen: (seen) => JSON.stringify(seen),
    isBlocked,
    faults,
  })
  if (answer.kind === 'answered') return answer.value
  throw Object.assign(new Error(`${what}: ${answer.code}`), { code: answer.code })
}

function answered<A>(value: A): Answer<A> {
  return { kind: 'answered', value }
}

function rowsOf(context: ScheduleContext, session: SqlSession): FenceRows {
  const { sql, simulation } = context
  const isBlocked =
    ({ fencing }: SqlAttempt) =>
    (): boolean =>
      isLocked(context, fencing.subject)
  const passed = ({ fencing, retention }: SqlAttempt) =>
    raised(sql.fences.get(fencing.subject), fencing, retention, simulation.now)
  return {
    enter: (attempt, name) =>
      ask(
        context,
        session,
        `begins ctx.sql('${name}')`,
        BEGIN,
        () => {
          const fence = passed(attempt)
          if (fence === undefined) return answered('superseded')
          const mark = keyOf(attempt, name)
          session.lock = { subject: attempt.fencing.subject, fence }
          sql.locks.set(attempt.fencing.subject, session)
          if (isMade(sql.marks.get(mark), simulation.now)) return answered('made')
          const [made, kept] = [simulation.now, markKeptFor(attempt.retention)]
          session.mark = { key: mark, row: { result: undefined, made, expires: made + kept } }
          return answered('open')
        },
        isBlocked(attempt),
      ),
    raise: (attempt) =>
      ask(
        context,
        session,
        'raises the fence in SQL',
        COMMIT,
        () => {
          const fence = passed(attempt)
          if (fence === undefined) return answered('superseded')
          sql.fences.set(attempt.fencing.subject, fence)
          return answered('open')
        },
        isBlocked(attempt),
      ),
    made: async ({ fencing: { subject, request, stage } }) => {
      const own = JSON.stringify([subject, request, stage]).slice(0, -1)
      const made = [...sql.marks].filter(
        ([key, mark]) => key.startsWith(`${own},`) && isMade(mark, simulation.now),
      )
      return new Map(made.map(([key, { result }]) => [nameOf(key), result]))
    },
    keep: async (_attempt, _name, result) => {
      if (session.mark !== undefined) session.mark.row = { ...session.mark.row, result }
      return true
    },
    result: async (attempt, name) => sql.marks.get(keyOf(attempt, name))?.result,
  }
}

async function commit(context: ScheduleContext, session: SqlSession): Promise<void> {
  const { lock, mark, statements } = session
  if (lock === undefined) return
  session.isLate = true
  await ask(context, session, 'commits', COMMIT, () => {
    const { sql, simulation } = context
    // The server has ended the session: idle_in_transaction_session_timeout.
    if (simulation.now > session.until) return { kind: 'failed', code: '25P03' }
    sql.fences.set(lock.subject, lock.fence)
    if (mark !== undefined) {
      sql.marks.set(mark.key, mark.row)
      sql.statements.push(...statements.filter((text) => !READS.test(text)))
    }
    unlock(context, session)
    return answered(true)
  })
}

const READS = /^(?:select|show|values|explain)\b/i

/** A killed invocation loses its connection, and with it the lock, unless its COMMIT is still on the wire. */
function isLocked({ sql, simulation }: ScheduleContext, subject: string): boolean {
  const session = sql.locks.get(subject)
  if (session === undefined || simulation.now > session.until) return false
  return session.actor.state === 'running' || (session.isLate && isOnTheWire(simulation, session))
}

function isOnTheWire({ pending }: ScheduleContext['simulation'], { actor }: SqlSession): boolean {
  return pending.some((each) => each.actor === actor && each.what.startsWith('commits'))
}

function unlock({ sql }: ScheduleContext, session: SqlSession): void {
  const subject = session.lock?.subject
  if (subject !== undefined && sql.locks.get(subject) === session) sql.locks.delete(subject)
}

function keyOf({ fencing: { subject, request, stage } }: SqlAttempt, name: string): string {
  return JSON.stringify([subject, request, stage, name])
}

function nameOf(key: string): string {
  return String((JSON.parse(key) as unknown[]).at(-1))
}
