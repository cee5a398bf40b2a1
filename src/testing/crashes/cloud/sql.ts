import type { SqlAttempt, SqlEffects } from '../../../library/run/context/sqlEffects.ts'
import type { FencedDatabase, FenceRows } from '../../../library/features/sql/database.ts'
import { sqlEffects } from '../../../library/features/sql/effects.ts'
import type { PostgresTransaction } from '../../../library/features/sql/pool.ts'
import { whyFailed } from '../../../library/features/sql/setUpError.ts'
import { commitTo, enter, markRows, raise, transactionIn } from '../../sql/memorySql.ts'
import { call } from '../simulation/call.ts'
import { type CrashCallFault, KILLED, LOST } from '../simulation/crashFaults.ts'
import type { ScheduleContext, SqlSession } from '../simulation/scheduleContext.ts'
import type { Actor } from '../simulation/simulation.ts'

const BEGIN: readonly CrashCallFault[] = ['request lost', 'conflict', 'killed before']
const COMMIT: readonly CrashCallFault[] = [...LOST, 'conflict', ...KILLED]

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
        const result = await work(transactionIn(session), rowsOf(context, session))
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
  return {
    ...markRows(sql, session),
    enter: (attempt, name) => {
      const begin = (): Answer<ReturnType<typeof enter>> => {
        const passed = enter(sql, session, attempt, name, simulation.now)
        if (passed !== 'superseded') sql.locks.set(attempt.fencing.subject, session)
        return answered(passed)
      }
      const what = `begins ctx.sql('${name}')`
      return ask(context, session, what, BEGIN, begin, isBlocked(attempt))
    },
    raise: (attempt) => {
      const pass = (): Answer<ReturnType<typeof raise>> =>
        answered(raise(sql, attempt, simulation.now))
      const what = 'raises the fence in SQL'
      return ask(context, session, what, COMMIT, pass, isBlocked(attempt))
    },
  }
}

async function commit(context: ScheduleContext, session: SqlSession): Promise<void> {
  if (session.lock === undefined) return
  session.isLate = true
  await ask(context, session, 'commits', COMMIT, () => {
    const { sql, simulation } = context
    // The server has ended the session: idle_in_transaction_session_timeout.
    if (simulation.now > session.until) return { kind: 'failed', code: '25P03' }
    commitTo(sql, session)
    unlock(context, session)
    return answered(true)
  })
}

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
