import { isObject } from '../../base/kindOf.ts'
import type { Context } from 'aws-lambda'
import { refuseDurable } from '../../base/handler.ts'
import { ConfigError } from '../../base/errors.ts'
import type { KeyRequest } from '../../protocol/claim/token/claimKey.ts'
import { LEASE_MARGIN_MS, timeLeft } from '../../protocol/claim/lease.ts'
import type { Store } from '../../protocol/store/store.ts'
import { type CallKey, callKeyOf } from './callKey.ts'
import type { IdempotencyConfig } from './config.ts'
import { type HttpEvent, isAsynchronous, readHttpEvent } from './http/httpEvent.ts'

/** One call, read before the function runs, so that changes the function makes to its arguments do not change its key. */
export interface IncomingCall {
  readonly http: HttpEvent | undefined
  readonly lambda: Partial<Context> | undefined
  readonly name: string
  readonly key: CallKey
  /** Epoch milliseconds. */
  readonly calledAt: number
  readonly lease: CallLease
  /** How long to wait for another call with the same key, milliseconds. */
  readonly maxWait: number
}

type Arrival = Omit<IncomingCall, 'name' | 'key'>

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
    const { name = nameOfHandler(config.store, lambda?.functionName, fn ?? config) } =
      config.options
    return { ...arrival, name, key: await callKeyOf(config, { args, http, name }) }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const name = config.options.name ?? lambda?.functionName ?? 'unnamed'
    return { ...arrival, name, key: { kind: 'misconfigured', why: error.message } }
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
  refuseDurable('idempotent', args[0], args[1])
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
 * The handlers that are named after their Lambda. A second handler under the same name would replay the answers of the
 * first.
 */
const handlers = new WeakMap<Store, Map<string, object>>()

/**
 * The name of a function without the option `name`. Only the single handler of a Lambda has a lasting name: the name of its
 * Lambda.
 * @throws ConfigError for any other function
 */
function nameOfHandler(store: Store, lambdaName: string | undefined, handler: object): string {
  if (lambdaName === undefined || lambdaName === '') {
    throw noName('a function that is no Lambda handler, or is called without a context')
  }
  const ofStore = handlers.get(store) ?? new Map<string, object>()
  handlers.set(store, ofStore)
  const first = ofStore.get(lambdaName) ?? handler
  ofStore.set(lambdaName, first)
  // @protects two functions of one Lambda do not share a scope
  // @without true
  if (first === handler) return lambdaName
  throw noName(`the second function in the Lambda ${lambdaName}`)
}

function noName(what: string): ConfigError {
  return new ConfigError(
    `idempotent: name: expected a text that names this kind of work, such as 'refunds', for ${what}; got nothing. ` +
      `Without it two functions would replay each other's answers. Nothing was run.`,
  )
}

/** How long a call holds its key. */
export interface CallLease {
  /** When the time of the invocation ends, epoch milliseconds; undefined: not known. */
  readonly endsAt: number | undefined
  /** The shortest lease after the claim, milliseconds. */
  readonly minMs: number
  /** The lease after each renewal, milliseconds. */
  readonly renewedMs: number
}

/** Where the time left is not known. */
const UNKNOWN_MS = 900_000
/** For a call that runs on after its time: short, because its process may be killed at any moment. */
const LATE_MS = 30_000

/**
 * The lease lasts at least as long as the Lambda invocation, and is renewed for as long as the function runs. With the context of
 * an invocation that has ended, which a warm process can still hold, only the margin is left.
 */
function callLease(
  { leaseMs }: { readonly leaseMs: number | undefined },
  left: number | undefined,
  now: number,
): CallLease {
  if (left !== undefined) {
    return { endsAt: now + left, minMs: leaseMs ?? 0, renewedMs: leaseMs ?? LATE_MS }
  }
  const minMs = leaseMs ?? UNKNOWN_MS
  return { endsAt: undefined, minMs, renewedMs: minMs }
}

export function leaseFrom(
  { endsAt = 0, minMs }: Pick<CallLease, 'endsAt' | 'minMs'>,
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
