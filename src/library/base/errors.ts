import { isNativeError } from 'node:util/types'
import { type Duration, DURATION_EXPECTED, parseDuration } from './time.ts'

/**
 * The stable code of each error class, `error.code`. Recognise errors by it: two copies of the package in one bundle break `instanceof`.
 * Each class is named for what happens next. Three codes are cases of a class: `REQUEST_FULL` is a TerminalError whose
 * request has no room for another effect; `LATE` is a SupersededError of a `ctx` that was used after its attempt had ended;
 * `UNKNOWN_FORMAT` is a StoreUnavailableError about an item or message that a newer version has written.
 */
export type ErrorCode =
  | 'RETRYABLE'
  | 'TERMINAL'
  | 'UNKNOWN_OUTCOME'
  | 'SUPERSEDED'
  | 'STALE'
  | 'IN_PROGRESS'
  | 'CONFIG'
  | 'LATE'
  | 'REQUEST_FULL'
  | 'STORE_UNAVAILABLE'
  | 'UNKNOWN_FORMAT'
  | 'SEND_FAILED'
  | 'REJECTED'

abstract class LineclearError extends Error {
  abstract readonly code: ErrorCode

  // oxlint-disable-next-line no-useless-constructor -- `Error` takes none, too
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
  }
}

/**
 * Throw it from a handler: the record is tried again after `retryAfter`, or after the delay of the retry policy. Any other
 * error does the latter.
 * @example throw new RetryableError('the bank is closed', { retryAfter: '30m' })
 */
export class RetryableError extends LineclearError {
  readonly code: ErrorCode = 'RETRYABLE'
  override readonly name: string = 'RetryableError'
  /** Milliseconds. undefined: none was given, or a number that is not a valid time. */
  readonly retryAfter: number | undefined

  /** @throws ConfigError when `retryAfter` is a text that is not a duration */
  constructor(message: string, options?: ErrorOptions & { retryAfter?: Duration | undefined }) {
    super(message, options)
    const after = options?.retryAfter
    this.retryAfter = after === undefined ? undefined : parseDuration(after)
    // A number may have been computed from a missing header; the retry policy then decides.
    if (typeof after !== 'string' || this.retryAfter !== undefined) return
    throw new ConfigError(
      `RetryableError: retryAfter: expected ${DURATION_EXPECTED}, got ${JSON.stringify(after)}`,
    )
  }
}

/**
 * Throw it from a handler: the record is dead-lettered at once, because trying again cannot help.
 * @example throw new TerminalError(`order ${orderId} was cancelled by hand`)
 */
export class TerminalError extends LineclearError {
  readonly code: ErrorCode = 'TERMINAL'
  override readonly name: string = 'TerminalError'
}

/** An answer that a join was given is gone from the table. The record is dead-lettered as `lost answer`. */
export class LostAnswerError extends TerminalError {}

/**
 * A request has so many effects or results that its item would not hold its end: DynamoDB's items have at most 400 KB. The effect was
 * not begun, and those before it stay. The record is dead-lettered.
 */
export class RequestFull extends TerminalError {
  override readonly code: ErrorCode = 'REQUEST_FULL'
}

/**
 * It is unknown whether an outside effect happened: the record is parked for an operator and never repeated automatically.
 * @example throw new UnknownOutcomeError('the payment timed out')
 */
export class UnknownOutcomeError extends LineclearError {
  readonly code: ErrorCode = 'UNKNOWN_OUTCOME'
  override readonly name: string = 'UnknownOutcomeError'
}

/**
 * This attempt can no longer write: another one has taken over the claim, or, with the code `LATE`, the attempt had ended before the
 * call was made. Let this error end the handler.
 */
export class SupersededError extends LineclearError {
  readonly code: ErrorCode = 'SUPERSEDED'
  override readonly name: string = 'SupersededError'
}

/**
 * `ctx` was used after its attempt had ended: nothing was done, and the log has it as an error. Await every call before the handler
 * returns; an attempt whose time was up is made again.
 */
export class LateCall extends SupersededError {
  override readonly code: ErrorCode = 'LATE'
}

/** The stored data are newer than this request. Throw it from a handler to drop the record as `stale`. */
export class StaleError extends LineclearError {
  readonly code: ErrorCode = 'STALE'
  override readonly name: string = 'StaleError'
}

/** Another attempt of the same request is running until `until` (epoch milliseconds). */
export class InProgressError extends LineclearError {
  readonly code: ErrorCode = 'IN_PROGRESS'
  override readonly name: string = 'InProgressError'
  readonly until: number

  constructor(message: string, until: number, options?: ErrorOptions) {
    super(message, options)
    this.until = until
  }
}

/**
 * A mistake in the program or its set-up. The message names the call or option, what was expected and what was given. In a
 * handler it dead-letters the record at once, because no further attempt would do better.
 */
export class ConfigError extends LineclearError {
  readonly code: ErrorCode = 'CONFIG'
  override readonly name: string = 'ConfigError'
}

/**
 * Why a table could not be used. `busy`: transactions held the item during all tries. `throttled`: the throughput limit of
 * the table or the account. `noAnswer`: a timeout, no connection, or a failure of the service. `setUp`: the framework's own
 * table is missing, has another key, or the role or its credentials are not accepted.
 */
