// @acts

import { AsyncLocalStorage } from 'node:async_hooks'
import { decodeValue } from '../../run/context/results/storedValue.ts'
import { resultText } from '../../run/context/resultText.ts'
import { serialWrites } from '../../run/context/effectScope.ts'
import type { OpenSql, SqlAttempt, SqlEffects } from '../../run/context/sqlEffects.ts'
import { uniqueNames } from '../../run/context/effectNames.ts'
import { ConfigError, SupersededError } from '../../base/errors.ts'
import { kindOf } from '../../base/kindOf.ts'
import type { FencedDatabase, FenceRows } from './database.ts'
import { plainResult, transactSql } from './transact.ts'
import type { Fencing } from '../../protocol/claim/hold.ts'

/** The effects of consumers in one database. */
export function sqlEffects<Tx>(database: FencedDatabase<Tx>): SqlEffects<Tx> {
  /** The call whose function is running. */
  const inside = new AsyncLocalStorage<string>()
  return {
    raise: (attempt) =>
      transactSql(database, leastTime(attempt), async (_tx, rows) => {
        // @protects an attempt that was overtaken does not begin
        if ((await rows.raise(attempt)) === 'superseded') throw superseded(attempt)
      }),
    open: (attempt) => {
      const names = uniqueNames('sql')
      const serially = serialWrites()
      const sql: OpenSql<Tx>['sql'] = async (name, work) => {
        const call = names.check(name)
        if (typeof work !== 'function') throw notAFunction(call, work)
        const begun = names.begin(name)
        try {
          const text = await serially(() =>
            perform({ database, attempt, name, call }, (tx) => inside.run(call, () => work(tx))),
          )
          // One name is used for one function, so the stored result has the type that this function returns.
          return resultOf(text) as never
        } catch (error) {
          begun.undo()
          throw error
        }
      }
      return { sql, assertOutside: () => assertOutside(inside.getStore()) }
    },
  }
}

/** Milliseconds. A dead letter may leave when the time of the invocation is nearly up. */
const SHORTEST_RAISE_MS = 1_000

function leastTime(attempt: SqlAttempt): number {
  return Math.max(attempt.timeLeft(), SHORTEST_RAISE_MS)
}

function resultOf(text: string | undefined): unknown {
  return text === undefined ? undefined : decodeValue(text)
}

interface Effect<Tx> {
  readonly database: FencedDatabase<Tx>
  readonly attempt: SqlAttempt & { assertOpen(): void }
  readonly name: string
  /** How errors name it. */
  readonly call: string
}

/** @returns the result as it is stored */
async function perform<Tx>(
  effect: Effect<Tx>,
  work: (tx: Tx) => unknown,
): Promise<string | undefined> {
  const { database, attempt, name } = effect
  attempt.assertOpen()
  const left = attempt.timeLeft()
  return transactSql(database, left, async (tx, rows) => {
    // Between two tries another attempt may have begun, and this one may have ended.
    attempt.assertOpen()
    switch (await rows.enter(attempt, name)) {
      case 'superseded':
        // @protects an attempt that was overtaken commits nothing
        throw superseded(attempt)
      case 'made':
        // @protects an effect that was made is not made again
        return rows.result(attempt, name)
      case 'open':
        return store(effect, rows, await work(tx))
    }
  })
}

async function store<Tx>(
  { attempt, name, call }: Effect<Tx>,
  rows: FenceRows,
  result: unknown,
): Promise<string> {
  const kept = resultText(plainResult(result))
  if (kept.kind === 'no data') {
    throw new ConfigError(
      `${call}: its result cannot be stored: ${kept.why}. Nothing was committed. Return data, or nothing.`,
    )
  }
  if (await rows.keep(attempt, name, kept.text)) return kept.text
  // @protects a function that commits by itself is found out
  // @without return kept.text
  throw new ConfigError(
    `${call}: its function has ended the transaction by itself; what it wrote until then is committed and is not repeated. ` +
      'Leave BEGIN, COMMIT and ROLLBACK to ctx.sql.',
  )
}

function assertOutside(call: string | undefined): void {
  if (call === undefined) return
  throw new ConfigError(
    `ctx was used within the function of ${call}, which may run again and may use only its transaction. Nothing was done. Call ` +
      'ctx before or after it.',
  )
}

function notAFunction(call: string, given: unknown): ConfigError {
  return new ConfigError(
    `${call}: expected a function of the transaction, such as (tx) => tx.query(…); got ${kindOf(given)}. Nothing was done.`,
  )
}

function superseded({ fencing: { subject, fence } }: SqlAttempt): SupersededError {
  return new SupersededError(
    `the database has seen a later attempt of ${subject} than that with the fence ${fence}: this one writes nothing more`,
  )
}

/** The row of a subject in `lineclear_fence`. Times are epoch milliseconds. */
export interface FenceRow {
  readonly epoch: number
  /** The highest fence of each stage in this epoch. */
  readonly stages: Readonly<Record<string, number>>
  /** From then on the row refuses no attempt: the request may have been forgotten, and its fence may begin at 1 again. */
  readonly expires: number
}

/** A row of `lineclear_mark`: the effect was made. */
export interface MarkRow {
  /** undefined: the function has ended the transaction by itself, before the result was stored. */
  readonly result: string | undefined
  readonly made: number
  readonly expires: number
}

/**
 * The rule of the gate, which `statements.ts` expresses in SQL: every transaction begins with it, holds the lock of the row to its
 * end, and so waits for the transactions of earlier attempts.
 * @returns the row as the attempt leaves it; undefined: a later attempt has raised the fence
 */
export function raised(
  row: FenceRow | undefined,
  { epoch, stage, fence }: Fencing,
  retention: number,
  now: number,
): FenceRow | undefined {
  const own = { [stage]: fence }
  const expires = now + retention
  // The epoch of an expired row says nothing: a new life of the subject counts from 1 again.
  if (row === undefined || row.expires < now || row.epoch < epoch) {
    return { epoch, stages: own, expires }
  }
  if (
    // @protects an attempt of an earlier epoch is refused in the model of the gate
    row.epoch > epoch ||
    (row.stages[stage] ?? 0) > fence
  )
    return undefined
  return { epoch, stages: { ...row.stages, ...own }, expires }
}

export function isMade(mark: MarkRow | undefined, now: number): boolean {
  return mark !== undefined && mark.expires >= now
}
