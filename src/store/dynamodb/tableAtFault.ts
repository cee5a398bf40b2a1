import { GetItemCommand } from '@aws-sdk/client-dynamodb'
import type { Creation, Update } from '../store.ts'
import { claimedKey, keyAttributes } from '../wire/key.ts'
import type { Table } from './table.ts'
import { kindOfError } from './errorKind.ts'

/**
 * Finds out for which table a whole transaction was refused. DynamoDB's text names the table for a missing permission but not for
 * a missing table; a read of the claim then tells. `unclear`: it does not matter.
 */
export async function tableAtFault(
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
  return table
    .client()
    .send(new GetItemCommand(input))
    .then(
      () => true,
      () => false,
    )
}
