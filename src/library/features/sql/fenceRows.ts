// @acts

import { hasCode, messageOf, RetryableError, StoreUnavailableError } from '../../base/errors.ts'
import type { FenceRows } from './database.ts'
import {
  enter,
  keep,
  raise,
  readSqlResult,
  type SqlStatement,
  type TableNames,
} from './statements.ts'
import { unusableTables, sqlStateOf, whyFailed } from './setUpError.ts'

/** Runs one statement within the transaction. @returns the rows, or a result that has them */
type RunStatement = (statement: SqlStatement) => PromiseLike<unknown>

/** The rows of the fence within one transaction of PostgreSQL. */
export function fenceRows(tables: TableNames, run: RunStatement): FenceRows {
  let transaction = ''
  const all = async (statement: SqlStatement): Promise<ReturnType<typeof rowsOf>> => {
    try {
      return rowsOf(await run(statement))
    } catch (error) {
      throw explained(error, tables)
    }
  }
  const first = async (statement: SqlStatement): Promise<Readonly<Record<string, unknown>>> =>
    (await all(statement))[0] ?? {}
  return {
    async enter(attempt, name) {
      const { gate, mark, tx } = await first(enter(tables, attempt, name))
      transaction = String(tx)
      if (Number(gate) === 0) return 'superseded'
      return Number(mark) === 0 ? 'made' : 'open'
    },
    async raise(attempt) {
      const { gate } = await first(raise(tables, attempt))
      return Number(gate) === 0 ? 'superseded' : 'open'
    },
    async keep(attempt, name, result) {
      const { kept } = await first(keep(tables, attempt, name, result, transaction))
      return kept !== undefined
    },
    async result(attempt, name) {
      const { result } = await first(readSqlResult(tables, attempt, name))
      return textOrNone(result)
    },
  }
}

function textOrNone(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** Some clients answer with the rows, others with an object that has them. */
export function rowsOf(answer: unknown): readonly Readonly<Record<string, unknown>>[] {
  const rows: unknown =
    typeof answer === 'object' && answer !== null && 'rows' in answer ? answer.rows : answer
  if (Array.isArray(rows)) return rows as Record<string, unknown>[]
  throw new TypeError(
    'postgresEffects: transaction: the second argument of work has to answer with rows, or with an object that has rows',
  )
}

/** SQLSTATE: a statement failed before, and its error was caught. */
const ABORTED = '25P02'
const TIMED_OUT: readonly string[] = ['55P03', '57014']

/** An error of one of our own statements. It says nothing about the record, which stays on its queue. */
function explained(error: unknown, tables: TableNames): unknown {
  if (whyFailed(error) !== 'own' || hasCode(error, 'CONFIG')) return error
  const state = sqlStateOf(error)
  if (state === ABORTED) {
    return new RetryableError(
      'ctx.sql: a statement of the function failed and the function caught its error: PostgreSQL has rolled the transaction back, ' +
        'and nothing was committed. Let the error through, or set a savepoint before the statement.',
      { cause: error },
    )
  }
  if (state !== undefined && TIMED_OUT.includes(state)) {
    const text = 'another transaction of the same request or key did not end in time'
    return new StoreUnavailableError(`${text}: ${messageOf(error)}`, {
      reason: 'busy',
      cause: error,
    })
  }
  return unusableTables(error, tables)
}
