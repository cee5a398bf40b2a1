import { randomUUID } from 'node:crypto'
import type { CancellationReason, TransactWriteItemsCommandInput } from '@aws-sdk/client-dynamodb'
import { TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb'
import { validateClaim } from '../validateWrite.ts'
import type { Creation, RawWrite, TransactOutcome, Update, UserWrite } from '../store.ts'
import { type Retryable, type Failed, sendUntilSettled } from '../retries.ts'
import { orTerminalError } from '../invalidWrite.ts'
import { tableOf, withoutUndefined } from '../userWrite.ts'
import { toItem, toUserItem } from '../wire/attributes.ts'
import { claimAction, userAction } from '../wire/transactItem.ts'
import { tableAtFault } from './tableAtFault.ts'
import { failureOf, userFailedOrRetryable } from './failure.ts'
import { answered } from './calls/answered.ts'
import type { Table } from './table.ts'
import {
  isCancelled,
  isTransient,
  triesFor,
  type ErrorKind,
  kindOfCode,
  kindOfError,
} from './errorKind.ts'

type Writes = readonly (UserWrite | RawWrite)[]

/**
 * The claim and the user's writes: all or none are applied. Every try carries the same token, so that a try whose answer was lost
 * is not applied twice (DynamoDB remembers a token for 10 minutes).
 */
export async function transact(
  table: Table,
  claim: Update | Creation,
  given: Writes,
): Promise<TransactOutcome> {
  const invalid = validateClaim(claim)
  const actions =
    invalid ??
    orTerminalError(() => [
      claimAction(table.name, claim),
      ...given.map(withoutUndefined).map(userAction),
    ])
  if (actions instanceof Error) return { kind: 'failed', error: actions }
  const input = { TransactItems: actions, ClientRequestToken: randomUUID() }
  return sendUntilSettled(table, () => send(table, claim, given.map(tableOf), input))
}

async function send(
  table: Table,
  claim: Update | Creation,
  userTables: readonly string[],
  input: TransactWriteItemsCommandInput,
): Promise<TransactOutcome | Retryable> {
  try {
    const client = table.client()
    await answered(client, client.send(new TransactWriteItemsCommand(input)))
    return { kind: 'applied' }
  } catch (error) {
    return isCancelled(error)
      ? readReasons(table, userTables, error.CancellationReasons ?? [])
      : readThrown(table, claim, userTables, error)
  }
}

/**
 * Reads the error of the whole transaction. If the key of the user's table is wrong, that is a mistake of the user's code, and
 * fails only its own record.
 */
async function readThrown(
  table: Table,
  claim: Update | Creation,
  userTables: readonly string[],
  error: unknown,
): Promise<Failed | Retryable> {
  const errorKind = kindOfError(error)
  const atFault = await tableAtFault(table, claim, userTables, error)
  if (atFault === 'user' || errorKind === 'badEntry') {
    return userFailedOrRetryable(userTables.join(' or '), errorKind, error)
  }
  const failure = failureOf([table.name, ...userTables].join(' or '), errorKind, error)
  // The SDK has already retried all other errors of a whole call.
  return errorKind === 'busy' ? retryable(errorKind, failure) : { kind: 'failed', error: failure }
}

/**
 * Reads the reasons of a cancelled transaction. A refused claim comes first: without the claim the refused writes do not matter.
 * A collision with another transaction is not a refusal. While the claim is in doubt, a refused write proves nothing, because an
 * earlier try of this request may have made it. A write that DynamoDB does not accept at all is not a refusal either.
 */
function readReasons(
  table: Table,
  userTables: readonly string[],
  [claimed = {}, ...written]: readonly CancellationReason[],
): TransactOutcome | Retryable {
  if (isRefused(claimed)) {
    return { kind: 'refused', by: 'claim', item: claimed.Item && toItem(claimed.Item) }
  }
  const ours = kindOfCode(claimed.Code)
  if (isTransient(ours)) return retryable(ours, failureOf(table.name, ours, textOf(claimed)))
  if (!isFine(claimed)) {
    return { kind: 'failed', error: failureOf(table.name, ours, textOf(claimed)) }
  }
  const passing = written.findIndex(({ Code }) => isTransient(kindOfCode(Code)))
  const bad = written.findIndex((reason) => !isFine(reason) && !isRefused(reason))
  const wrong = passing < 0 ? bad : passing
  if (wrong >= 0) {
    const { Code, Message } = written[wrong] ?? {}
    return userFailedOrRetryable(userTables[wrong] ?? '', kindOfCode(Code), `${Code}: ${Message}`)
  }
  const index = written.findIndex(isRefused)
  const item = written[index]?.Item
  return { kind: 'refused', by: 'write', index, item: item && toUserItem(item) }
}

function retryable(errorKind: ErrorKind, error: Error): Retryable {
  return { kind: 'retryable', error, tries: triesFor(errorKind) }
}

function textOf({ Code, Message }: CancellationReason): string {
  return `${Code}: ${Message}`
}

function isRefused({ Code }: CancellationReason): boolean {
  return kindOfCode(Code) === 'refused'
}

function isFine({ Code }: CancellationReason): boolean {
  return Code === 'None'
}
