import {
  RetryableError,
  StoreUnavailableError,
  TerminalError,
  type Unavailable,
} from '../../../../base/errors.ts'
import { isObject } from '../../../../base/kindOf.ts'
import { type Retryable, FEW_TRIES, MANY_TRIES } from '../../../../protocol/store/retries.ts'
import type { Failed } from '../../../../protocol/store/store.ts'
import type {
  TransactionCanceledException,
  ConditionalCheckFailedException,
} from '@aws-sdk/client-dynamodb'

/**
 * What an error of DynamoDB means for the entry that failed. `busy`: another transaction has the item; `unknown`: the
 * service failed, and may have written all the same.
 */
type ErrorKind =
  | 'refused'
  | 'busy'
  | 'throttled'
  | 'unknown'
  | 'noTable'
  | 'denied'
  | 'noPartiQl'
  | 'badEntry'
  | 'credentials'
  | 'down'

/** Exceptions, codes of batched statements and codes of cancelled transactions differ only in their endings. */
const ERROR_KINDS: Readonly<Record<string, ErrorKind>> = {
  ConditionalCheckFailed: 'refused',
  DuplicateItem: 'refused',
  TransactionConflict: 'busy',
  TransactionInProgress: 'busy',
  ReplicatedWriteConflict: 'busy',
  Throttling: 'throttled',
  ProvisionedThroughputExceeded: 'throttled',
  RequestLimitExceeded: 'throttled',
  InternalServer: 'unknown',
  ResourceNotFound: 'noTable',
  AccessDenied: 'denied',
  UnknownOperation: 'noPartiQl',
  Validation: 'badEntry',
  Serialization: 'badEntry',
  ItemCollectionSizeLimitExceeded: 'badEntry',
  CredentialsProvider: 'credentials',
  UnrecognizedClient: 'credentials',
  ExpiredToken: 'credentials',
  InvalidSignature: 'credentials',
}

/** @param code the name of an exception, or the code of one statement or one cancelled action */
export function kindOfCode(code: string | undefined): ErrorKind {
  return ERROR_KINDS[(code ?? '').replace(/(Exception|Error)$/, '')] ?? 'down'
}

export function kindOfError(error: unknown): ErrorKind {
  return error instanceof Error ? kindOfCode(error.name) : 'down'
}

/**
 * The SDK repeats a whole call for these errors, but it sees neither the error of a statement nor that of a cancelled
 * transaction.
 */
export function isTransient(errorKind: ErrorKind): boolean {
  return errorKind === 'busy' || errorKind === 'throttled' || errorKind === 'unknown'
}

/** Converts a thrown error. The SDK has repeated the call already, unless another transaction had the item. */
export function failedOrRetryable(table: string, thrown: unknown): Failed | Retryable {
  if (thrown instanceof TerminalError) return { kind: 'failed', error: thrown }
  const errorKind = kindOfError(thrown)
  return againOrFailed(failureOf(table, thrown, errorKind), errorKind, errorKind === 'busy')
}

/**
 * The SDK has retried a throttled call already, but does not retry a call whose item is busy.
 * @param again whether what failed is sent again. Default: where that may help
 */
export function againOrFailed(
  error: Error,
  errorKind: ErrorKind,
  again: boolean = isTransient(errorKind),
): Failed | Retryable {
  const tries = errorKind === 'busy' ? MANY_TRIES : FEW_TRIES
  return again ? { kind: 'retryable', error, tries } : { kind: 'failed', error }
}

/**
 * The error to throw when the framework's own table has failed.
 * @param userTable the user's table that has failed, if that is known
 */
export function failureOf(
  table: string,
  cause: unknown,
  errorKind: ErrorKind = kindOfError(cause),
  userTable?: string,
): Error {
  const why = textOf(cause)
  if (errorKind === 'badEntry' && !HAS_OTHER_KEY.test(why)) return invalidEntry(table, cause)
  const { text, reason } = unreached(errorKind, cause) ?? {
    text: UNAVAILABLE[errorKind] ?? FAILED,
    reason: REASONS[errorKind] ?? 'noAnswer',
  }
  return new StoreUnavailableError(`${text} (Table ${table}. ${why})`, { cause, reason, userTable })
}

