import { randomUUID } from 'node:crypto'
import type { CancellationReason } from '@aws-sdk/client-dynamodb'
import { TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb'
import { mistakeIn, mistakeInUserWrites } from '../mistake.ts'
import type { RawWrite, TransactOutcome, Update, UserWrite } from '../store.ts'
import { type Again, sendUntilSettled } from './answer.ts'
import { toItem, toUserItem } from './attributes.ts'
import { badEntry, failedOrAgain, failureOf } from './failure.ts'
import type { Table } from './table.ts'
import { claimAction, userAction } from './transactItem.ts'
import { isCancelled, isPassing, troubleOf, troubleWith } from './trouble.ts'

type Writes = readonly (UserWrite | RawWrite)[]

/**
 * The claim and the user's writes: all or nothing. Every try carries the same token, so that a try whose answer was
 * lost is not applied twice (DynamoDB remembers a token for 10 minutes).
 */
export async function transact(
  table: Table,
  claim: Update,
  writes: Writes,
): Promise<TransactOutcome> {
  const mistake = mistakeIn(claim) ?? mistakeInUserWrites(writes)
  if (mistake !== undefined) return { kind: 'failed', error: mistake }
  const token = randomUUID()
  return sendUntilSettled(table, () => send(table, claim, writes, token))
}

async function send(
  table: Table,
  claim: Update,
  writes: Writes,
  ClientRequestToken: string,
): Promise<TransactOutcome | Again> {
  try {
    const TransactItems = [claimAction(table.name, claim), ...writes.map(userAction)]
    const command = new TransactWriteItemsCommand({ TransactItems, ClientRequestToken })
    await table.client().send(command)
    return { kind: 'applied' }
  } catch (error) {
    return isCancelled(error)
      ? judge(namesOf(table, writes), error.CancellationReasons ?? [])
      : thrown(namesOf(table, writes).join(' or '), error)
  }
}

/** The key of the user's table is the user's affair: a wrong one fails its own record only. */
function thrown(tables: string, error: unknown): TransactOutcome | Again {
  return troubleWith(error) === 'badEntry'
    ? { kind: 'failed', error: badEntry(tables, error) }
    : failedOrAgain(tables, error)
}

/** The tables in the order of the transaction's items. */
function namesOf(table: Table, writes: Writes): readonly string[] {
  return [table.name, ...writes.map(tableOf)]
}

function tableOf(write: UserWrite | RawWrite): string {
  if (!('raw' in write)) return write.TableName
  const { Put, Update: update, Delete, ConditionCheck } = write.raw
  return (Put ?? update ?? Delete ?? ConditionCheck)?.TableName ?? 'of the raw item'
}

/**
 * A refused claim comes first, for then the writes are none of this attempt's business; a collision refuses nobody, and
 * what DynamoDB does not take at all is no refusal.
 */
function judge(
  tables: readonly string[],
  reasons: readonly CancellationReason[],
): TransactOutcome | Again {
  const [claimed = {}, ...written] = reasons
  if (isRefused(claimed)) {
    return { kind: 'refused', by: 'claim', item: claimed.Item && toItem(claimed.Item) }
  }
  const passing = reasons.find(({ Code }) => isPassing(troubleOf(Code)))
  if (passing !== undefined) {
    const [trouble, why] = [troubleOf(passing.Code), `${passing.Code}: ${passing.Message}`]
    return { kind: 'again', error: failureOf(tables.join(' or '), trouble, why) }
  }
  const bad = reasons.findIndex((reason) => !isFine(reason) && !isRefused(reason))
  const index = written.findIndex(isRefused)
  if (bad < 0 && index >= 0) {
    const item = written[index]?.Item
    return { kind: 'refused', by: 'write', index, item: item && toUserItem(item) }
  }
  const { Code, Message } = reasons[bad] ?? {}
  const where = tables[bad] ?? tables.join(' or ')
  const [trouble, why] = [troubleOf(Code), `${Code}: ${Message}`]
  const error = trouble === 'badEntry' ? badEntry(where, why) : failureOf(where, trouble, why)
  return { kind: 'failed', error }
}

function isRefused({ Code }: CancellationReason): boolean {
  return troubleOf(Code) === 'refused'
}

function isFine({ Code }: CancellationReason): boolean {
  return Code === 'None'
}
