import type { BatchStatementResponse } from '@aws-sdk/client-dynamodb'
import type { Item, WriteOutcome } from '../../../../protocol/store/store.ts'
import * as DYNAMODB from '../../../../base/limits/dynamodb.ts'
import { seen } from '../../../../protocol/store/format.ts'
import {
  replaceAnswers,
  type Retryable,
  sendAllUntilSettled,
  sendInChunks,
} from '../../../../protocol/store/retries.ts'
import { toItem } from '../../../../protocol/store/wire/attributes.ts'
import { failureOf, againOrFailed, kindOfCode, kindOfError } from '../calls/failure.ts'
import { takeApart } from '../calls/takeApart.ts'
import { asksForItem, type Statement } from './statement.ts'
import type { Table, Verb } from '../calls/table.ts'

/** One kind of write, as a batched statement. */
export interface Batched<E> {
  readonly verb: Verb
  /**
   * @returns undefined when the entry has no batched form
   * @throws TerminalError when a value cannot be stored
   */
  readonly statement: (table: Table, entry: E) => Statement | undefined
  /** The item after the write, if the entry determines it. */
  readonly written: (entry: E) => Item | undefined
}

/** A statement to send. `item`: the item after the write, if that is known beforehand. One that the answer has takes its place. */
interface Ready {
  readonly kind: 'ready'
  readonly statement: Statement
  readonly item: Item | undefined
}

/**
 * An entry that has to be written by a call of its own. `unread`: the statement that the engine refused, because of its text or
 * its values.
 */
interface Alone {
  readonly kind: 'alone'
  readonly unread?: string
}

/** The write was refused, and the engine did not return the item that refused it. */
export interface RefusedUnseen {
  readonly kind: 'unseen'
}

type Answer = WriteOutcome | RefusedUnseen | Alone | Retryable

const CALLS_AT_ONCE = 4

/**
 * Writes in batches what can be written so, and the others by `writeEach`.
 * @param entries have different keys
 */
export async function writeMany<E>(
  table: Table,
  entries: readonly E[],
  form: Batched<E>,
  writeEach: (entries: readonly E[]) => Promise<readonly (WriteOutcome | RefusedUnseen)[]>,
): Promise<readonly (WriteOutcome | RefusedUnseen)[]> {
  const prepared = entries.map((entry) => prepare(table, entry, form))
  const sent = await replaceAnswers(entries, prepared, 'ready', (_, ready) =>
    sendInChunks(ready, DYNAMODB.batchStatements, CALLS_AT_ONCE, (chunk) =>
      sendAllUntilSettled(table, chunk, (open) => sendStatements(table, form.verb, open)),
    ),
  )
  const tried = await takeApart(entries, sent, writeEach)
  return replaceAnswers(entries, tried, 'alone', async (open, alone) => {
    const outcomes = await writeEach(open)
    for (const [nth, { unread }] of alone.entries()) {
      // The single call succeeded, so the values were good and the engine could not read the text.
      if (unread && outcomes[nth]?.kind !== 'failed') markUnreadable(table, unread)
    }
    return outcomes
  })
}

/** A value that cannot be stored fails in a call of its own, so that no other entry fails with it. */
function prepare<E>(table: Table, entry: E, form: Batched<E>): Ready | Alone {
  try {
    const statement = form.statement(table, entry)
    return statement ? { kind: 'ready', statement, item: form.written(entry) } : { kind: 'alone' }
  } catch {
    return { kind: 'alone' }
  }
}

function markUnreadable({ partiQl, logger }: Table, unreadable: string): void {
  if (partiQl.unreadable.has(unreadable)) return
  partiQl.unreadable.add(unreadable)
  logger?.debug(`DynamoDB cannot read a statement; it is not sent again: ${unreadable}`)
}

/** Sends one call. Its HTTP status is 200 although each statement has its own result, so the SDK retries none of their errors. */
async function sendStatements(
  table: Table,
  verb: Verb,
  ready: readonly Ready[],
): Promise<readonly Answer[]> {
  try {
    const Statements = ready.map(({ statement }) => statement)
    const { Responses = [] } = await table.call('BatchExecuteStatement', { Statements })
    return ready.map((one, nth) => answerOf(table, verb, one, Responses[nth]))
  } catch (error) {
    return ready.map(({ statement }) => answerToAll(table, verb, statement, error))
  }
}

function answerOf(
  table: Table,
  verb: Verb,
  { statement, item }: Ready,
  response: BatchStatementResponse | undefined,
): Answer {
  const { Error: error, Item } =
    response ??
    // @protects a statement without an answer is not taken for made
    // @without {}
    NO_RESPONSE
  if (error === undefined) return { kind: 'applied', item: Item ? toItem(Item) : item }
  const errorKind = kindOfCode(error.Code)
  if (errorKind === 'refused') {
    return error.Item ? seen('refused', toItem(error.Item)) : { kind: 'unseen' }
  }
  if (errorKind === 'badEntry') return { kind: 'alone', unread: statement.Statement }
  if (errorKind === 'denied') return deny(table, verb, error.Message)
  const text = `${error.Code}: ${error.Message}`
  return againOrFailed(failureOf(table.name, text, errorKind), errorKind)
}

const NO_RESPONSE: BatchStatementResponse = {
  Error: { Code: 'InternalServerError', Message: 'a statement was not answered' },
}

/**
 * DynamoDB can refuse a whole call because of one entry. Each entry then goes alone, and only the bad one fails. An engine may
 * also refuse it because of a clause that it cannot read: if the entry succeeds alone, the clause is not sent again.
 */
function answerToAll(table: Table, verb: Verb, statement: Statement, error: unknown): Answer {
  const errorKind = kindOfError(error)
  if (errorKind === 'badEntry') {
    return asksForItem(statement)
      ? { kind: 'alone', unread: statement.Statement }
      : { kind: 'alone' }
  }
  if (errorKind === 'denied' || errorKind === 'noPartiQl') return deny(table, verb, String(error))
  return { kind: 'failed', error: failureOf(table.name, error, errorKind) }
}

/** From now on every write of this kind is a call of its own, which is slower and more expensive but equally correct. */
function deny(table: Table, verb: Verb, why: string | undefined): Alone {
  if (!table.partiQl.denied.has(verb)) {
    table.partiQl.denied.add(verb)
    table.logger?.warn(
      `DynamoDB does not let this function send ${verb} statements to table ${JSON.stringify(table.name)} (${why}). ` +
        `Its writes go one call each, which is slower. Grant dynamodb:PartiQL${PERMISSION[verb]} to batch them.`,
    )
  }
  return { kind: 'alone' }
}

const PERMISSION: Readonly<Record<Verb, string>> = { INSERT: 'Insert', UPDATE: 'Update' }
