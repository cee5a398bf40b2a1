import { type Duration, DURATION_EXPECTED, parseDuration } from './parseDuration.ts'

/**
 * Errors are named for what happens next, and carry a stable `code`.
 * Recognise them by `code`: two copies of the package in one bundle break `instanceof`.
 */
export type ErrorCode =
  | 'RETRYABLE'
  | 'TERMINAL'
  | 'UNKNOWN_OUTCOME'
  | 'SUPERSEDED'
  | 'STALE'
  | 'IN_PROGRESS'
  | 'CONFIG'
  | 'STORE_UNAVAILABLE'
  | 'QUEUE_REFUSED'
  | 'REJECTED'

class LineclearError extends Error {
  readonly code: ErrorCode

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/**
 * The record is tried again after `retryAfter`, or after the delay of the retry policy.
 * @example throw new RetryableError('the bank is closed', { retryAfter: '30m' })
 */
export class RetryableError extends LineclearError {
  override readonly name: string = 'RetryableError'
  /** Milliseconds. undefined: none was given, or a number that is no time. */
  readonly retryAfter: number | undefined

  /** @throws ConfigError when `retryAfter` is a text that is no time. */
  constructor(message: string, options?: ErrorOptions & { retryAfter?: Duration | undefined }) {
    super('RETRYABLE', message, options)
    const after = options?.retryAfter
    this.retryAfter = after === undefined ? undefined : parseDuration(after)
    // A number may have been computed, from a header that says nothing: then the retry policy says when.
    if (typeof after !== 'string' || this.retryAfter !== undefined) return
    throw new ConfigError(
      `RetryableError: retryAfter: expected ${DURATION_EXPECTED}, got ${JSON.stringify(after)}`,
    )
  }
}

/** The record is dead-lettered at once: trying again cannot help. */
export class TerminalError extends LineclearError {
  override readonly name: string = 'TerminalError'

  constructor(message: string, options?: ErrorOptions) {
    super('TERMINAL', message, options)
  }
}

/** Nobody knows whether an outside effect happened: the record is parked for a person and never repeated by itself. */
export class UnknownOutcomeError extends LineclearError {
  override readonly name: string = 'UnknownOutcomeError'

  constructor(message: string, options?: ErrorOptions) {
    super('UNKNOWN_OUTCOME', message, options)
  }
}

/** Another attempt holds the claim now. This one can no longer write, and stops. */
export class SupersededError extends LineclearError {
  override readonly name: string = 'SupersededError'

  constructor(message: string, options?: ErrorOptions) {
    super('SUPERSEDED', message, options)
  }
}

/** The data are newer than this request: there is nothing left for it to do. */
export class StaleError extends LineclearError {
  override readonly name: string = 'StaleError'

  constructor(message: string, options?: ErrorOptions) {
    super('STALE', message, options)
  }
}

/** Another attempt of the same request is running until `until` (epoch milliseconds). */
export class InProgressError extends LineclearError {
  override readonly name: string = 'InProgressError'
  readonly until: number

  constructor(message: string, until: number, options?: ErrorOptions) {
    super('IN_PROGRESS', message, options)
    this.until = until
  }
}

/**
 * A mistake in the program or its set-up. Names the call or option, what was expected and what came. In a handler it
 * dead-letters the record at once: no further attempt would do better.
 */
export class ConfigError extends LineclearError {
  override readonly name: string = 'ConfigError'

  constructor(message: string, options?: ErrorOptions) {
    super('CONFIG', message, options)
  }
}

/**
 * Why a table did not do what it was asked to. `busy`: transactions had the item for as long as we tried. `throttled`: its
 * throughput, or the account's. `noAnswer`: a timeout, no connection, or a failure of the service. `setUp`: the
 * framework's own table is missing, has another key, or the role or its credentials are not accepted.
 */
export type Unavailable = 'busy' | 'throttled' | 'noAnswer' | 'setUp'

/**
 * A table gave no answer, or not the one that the work needs: nothing is acknowledged, and the record comes back. That
 * is no fault of the record: a mistake in it is a TerminalError, a user's table that is missing or that the role may not
 * use a RetryableError. `cause`: the last error of DynamoDB.
 */
export class StoreUnavailableError extends LineclearError {
  override readonly name: string = 'StoreUnavailableError'
  readonly reason: Unavailable | undefined
  /** The table of the user's own that did not answer. Undefined: the framework's, or nobody can tell which. */
  readonly userTable: string | undefined

  constructor(
    message: string,
    options?: ErrorOptions & { reason?: Unavailable; userTable?: string | undefined },
  ) {
    super('STORE_UNAVAILABLE', message, options)
    this.reason = options?.reason
    this.userTable = options?.userTable
  }
}

/**
 * What became of one message. `unknown`: no answer came, so that it may have been taken. What is not `sent` is sent again
 * under the same `uniqueRequestId`: should it have been taken, consumers run it once all the same.
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
 * A queue or topic did not take a message: the record comes back, or is dead-lettered at once when the same message would
 * be refused again.
 */
export class QueueRefusedError extends LineclearError {
  override readonly name: string = 'QueueRefusedError'
  /** Too long, with contents that are not allowed, to a target that does not exist or may not be used. */
  readonly permanent: boolean
  /** Of a producer's call: what became of each of its messages, in their order. Else empty. */
  readonly results: readonly SendResult[]

  constructor(
    message: string,
    options?: ErrorOptions & { permanent?: boolean; results?: readonly SendResult[] },
  ) {
    super('QUEUE_REFUSED', message, options)
    this.permanent = options?.permanent ?? false
    this.results = options?.results ?? []
  }
}

/** The record itself cannot be read as what the consumer takes: it is dead-lettered without a run. */
export class RejectedError extends LineclearError {
  override readonly name: string = 'RejectedError'

  constructor(message: string, options?: ErrorOptions) {
    super('REJECTED', message, options)
  }
}

export function hasCode(error: unknown, code: ErrorCode): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code
}

/** A text goes into the log, the token and the dead letter: with 5 MB of it the request could not even die. Characters. */
const LONGEST_TEXT = 2_000

function cut(text: string): string {
  if (text.length <= LONGEST_TEXT) return text
  return `${text.slice(0, LONGEST_TEXT).toWellFormed()}… (${text.length} characters)`
}

/** The text of whatever was thrown, cut: handlers may throw strings, or nothing at all. */
export function messageOf(error: unknown): string {
  if (error instanceof Error) return cut(`${error.name}: ${error.message}`)
  if (typeof error === 'string') return cut(error)
  return `a thrown ${error === null ? 'null' : typeof error}`
}
