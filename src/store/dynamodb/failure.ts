import { RetryableError, StoreUnavailableError, TerminalError } from '../../errors.ts'
import type { Again, Failed } from './answer.ts'
import { type Trouble, troubleWith } from './trouble.ts'

/** A thrown error: the SDK has repeated the call already, unless another transaction had the item. */
export function failedOrAgain(table: string, thrown: unknown): Failed | Again {
  if (thrown instanceof TerminalError) return { kind: 'failed', error: thrown }
  const trouble = troubleWith(thrown)
  const error = failureOf(table, trouble, thrown)
  return { kind: trouble === 'busy' ? 'again' : 'failed', error }
}

/** The error that the framework goes on with: it says whether the store is down, the item busy, or the entry bad. */
export function failureOf(table: string, trouble: Trouble, cause: unknown): Error {
  const why = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause)
  if (trouble === 'badEntry' && !HAS_OTHER_KEY.test(why)) return badEntry(table, cause)
  if (trouble === 'busy') {
    return new RetryableError(
      `Other transactions kept an item of the DynamoDB table ${table} busy.`,
      { cause },
    )
  }
  return new StoreUnavailableError(`${UNAVAILABLE[trouble] ?? FAILED} (Table ${table}. ${why})`, {
    cause,
  })
}

/** One that cannot be written to the table, now or later. */
export function badEntry(table: string, cause: unknown): TerminalError {
  const why = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause)
  const message = `DynamoDB does not take what was to be written to the table ${table} (${why}). Nothing was written.`
  return new TerminalError(message, { cause })
}

/** A key of another form is the table's fault and befalls every record: none must be dead-lettered for it. */
const HAS_OTHER_KEY = /does not match the schema|Missing the key|Type mismatch for key/i

const FAILED = 'DynamoDB failed. If that lasts, see the AWS health page.'
const UNAVAILABLE: Readonly<Partial<Record<Trouble, string>>> = {
  noTable:
    'A DynamoDB table does not exist in this account and Region. Create it with tableDefinition().',
  badEntry:
    'A DynamoDB table has another key than the framework. Create it with tableDefinition().',
  denied: 'The role may not use a DynamoDB table. Grant it the actions on it.',
  credentials: 'DynamoDB does not accept the credentials. Check the role and the Region.',
  throttled: 'DynamoDB throttles a table. If that lasts, raise its throughput limits.',
  down: 'DynamoDB gave no answer. If that lasts, check network, endpoint and Region.',
}
