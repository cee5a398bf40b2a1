import { FEW_TRIES, MANY_TRIES } from '../retries.ts'
import type { TransactionCanceledException } from '@aws-sdk/client-dynamodb'

/**
 * What an error of DynamoDB means for the entry that failed. `busy`: another transaction has the item; `unknown`: the
 * service failed, and may have written all the same.
 */
export type ErrorKind =
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

/** The SDK has retried a throttled call already, but does not retry a call whose item is busy. */
export function triesFor(errorKind: ErrorKind): number {
  return errorKind === 'busy' ? MANY_TRIES : FEW_TRIES
}

/** Compared by name, because the client may come from another copy of the SDK. */
export function isCancelled(error: unknown): error is TransactionCanceledException {
  return error instanceof Error && error.name === 'TransactionCanceledException'
}
