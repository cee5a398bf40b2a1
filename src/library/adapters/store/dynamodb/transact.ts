import { randomUUID } from 'node:crypto'
import type { CancellationReason, TransactWriteItemsCommandInput } from '@aws-sdk/client-dynamodb'
import { validateClaim, orTerminalError } from '../../../protocol/store/validateWrite.ts'
import type {
  BesideClaim,
  Creation,
  Failed,
  TransactOutcome,
  Update,
} from '../../../protocol/store/store.ts'
import { type Retryable, sendUntilSettled } from '../../../protocol/store/retries.ts'
import { seen } from '../../../protocol/store/format.ts'
import {
  tableOf,
  withoutUndefined,
  claimAction,
  userAction,
} from '../../../protocol/store/wire/transactItem.ts'
import {
  toItem,
  toUserItem,
  claimedKey,
  keyAttributes,
} from '../../../protocol/store/wire/attributes.ts'
import {
  failureOf,
  userFailure,
  againOrFailed,
  isCancelled,
  isTransient,
  kindOfCode,
  kindOfError,
} from './calls/failure.ts'
import type { Table } from './calls/table.ts'

/**
 * The claim and the user's writes: all or none are applied. Every try carries the same token, so that a try whose answer was lost
 * is not applied twice (DynamoDB remembers a token for 10 minutes).
 */
export async function transact(
  table: Table,
  claim: Update | Creation,
  given: readonly BesideClaim[],
): Promise<TransactOutcome> {
  const created = given.flatMap((write) => ('create' in write ? [write] : []))
  const invalid = [claim, ...created].map(validateClaim).find((error) => error !== undefined)
  const actions =
    invalid ??
    orTerminalError(() => [
      claimAction(table.name, claim),
      ...given.map((write) =>
        'create' in write ? claimAction(table.name, write) : userAction(withoutUndefined(write)),
      ),
    ])
  if (actions instanceof Error) return { kind: 'failed', error: actions }
  const input = {
    TransactItems: actions,
    // @protects a transaction whose answer was lost is not made twice
    ClientRequestToken: randomUUID(),
  }
  const tables = given.map((write) => tableOf(write, table.name))
  return sendUntilSettled(table, () => send(table, claim, tables, input))
}

async function send(
  table: Table,
  claim: Update | Creation,
  userTables: readonly string[],
  input: TransactWriteItemsCommandInput,
): Promise<TransactOutcome | Retryable> {
  try {
    await table.call('TransactWriteItems', input)
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
    return againOrFailed(userFailure(userTables.join(' or '), error, errorKind), errorKind)
  }
  const failure = failureOf([table.name, ...userTables].join(' or '), error, errorKind)
  // The SDK has already retried all other errors of a whole call.
  return againOrFailed(failure, errorKind, errorKind === 'busy')
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
  // @protects a claim that is lost comes before what the writes say
  if (isRefused(claimed)) {
    const refusal = seen('refused', claimed.Item && toItem(claimed.Item))
    return refusal.kind === 'refused' ? { ...refusal, by: 'claim' } : refusal
  }
  // @protects a collision is not taken for a refusal
  if (!isFine(claimed)) {
    const errorKind = kindOfCode(claimed.Code)
    return againOrFailed(failureOf(table.name, textOf(claimed), errorKind), errorKind)
  }
  const passing = written.findIndex(({ Code }) => isTransient(kindOfCode(Code)))
  const bad = written.findIndex((reason) => !isFine(reason) && !isRefused(reason))
  const wrong = passing < 0 ? bad : passing
  if (wrong >= 0) {
    const reason = written[wrong] ?? {}
    const errorKind = kindOfCode(reason.Code)
    const failure = userFailure(userTables[wrong] ?? '', textOf(reason), errorKind)
    return againOrFailed(failure, errorKind)
  }
  const index = written.findIndex(isRefused)
  const item = written[index]?.Item
  return { kind: 'refused', by: 'write', index, item: item && toUserItem(item) }
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

/**
 * Finds out for which table a whole transaction was refused. DynamoDB's text names the table for a missing permission but not for
 * a missing table; then a read of the claim shows whether its table exists. `unclear`: it does not matter.
 */
async function tableAtFault(
  table: Table,
  claim: Update | Creation,
  userTables: readonly string[],
  error: unknown,
): Promise<'user' | 'framework' | 'unclear'> {
  const errorKind = kindOfError(error)
  if (userTables.includes(table.name)) return 'framework'
  if (errorKind === 'denied') return names(error, table.name) ? 'framework' : 'user'
  if (errorKind !== 'noTable') return 'unclear'
  return (await exists(table, claim)) ? 'user' : 'framework'
}

function names(error: unknown, table: string): boolean {
  const own = table.split('/').at(-1) ?? table
  return error instanceof Error && new Set(error.message.split(/[^\w.-]+/)).has(own)
}

async function exists(table: Table, claim: Update | Creation): Promise<boolean> {
  const input = { TableName: table.name, Key: keyAttributes(claimedKey(claim)) }
  return table.call('GetItem', input).then(
    () => true,
    () => false,
  )
}
