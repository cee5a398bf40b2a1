import { nothingWasRun } from '../context/neverReached.ts'
import {
  ConfigError,
  InProgressError,
  RejectedError,
  SupersededError,
  TerminalError,
  UnknownOutcomeError,
} from '../errors.ts'
import type { HttpProblem } from './http/problem.ts'

/** Why a call is neither run nor answered from the first run. */
export type CallRefusal =
  | { readonly kind: 'no key'; readonly why: string; readonly because?: string | undefined }
  /** An option is wrong or missing. `why` names it; `because`: what it threw, which is not for clients. */
  | { readonly kind: 'misconfigured'; readonly why: string; readonly because?: string }
  | { readonly kind: 'other payload' }
  | { readonly kind: 'running'; readonly until: number }
  /** It was run, but another call had taken over its key, and what that one comes to is what counts. */
  | { readonly kind: 'overtaken' }
  /** The option onReplay threw. */
  | { readonly kind: 'replay failed'; readonly because: string }
  | { readonly kind: 'not kept'; readonly why: string; readonly doneAt: string }
  | { readonly kind: 'parked'; readonly as: 'error' | 'unknown'; readonly error: string }
  | { readonly kind: 'unavailable'; readonly error: Error }

/** A caller who waits for a lease of minutes would ask too late: most calls end long before. Seconds. */
const LONGEST_RETRY_AFTER = 10

/** For an HTTP request. Errors of the work and of the store are for the log, not for the client. */
export function problemFor(refusal: CallRefusal, now: number): HttpProblem {
  switch (refusal.kind) {
    case 'no key':
      return {
        status: 400,
        code: 'IDEMPOTENCY_KEY_MISSING',
        detail: `The request cannot be told from its repetition: of its idempotency key, ${refusal.why}. Nothing was done.`,
      }
    case 'misconfigured':
      return {
        status: 500,
        code: 'CONFIG',
        detail: `The service cannot protect this request from being done twice, so nothing was done: its option ${refusal.why}`,
      }
    case 'other payload':
      return {
        status: 422,
        code: 'IDEMPOTENCY_KEY_REUSED',
        detail:
          'Another request came with this idempotency key before. This one was not run. Take a new key for it.',
      }
    case 'running':
      return {
        status: 409,
        code: 'IDEMPOTENCY_KEY_IN_USE',
        detail:
          'A request with this idempotency key is still running. Try again, with the same key.',
        retryAfter: Math.min(
          Math.max(Math.ceil((refusal.until - now) / 1_000), 1),
          LONGEST_RETRY_AFTER,
        ),
      }
    case 'overtaken':
      return {
        status: 409,
        code: 'IDEMPOTENCY_KEY_IN_USE',
        detail:
          'This request took so long that another one with its idempotency key was begun, and is still running. Try again, with the same key.',
        retryAfter: 1,
      }
    case 'replay failed':
      return {
        status: 500,
        code: 'REPLAY_FAILED',
        detail:
          'The request was done before and was not run again, but its answer could not be given.',
      }
    case 'not kept':
      return {
        status: 410,
        code: 'RESPONSE_NOT_KEPT',
        detail: `The request was done at ${refusal.doneAt} and is not run again, but its response was not kept.`,
      }
    case 'parked':
      return {
        status: 500,
        code: refusal.as === 'unknown' ? 'OUTCOME_UNKNOWN' : 'FAILED',
        detail:
          'The request has failed before, and is not run again until a person has looked at it.',
      }
    case 'unavailable':
      return {
        status: 503,
        code: 'STORE_UNAVAILABLE',
        detail:
          'It could not be found out whether the request was done before, so it was not run. Try again.',
        retryAfter: 1,
      }
  }
}

/** For everybody else. What is thrown before anything was run says so to those who classify it further out. */
export function errorFor(refusal: CallRefusal): Error {
  const error = messageFor(refusal)
  return NOT_RUN.has(refusal.kind) ? nothingWasRun(error) : error
}

/** A call that is parked, or done, was run before. */
const NOT_RUN: ReadonlySet<CallRefusal['kind']> = new Set([
  'no key',
  'misconfigured',
  'other payload',
  'running',
  'unavailable',
])

function messageFor(refusal: CallRefusal): Error {
  switch (refusal.kind) {
    case 'no key': {
      const because = refusal.because === undefined ? '' : ` (${refusal.because})`
      return new RejectedError(
        `the call has no idempotency key: ${refusal.why}${because}; nothing was run`,
      )
    }
    case 'misconfigured':
      return new ConfigError(
        refusal.because === undefined ? refusal.why : `${refusal.why} (${refusal.because})`,
      )
    case 'other payload':
      return new RejectedError(
        'another payload came with this idempotency key before; nothing was run',
      )
    case 'running':
      return new InProgressError(
        'another call with this idempotency key is still running; nothing was run',
        refusal.until,
      )
    case 'overtaken':
      return new SupersededError(
        'this call took longer than it held its idempotency key, and another one has taken over: what that one comes to counts',
      )
    case 'replay failed':
      return new TerminalError(
        `the call was done before and was not run again, but onReplay threw (${refusal.because})`,
      )
    case 'not kept':
      return new TerminalError(
        `the call was done at ${refusal.doneAt} and is not run again, but its result was not kept: ${refusal.why}`,
      )
    case 'parked':
      return refusal.as === 'unknown'
        ? new UnknownOutcomeError(`not run again: ${refusal.error}`)
        : new TerminalError(`failed before, and waits for a person: ${refusal.error}`)
    case 'unavailable':
      return refusal.error
  }
}
