import { FEW_TRIES, MANY_TRIES } from '../retries.ts'
import type {
  ConditionalCheckFailedException,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb'

/**
 * What an error of DynamoDB means for the entry it befell. `busy`: another transaction has the item; `unknown`: the
 * service failed, and may have written all the same.
 */
export type Trouble =
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

/** Exceptions, codes of batched statements and codes of cancelled transactions differ in their endings only. */
const TROUBLES: Readonly<Record<string, Trouble>> = {
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

/** @param code the name of an exception, or the code of one statement or of one cancelled action. */
export function troubleOf(code: string | undefined): Trouble {
  return TROUBLES[(code ?? '').replace(/(Exception|Error)$/, '')] ?? 'down'
}

export function troubleWith(error: unknown): Trouble {
  return error instanceof Error ? troubleOf(error.name) : 'down'
}

/** The SDK repeats a whole call for these, but sees neither a statement's error nor a cancelled transaction's. */
export function isPassing(trouble: Trouble): boolean {
  return trouble === 'busy' || trouble === 'throttled' || trouble === 'unknown'
}

/** A throttled table has been asked by the SDK, too; a busy item by nobody but us. */
export function triesFor(trouble: Trouble): number {
  return trouble === 'busy' ? MANY_TRIES : FEW_TRIES
}

/** By name: the client may come from another copy of the SDK than ours. */
export function isRefusal(error: unknown): error is ConditionalCheckFailedException {
  return error instanceof Error && error.name === 'ConditionalCheckFailedException'
}

export function isCancelled(error: unknown): error is TransactionCanceledException {
  return error instanceof Error && error.name === 'TransactionCanceledException'
}
