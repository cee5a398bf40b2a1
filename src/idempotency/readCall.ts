import { isObject } from '../kindOf.ts'
import type { Context } from 'aws-lambda'
import { ConfigError } from '../errors.ts'
import type { KeyRequest } from '../claim/token/claimKey.ts'
import { LEASE_MARGIN_MS, MAX_LAMBDA_MS, timeLeft } from '../claim/lease.ts'
import type { Store } from '../store/store.ts'
import { type CallKey, callKeyOf } from './callKey.ts'
import type { IdempotencyConfig } from './config.ts'
import { type HttpEvent, isAsynchronous, readHttpEvent } from './http/httpEvent.ts'

/** One call, read before the function runs, so that changes the function makes to its arguments do not change its key. */
export interface IncomingCall {
  readonly http: HttpEvent | undefined
  readonly lambda: Partial<Context> | undefined
  readonly scope: string
  readonly key: CallKey
  /** Epoch milliseconds. */
  readonly calledAt: number
  readonly lease: CallLease
  /** How long to wait for another call with the same key, milliseconds. */
  readonly maxWait: number
}

type Arrival = Omit<IncomingCall, 'scope' | 'key'>

/** Reads what is known at once. Lease and wait count from here, however long the selectors of the key take. */
export function arrive<Args extends readonly unknown[], Output>(
  config: IdempotencyConfig<Args, Output>,
  args: Args,
): Arrival {
  const lambda = isContext(args[1]) ? args[1] : undefined
  const calledAt = config.clock.now()
  const left = timeLeft(lambda)
  return {
    http: readHttpEvent(args[0]),
    lambda,
    maxWait: isAsynchronous(args[0]) ? 0 : maxWaitFor(config, left),
    calledAt,
    lease: callLease(config, left, calledAt),
  }
}

/** @param fn the wrapped function; undefined: the Lambda handler itself, behind other middlewares. */
export async function readCall<Args extends readonly unknown[], Output>(
  config: IdempotencyConfig<Args, Output>,
  args: Args,
  fn: ((...args: never[]) => unknown) | undefined,
  arrival: Arrival,
): Promise<IncomingCall> {
  const { http, lambda } = arrival
  try {
    checkCall(args, fn)
    const { scope = scopeOfHandler(config.store, lambda?.functionName, fn ?? config) } =
      config.options
    return { ...arrival, scope, key: await callKeyOf(config, { args, http, scope }) }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const scope = config.options.scope ?? lambda?.functionName ?? 'unnamed'
    return { ...arrival, scope, key: { kind: 'misconfigured', why: error.message } }
  }
}

/**
 * A handler with a callback or a stream does not return its answer, so there would be nothing to replay.
 * @throws ConfigError
 */
function checkCall(
  args: readonly unknown[],
  fn: ((...args: never[]) => unknown) | undefined,
): void {
  if (isContext(args[1]) && typeof args[2] === 'function' && fn !== undefined && fn.length > 2) {
    throw new ConfigError(
      'idempotent: a handler with a callback answers by calling it, not by returning: write it as an async function ' +
        '(event, context) that returns its answer. Nothing was run.',
    )
  }
  if (isContext(args[2]) && isStream(args[1])) {
    throw new ConfigError(
      'idempotent: a streaming handler (awslambda.streamifyResponse) writes its answer to a stream, which cannot be stored and ' +
        'replayed: return the answer instead. Nothing was run.',
    )
  }
}

/**
 * The handlers whose scope is the name of their Lambda. A second handler under the same name would replay the answers of the
 * first.
 */
const handlers = new WeakMap<Store, Map<string, object>>()

/**
 * The scope of a function without the option `scope`. Only the single handler of a Lambda has a lasting name, that of its Lambda.
 * @throws ConfigError for any other function
 */
function scopeOfHandler(store: Store, lambdaName: string | undefined, handler: object): string {
  if (lambdaName === undefined || lambdaName === '') {
    throw noScope('a function that is no Lambda handler, or is called without a context')
  }
  const ofStore = handlers.get(store) ?? new Map<string, object>()
  handlers.set(store, ofStore)
  const first = ofStore.get(lambdaName) ?? handler
  ofStore.set(lambdaName, first)
  if (first === handler) return lambdaName
  throw noScope(`the second function in the Lambda ${lambdaName}`)
}

function noScope(what: string): ConfigError {
  return new ConfigError(
    `idempotent: scope: expected a text that names this kind of work, such as 'refunds', for ${what}; got nothing. ` +
      `Without it two functions would replay each other's answers. Nothing was run.`,
  )
}

/** How long a call holds its key. */
interface CallLease {
  /** When Lambda ends the invocation, epoch milliseconds; undefined: not known. */
  readonly endsAt: number | undefined
  /** The shortest lease after each claim or renewal, milliseconds. */
  readonly minMs: number
  /** The time left to the process is not known, so the lease is renewed for as long as the function runs. */
  readonly isRenewed: boolean
}

/**
 * The lease lasts at least as long as the Lambda invocation. Without a context Lambda's longest timeout is assumed. With the
 * context of an invocation that has ended, which a warm process can still hold, no time is left, and the lease is renewed.
 */
function callLease(
  { lockTtl }: { readonly lockTtl: number | undefined },
  left: number | undefined,
  now: number,
): CallLease {
  if (left === undefined) {
    return { endsAt: undefined, minMs: lockTtl ?? MAX_LAMBDA_MS, isRenewed: true }
  }
  const isOver = left <= 0
  return { endsAt: isOver ? undefined : now + left, minMs: lockTtl ?? 0, isRenewed: isOver }
}

export function leaseFrom(
  { endsAt = 0, minMs }: CallLease,
  now: number,
): Pick<KeyRequest, 'leaseUntil' | 'expectedCompletion'> {
  const expectedCompletion = Math.max(endsAt, now + minMs)
  return { expectedCompletion, leaseUntil: expectedCompletion + LEASE_MARGIN_MS }
}

/** Reserved for the answer: one second, or a fifth of the time left when that is less. */
const RESERVE_MS = 1_000
const RESERVE_SHARE = 0.2

function maxWaitFor(
  { waitForOther }: { readonly waitForOther: number },
  left: number | undefined,
): number {
  if (left === undefined) return waitForOther
  return Math.min(waitForOther, left - Math.min(RESERVE_MS, left * RESERVE_SHARE))
}

function isContext(value: unknown): value is Partial<Context> {
  return isObject(value) && ('awsRequestId' in value || 'getRemainingTimeInMillis' in value)
}

function isStream(value: unknown): boolean {
  return isObject(value) && typeof value['write'] === 'function'
}