/** What the SDK names by the text of an error only. A connection may be refused for a moment, a Region is missing for good. */
function unreached(
  errorKind: ErrorKind,
  cause: unknown,
): { readonly text: string; readonly reason: Unavailable } | undefined {
  if (errorKind !== 'down') return undefined
  // @protects a client without a Region says so
  if (/Region is missing/.test(textOf(cause))) return { text: NO_REGION, reason: 'setUp' }
  const isRefused = isObject(cause) && cause['code'] === 'ECONNREFUSED'
  return isRefused ? { text: NOT_LISTENING, reason: 'noAnswer' } : undefined
}

const NO_REGION =
  'The DynamoDB client has no Region, so no call was made. Set AWS_REGION, or give it one: new DynamoDBClient({ region }).'
const NOT_LISTENING =
  'DynamoDB gave no answer: nothing listens at its endpoint. Is the local engine running, and AWS_ENDPOINT_URL or `endpoint` right?'

/**
 * The error to throw when one of the user's tables has failed. A table that is missing, or that the role may not use, is a
 * mistake of the set-up: the attempt has failed and counts, and the retries give time to correct it.
 */
export function userFailure(
  userTable: string,
  cause: unknown,
  errorKind: ErrorKind = kindOfError(cause),
): Error {
  if (errorKind === 'badEntry') return invalidEntry(userTable, cause)
  const invalid = SET_UP_ERRORS[errorKind]
  if (invalid === undefined) return failureOf(userTable, cause, errorKind, userTable)
  return new RetryableError(
    `${invalid} (Table ${userTable}. ${textOf(cause)}) Nothing was written.`,
    { cause },
  )
}

/** An entry that can never be written to the table. */
function invalidEntry(table: string, cause: unknown): TerminalError {
  const message = `DynamoDB does not take what was given for the table ${table} (${textOf(cause)}). Nothing was written.`
  return new TerminalError(message, { cause })
}

function textOf(cause: unknown): string {
  return cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause)
}

/**
 * The table has a key of another form. This is a mistake of the table that affects every record, so no record may be
 * dead-lettered for it.
 */
const HAS_OTHER_KEY = /does not match the schema|Missing the key|Type mismatch for key/i

const UNAVAILABLE: Readonly<Partial<Record<ErrorKind, string>>> = {
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
const FAILED = 'DynamoDB failed. If that lasts, see the AWS health page.'
/** The kinds that are not listed mean that DynamoDB gave no answer. */
const REASONS: Readonly<Partial<Record<ErrorKind, Unavailable>>> = {
  noTable: 'setUp',
  badEntry: 'setUp',
  denied: 'setUp',
  credentials: 'setUp',
  throttled: 'throttled',
  busy: 'busy',
}
const SET_UP_ERRORS: Readonly<Partial<Record<ErrorKind, string>>> = {
  noTable: 'This DynamoDB table does not exist in this account and Region. Is its name right?',
  denied: 'The role may not use this DynamoDB table. Grant it the action that the text names.',
}

/** Compared by name, because the client may come from another copy of the SDK. */
export function isCancelled(error: unknown): error is TransactionCanceledException {
  return error instanceof Error && error.name === CANCELLED
}

/** As `isCancelled`. */
export function isConditionFailure(error: unknown): error is ConditionalCheckFailedException {
  return error instanceof Error && error.name === REFUSED
}

const REFUSED = 'ConditionalCheckFailedException'
const CANCELLED = 'TransactionCanceledException'

/** The error that the SDK throws, as far as the store reads it. Undefined: the answer says something else. */
export function refusalIn(answer: Readonly<Record<string, unknown>>): Error | undefined {
  const { __type: type, message, Message = message, Item, CancellationReasons } = answer
  const name = typeof type === 'string' ? type.split('#').at(-1) : undefined
  const isRefusal = name === REFUSED || (name === CANCELLED && Array.isArray(CancellationReasons))
  if (!isRefusal) return undefined
  return Object.assign(new Error(String(Message)), { name, Item, CancellationReasons })
}