export type Unavailable = 'busy' | 'throttled' | 'noAnswer' | 'setUp'

/**
 * A table gave no answer, or could not be used: nothing is acknowledged, the record is delivered again, and the attempt does
 * not count. A write that DynamoDB cannot store is a TerminalError instead; one of your own tables that is missing, or that
 * the role may not use, a RetryableError. `cause`: the last error of DynamoDB.
 */
export class StoreUnavailableError extends LineclearError {
  readonly code: ErrorCode = 'STORE_UNAVAILABLE'
  override readonly name: string = 'StoreUnavailableError'
  /** undefined: not known. */
  readonly reason: Unavailable | undefined
  /** Which of your own tables did not answer. undefined: the framework's table, or it is unknown which. */
  readonly userTable: string | undefined

  constructor(
    message: string,
    options?: ErrorOptions & { reason?: Unavailable; userTable?: string | undefined },
  ) {
    super(message, options)
    this.reason = options?.reason
    this.userTable = options?.userTable
  }
}

/**
 * An item or a message has a format that this version does not know, so nothing may be decided on it: it is left as it is, and
 * SQS delivers the record again until the newer version is deployed to its function.
 */
export class UnknownFormatError extends StoreUnavailableError {
  override readonly code: ErrorCode = 'UNKNOWN_FORMAT'
}

/**
 * The outcome of sending one message. `unknown`: no answer came, so it may have been accepted. Send what is not `sent` again
 * under the same `uniqueRequestId`: if it had been accepted, a consumer still runs it once.
 */
export type SendResult =
  | { readonly outcome: 'sent'; readonly uniqueRequestId: string; readonly messageId: string }
  | {
      readonly outcome: 'notSent' | 'unknown'
      readonly uniqueRequestId: string
      readonly error: Error
      /** The same message would be refused again. */
      readonly permanent: boolean
    }

/**
 * A message could not be sent: its queue, topic or bus refused it, or gave no answer, so that it may have arrived. The record is
 * tried again under the same ids, or is dead-lettered at once if the same message would be refused again.
 */
export class SendFailedError extends LineclearError {
  readonly code: ErrorCode = 'SEND_FAILED'
  override readonly name: string = 'SendFailedError'
  /** The same message would be refused again: it is too long, or not allowed. A target that is missing or forbidden may come. */
  readonly permanent: boolean
  /** When a producer throws it: the outcome of each message, in their order. Otherwise empty. */
  readonly results: readonly SendResult[]

  constructor(
    message: string,
    options?: ErrorOptions & { permanent?: boolean; results?: readonly SendResult[] },
  ) {
    super(message, options)
    this.permanent = options?.permanent ?? false
    this.results = options?.results ?? []
  }
}

/** The record cannot be read, or its schema refuses it: it is dead-lettered without running the handler. */
export class RejectedError extends LineclearError {
  readonly code: ErrorCode = 'REJECTED'
  override readonly name: string = 'RejectedError'
}

/**
 * Whether an error is one of this package's, whichever copy of the package made it. `REQUEST_FULL` is `TERMINAL` as well, and
 * `UNKNOWN_FORMAT` is `STORE_UNAVAILABLE`.
 * @example if (hasCode(error, 'STORE_UNAVAILABLE')) return { statusCode: 503 }
 */
export function hasCode(error: unknown, code: ErrorCode): boolean {
  if (typeof error !== 'object' || error === null) return false
  // @protects an error is recognised from another copy of the package
  // @without !(error instanceof LineclearError)
  if (!('code' in error)) return false
  if (error.code === code) return true
  return code === 'TERMINAL'
    ? error.code === 'REQUEST_FULL'
    : code === 'STORE_UNAVAILABLE' && error.code === 'UNKNOWN_FORMAT'
}

/** Characters. The text goes into the log, the token and the dead letter, each of which has a size limit. */
const LONGEST_TEXT = 2_000

function cut(text: string): string {
  if (text.length <= LONGEST_TEXT) return text
  return `${text.slice(0, LONGEST_TEXT).toWellFormed()}… (${text.length} characters)`
}

/** Also one of another realm: what Node.js throws in a test of jest is no instance of the Error there. */
export function isError(thrown: unknown): thrown is Error {
  return thrown instanceof Error || isNativeError(thrown)
}

/** It quotes what could not be parsed, which may be a payload. */
export function isSyntaxError(thrown: unknown): thrown is Error {
  return isError(thrown) && (thrown instanceof SyntaxError || thrown.name === 'SyntaxError')
}

/** Whatever was thrown, as an Error: handlers may throw anything. */
export function toError(thrown: unknown): Error {
  return isError(thrown) ? thrown : new Error(messageOf(thrown))
}

/** The text of whatever was thrown, shortened. Handlers may throw strings, undefined, or objects whose getters throw. */
export function messageOf(error: unknown): string {
  try {
    if (isError(error)) return cut(`${error.name}: ${error.message}`)
  } catch {
    return 'a thrown object that cannot be read'
  }
  if (typeof error === 'string') return cut(error)
  return `a thrown ${error === null ? 'null' : typeof error}`
}
