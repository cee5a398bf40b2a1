import { randomUUID } from 'node:crypto'
import type { CancellationReason, TransactWriteItem } from '@aws-sdk/client-dynamodb'
import { TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb'
import { mistakeIn, mistakeInUserWrite } from '../mistake.ts'
import type { TransactOutcome, Update, UserWrite } from '../store.ts'
import { type Again, sendUntilSettled } from './answer.ts'
import { toItem, toUserItem } from './attributes.ts'
import { badEntry, failedOrAgain, failureOf } from './failure.ts'
import type { Table } from './table.ts'
import { claimAction, userAction } from './transactItem.ts'
import { isCancelled, isPassing, troubleOf, troubleWith } from './trouble.ts'

/**
 * The claim and the user's write: both or neither. Every try carries the same token, so that a try whose answer was
 * lost is not applied twice (DynamoDB remembers a token for 10 minutes).
 */
export async function transact(
  table: Table,
  claim: Update,
  write: UserWrite,
): Promise<TransactOutcome> {
  const mistake = mistakeIn(claim) ?? mistakeInUserWrite(write)
  if (mistake !== undefined) return { kind: 'failed', error: mistake }
  const token = randomUUID()
  return sendUntilSettled(table, () => send(table, claim, write, token))
}

async function send(
  table: Table,
  claim: Update,
  write: UserWrite,
  ClientRequestToken: string,
): Promise<TransactOutcome | Again> {
  try {
    const TransactItems: TransactWriteItem[] = [claimAction(table.name, claim), userAction(write)]
    const command = new TransactWriteItemsCommand({ TransactItems, ClientRequestToken })
    await table.client().send(command)
    return { kind: 'applied' }
  } catch (error) {
    return isCancelled(error)
      ? judge(table, write, error.CancellationReasons ?? [])
      : thrown(`${table.name} or ${write.TableName}`, error)
  }
}

/** The key of the user's table is the user's affair: a wrong one fails its own record only. */
function thrown(tables: string, error: unknown): TransactOutcome | Again {
  return troubleWith(error) === 'badEntry'
    ? { kind: 'failed', error: badEntry(tables, error) }
    : failedOrAgain(tables, error)
}

/** A refused claim comes first, for then the write is none of this attempt's business; a collision refuses nobody. */
function judge(
  table: Table,
  { TableName }: UserWrite,
  [claimed = {}, written = {}]: readonly CancellationReason[],
): TransactOutcome | Again {
  if (isRefused(claimed)) {
    return { kind: 'refused', by: 'claim', item: claimed.Item && toItem(claimed.Item) }
  }
  for (const { Code, Message } of [claimed, written]) {
    const trouble = troubleOf(Code)
    if (isPassing(trouble)) {
      const where = `${table.name} or ${TableName}`
      return { kind: 'again', error: failureOf(where, trouble, `${Code}: ${Message}`) }
    }
  }
  if (isFine(claimed) && isRefused(written)) {
    return { kind: 'refused', by: 'write', item: written.Item && toUserItem(written.Item) }
  }
  const [where, { Code, Message }] = isFine(claimed) ? [TableName, written] : [table.name, claimed]
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
