import {
  RetryableError,
  StoreUnavailableError,
  TerminalError,
  type Unavailable,
} from '../../errors.ts'
import type { Again, Failed } from '../retries.ts'
import { isPassing, triesFor, type Trouble, troubleWith } from './errorKind.ts'

/** A thrown error: the SDK has repeated the call already, unless another transaction had the item. */
export function failedOrAgain(table: string, thrown: unknown): Failed | Again {
  if (thrown instanceof TerminalError) return { kind: 'failed', error: thrown }
  const trouble = troubleWith(thrown)
  const error = failureOf(table, trouble, thrown)
  return trouble === 'busy'
    ? { kind: 'again', error, tries: triesFor(trouble) }
    : { kind: 'failed', error }
}

/**
 * The error that the framework goes on with when its own table has not done what it was asked to.
 * @param userTable when it is known that the user's table was the one.
 */
export function failureOf(
  table: string,
  trouble: Trouble,
  cause: unknown,
  userTable?: string,
): Error {
  const why = textOf(cause)
  if (trouble === 'badEntry' && !HAS_OTHER_KEY.test(why)) return badEntry(table, cause)
  const reason = REASONS[trouble] ?? 'noAnswer'
  return new StoreUnavailableError(`${UNAVAILABLE[trouble] ?? FAILED} (Table ${table}. ${why})`, {
    cause,
    reason,
    userTable,
  })
}

/**
 * The same for a table of the user's. One that is missing, or that the role may not use, is a mistake of the set-up: the
 * attempt has failed and counts, and the tries of the retry policy are the time to put it right.
 */
export function userFailure(userTable: string, trouble: Trouble, cause: unknown): Error {
  if (trouble === 'badEntry') return badEntry(userTable, cause)
  const mistake = MISTAKES[trouble]
  if (mistake === undefined) return failureOf(userTable, trouble, cause, userTable)
  return new RetryableError(
    `${mistake} (Table ${userTable}. ${textOf(cause)}) Nothing was written.`,
    {
      cause,
    },
  )
}

/** Sent again where that may help. */
export function userFailedOrAgain(
  userTable: string,
  trouble: Trouble,
  cause: unknown,
): Failed | Again {
  const error = userFailure(userTable, trouble, cause)
  return isPassing(trouble)
    ? { kind: 'again', error, tries: triesFor(trouble) }
    : { kind: 'failed', error }
}

/** One that cannot be written to the table, now or later. */
export function badEntry(table: string, cause: unknown): TerminalError {
  const message = `DynamoDB does not take what was given for the table ${table} (${textOf(cause)}). Nothing was written.`
  return new TerminalError(message, { cause })
}

function textOf(cause: unknown): string {
  return cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause)
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
  busy: 'Other transactions kept an item of a DynamoDB table busy. If that lasts, spread what is written to it.',
  down: 'DynamoDB gave no answer. If that lasts, check network, endpoint and Region.',
}
const MISTAKES: Readonly<Partial<Record<Trouble, string>>> = {
  noTable: 'This DynamoDB table does not exist in this account and Region. Is its name right?',
  denied: 'The role may not use this DynamoDB table. Grant it the action that the text names.',
}
const REASONS: Readonly<Partial<Record<Trouble, Unavailable>>> = {
  busy: 'busy',
  throttled: 'throttled',
  noTable: 'setUp',
  badEntry: 'setUp',
  denied: 'setUp',
  credentials: 'setUp',
}
