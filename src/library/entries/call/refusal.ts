import { nothingWasRun } from '../../run/context/neverReached.ts'
import {
  ConfigError,
  InProgressError,
  RejectedError,
  SupersededError,
  TerminalError,
  UnknownOutcomeError,
} from '../../base/errors.ts'
import type { HttpProblem } from './http/httpAnswer.ts'

/** Why a call is neither run nor answered with the first run's answer. */
export type CallRefusal =
  | { readonly kind: 'no key'; readonly why: string; readonly because?: string | undefined }
  /** An option is wrong or missing: `why` names it, `because` is what it threw. Both are only logged, never sent to HTTP clients. */
  | { readonly kind: 'misconfigured'; readonly why: string; readonly because?: string }
  | { readonly kind: 'other payload' }
  | { readonly kind: 'running'; readonly until: number }
  /** By what ran before this function: the option alreadyDone says so. */
  | { readonly kind: 'done elsewhere' }
  /** The function ran longer than its lease. Another call has taken over the key, and the end of that call counts. */
  | { readonly kind: 'overtaken' }
  /** The option onReplay threw. */
  | { readonly kind: 'replay failed'; readonly because: string }
  | { readonly kind: 'not kept'; readonly why: string; readonly doneAt: string }
  | { readonly kind: 'parked'; readonly as: 'error' | 'unknown'; readonly error: string }
  | { readonly kind: 'unavailable'; readonly error: Error }

/** Seconds. A lease lasts minutes, but most calls end long before it, so a client should not wait for the lease. */
const LONGEST_RETRY_AFTER = 10

/** The answer to an HTTP client. What the function or the store threw, and how an option is wrong, is only logged. */
export function problemFor(refusal: CallRefusal, now: number): HttpProblem {
  switch (refusal.kind) {
    case 'no key': {
      const detail = `The request has no usable idempotency key: ${refusal.why}. Nothing was done.`
      return { status: 400, code: 'IDEMPOTENCY_KEY_MISSING', detail }
    }
    case 'running': {
      const seconds = Math.max(Math.ceil((refusal.until - now) / 1_000), 1)
      return { ...PROBLEMS.running, retryAfter: Math.min(seconds, LONGEST_RETRY_AFTER) }
    }
    case 'not kept': {
      const detail = `The request was done at ${refusal.doneAt} and was not run again, but its response was not kept.`
      return { status: 410, code: 'RESPONSE_NOT_KEPT', detail }
    }
    case 'parked':
      return { ...PROBLEMS.parked, code: refusal.as === 'unknown' ? 'OUTCOME_UNKNOWN' : 'FAILED' }
    default:
      return PROBLEMS[refusal.kind]
  }
}

const PROBLEMS = {
  misconfigured: {
    status: 500,
    code: 'CONFIG',
    // Which option is wrong is logged only: it would tell a client how the service is configured.
    detail:
      'The service cannot make sure that this request is done only once, so nothing was done.',
  },
  'other payload': {
    status: 422,
    code: 'IDEMPOTENCY_KEY_REUSED',
    detail:
      'This idempotency key was used for a request with other content. Nothing was done now. A new request takes a new key; never ' +
      'repeat the same one under a new key: it would be done twice.',
  },
  running: {
    status: 409,
    code: 'IDEMPOTENCY_KEY_IN_USE',
    detail: 'A request with this idempotency key is still running. Retry with the same key.',
  },
  overtaken: {
    status: 409,
    code: 'IDEMPOTENCY_KEY_IN_USE',
    detail:
      'This request took too long, and a retry with its idempotency key is running now. Retry with the same key.',
    retryAfter: 1,
  },
  'done elsewhere': {
    status: 410,
    code: 'RESPONSE_NOT_KEPT',
    detail:
      'The request was done before and was not run again, but its response is not known here.',
  },
  'replay failed': {
    status: 500,
    code: 'REPLAY_FAILED',
    detail:
      'The request was done before and was not run again, but its answer could not be replayed.',
  },
  parked: {
    status: 500,
    detail: 'The request failed before. It is not run again until an operator has resolved it.',
  },
  unavailable: {
    status: 503,
    code: 'STORE_UNAVAILABLE',
    detail:
      'It is not known whether the request was done before, so it was not run. Retry with the same key.',
    retryAfter: 1,
  },
} as const

/**
 * The error for callers that are not HTTP clients. An error that says "nothing was run" is marked, so that `classifyCall` frees
 * the key.
 */
export function errorFor(refusal: CallRefusal): Error {
  const error = describe(refusal)
  return NOT_RUN.has(refusal.kind) ? nothingWasRun(error) : error
}

/** Refusals before any run. With the other kinds the function has run, now or in an earlier call. */
const NOT_RUN: ReadonlySet<CallRefusal['kind']> = new Set([
  'no key',
  'misconfigured',
  'other payload',
  'running',
  'unavailable',
])

function describe(refusal: CallRefusal): Error {
  switch (refusal.kind) {
    case 'no key': {
      const because = refusal.because === undefined ? '' : ` (${refusal.because})`
      return new RejectedError(
        `the call has no usable idempotency key: ${refusal.why}${because}; nothing was run`,
      )
    }
    case 'misconfigured':
      return new ConfigError(
        refusal.because === undefined ? refusal.why : `${refusal.why} (${refusal.because})`,
      )
    case 'other payload':
      return new RejectedError(
        'this idempotency key was used with a different payload; nothing was run',
      )
    case 'running':
      return new InProgressError(
        'another call with this idempotency key is still running; nothing was run',
        refusal.until,
      )
    case 'overtaken':
      return new SupersededError(
        'this call ran longer than its lease, and another call took over its idempotency key: the end of that call counts',
      )
    case 'done elsewhere':
      return new TerminalError(
        'alreadyDone: the call was done before and was not run again; its result is not known here',
      )
    case 'replay failed':
      return new TerminalError(
        `the call was done before and was not run again, but onReplay threw (${refusal.because})`,
      )
    case 'not kept':
      return new TerminalError(
        `the call was done at ${refusal.doneAt} and was not run again, but its result was not kept: ${refusal.why}`,
      )
    case 'parked':
      return refusal.as === 'unknown'
        ? new UnknownOutcomeError(`not run again: ${refusal.error}`)
        : new TerminalError(`failed before, and is parked for an operator: ${refusal.error}`)
    case 'unavailable':
      return refusal.error
  }
}
