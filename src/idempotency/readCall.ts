import type { Context } from 'aws-lambda'
import { ConfigError } from '../errors.ts'
import type { KeyRequest } from '../claim/token/claimKey.ts'
import { LEASE_MARGIN_MS, LONGEST_MS, timeLeft } from '../claim/token/lease.ts'
import { NotComparableError, hashValue } from './canonical.ts'
import { fingerprintOfRequest, fingerprintOfValue } from './fingerprint.ts'
import { applySelector, type IdempotencyConfig } from './config.ts'
import { handlerScope } from './handlerScope.ts'
import { callerOf } from './http/caller.ts'
import { type HttpEvent, isAsynchronous, isRecord, readHttpEvent } from './http/httpEvent.ts'
import { idempotencyKeyHeader } from './http/idempotencyKeyHeader.ts'
import { readKey, type KeyReading, reasonOf } from './readKey.ts'
import { tokenPk } from './keyNames.ts'

/** One call, read before anything is run: what the function does to its arguments cannot change its key. */
export interface IncomingCall {
  readonly http: HttpEvent | undefined
  readonly lambda: Partial<Context> | undefined
  readonly scope: string
  readonly key: CallKey
  /** When it was called, epoch milliseconds. */
  readonly calledAt: number
  readonly lease: CallLease
  /** Milliseconds to wait for another call of the same key. */
  readonly maxWait: number
}

export type CallKey =
  | { readonly kind: 'key'; readonly pk: string; readonly payloadHash: string | undefined }
  | Extract<KeyReading, { kind: 'missing' }>
  /** An option is wrong, or missing, so that no call can be told from another one. `why` names it. */
  | { readonly kind: 'misconfigured'; readonly why: string }

export type Arrival = Omit<IncomingCall, 'scope' | 'key'>

/** What is known at once. Times count from here, however long the selectors take. */
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

/** @param fn what is guarded; undefined: what is guarded is the Lambda handler itself. */
export async function readCall<Args extends readonly unknown[], Output>(
  config: IdempotencyConfig<Args, Output>,
  args: Args,
  fn: ((...args: never[]) => unknown) | undefined,
  arrival: Arrival,
): Promise<IncomingCall> {
  const { http, lambda } = arrival
  try {
    checkCall(args, fn)
    const { scope = handlerScope(config.store, lambda?.functionName, fn ?? config) } =
      config.options
    return { ...arrival, scope, key: await callKeyOf(config, args, http, scope) }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const scope = config.options.scope ?? lambda?.functionName ?? 'unnamed'
    return { ...arrival, scope, key: { kind: 'misconfigured', why: error.message } }
  }
}

/**
 * What such a handler answers with is not what it returns, so there would be nothing to give to the second caller.
 * @throws ConfigError
 */
function checkCall(
  args: readonly unknown[],
  fn: ((...args: never[]) => unknown) | undefined,
): void {
  if (isContext(args[1]) && typeof args[2] === 'function' && fn !== undefined && fn.length > 2) {
    throw new ConfigError(
      'idempotent: a handler with a callback has answered when it calls back, not when it returns: write it as an async ' +
        'function (event, context) that returns its answer. Nothing was run.',
    )
  }
  if (isContext(args[2]) && isStream(args[1])) {
    throw new ConfigError(
      'idempotent: a streaming handler (awslambda.streamifyResponse) writes its answer to a stream, of which nothing can be kept ' +
        'for the second caller: return the answer instead. Nothing was run.',
    )
  }
}

/** How long a call holds its key. */
export interface CallLease {
  /** When Lambda ends the invocation, epoch milliseconds; undefined: not known. */
  readonly endsAt: number | undefined
  /** From each claim on, milliseconds. */
  readonly minMs: number
  /** Nobody knows how long the call will run, so its lease is renewed for as long as it does. */
  readonly isRenewed: boolean
}

/**
 * The lease outlives a Lambda that was told its time. Without a context that time is Lambda's longest; with the context of an
 * invocation that is over, which a warm process can still hold in its hands, it is none.
 */
function callLease(
  { lockTtl }: { readonly lockTtl: number | undefined },
  left: number | undefined,
  now: number,
): CallLease {
  if (left === undefined) {
    return { endsAt: undefined, minMs: lockTtl ?? LONGEST_MS, isRenewed: true }
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

const RESERVE_MS = 1_000
const RESERVE_SHARE = 0.2

/** Enough is left for an answer. */
function maxWaitFor(
  { waitForOther }: { readonly waitForOther: number },
  left: number | undefined,
): number {
  if (left === undefined) return waitForOther
  return Math.min(waitForOther, left - Math.min(RESERVE_MS, left * RESERVE_SHARE))
}

async function callKeyOf<Args extends readonly unknown[], Output>(
  config: IdempotencyConfig<Args, Output>,
  args: Args,
  http: HttpEvent | undefined,
  scope: string,
): Promise<CallKey> {
  const { key: select, hash = 'sha256' } = config.options
  if (select === undefined && http === undefined) {
    return {
      kind: 'missing',
      why: 'the call is no HTTP request, and the option key says nothing else',
    }
  }
  // All are read before one of them is awaited: what the caller does to its arguments meanwhile changes nothing.
  const selecting = evaluate(() =>
    select === undefined ? idempotencyKeyHeader(args[0]) : applySelector(select, args),
  )
  const owning = tenantOf(config, args, http)
  const hashing = payloadHashOf(config, args, http)
  const key = readKey(await selecting, hash)
  const tenant = await owning
  const payload = await hashing
  if (key.kind === 'missing') return key
  if (key.kind === 'not comparable') return misconfigured('key', key.why)
  if (tenant.kind === 'missing') return { ...tenant, why: `tenant: ${tenant.why}` }
  if (tenant.kind === 'misconfigured') return tenant
  if (tenant.kind === 'not comparable') return misconfigured('tenant', tenant.why)
  if (payload.kind !== 'hash') return payload
  const pk = tokenPk(scope, tenant.key, key.key)
  return pk === undefined
    ? { kind: 'missing', why: 'it is too long, or has half a character' }
    : { kind: 'key', pk, payloadHash: payload.hash }
}

function misconfigured(option: string, why: string): CallKey & { kind: 'misconfigured' } {
  return {
    kind: 'misconfigured',
    why: `${option}: expected plain data, of which no two different ones look the same; ${why}. Nothing was run.`,
  }
}

/** A promise is awaited: as values all promises are the same, and so would be all callers. */
async function evaluate(select: () => unknown): Promise<() => unknown> {
  try {
    const selected: unknown = await select()
    return () => selected
  } catch (error) {
    return () => {
      throw error
    }
  }
}

type Tenant =
  | Exclude<KeyReading, { kind: 'key' }>
  | { readonly kind: 'key'; readonly key: string | undefined }
  | Extract<CallKey, { kind: 'misconfigured' }>

async function tenantOf<Args extends readonly unknown[], Output>(
  { options: { tenant } }: IdempotencyConfig<Args, Output>,
  args: Args,
  http: HttpEvent | undefined,
): Promise<Tenant> {
  if (tenant === 'none') return { kind: 'key', key: undefined }
  if (tenant !== undefined)
    return readKey(await evaluate(() => applySelector(tenant, args)), 'plain')
  const caller = http && callerOf(http)
  if (http !== undefined && caller === undefined && !isPreflight(http)) {
    return { kind: 'misconfigured', why: NO_CALLER }
  }
  return { kind: 'key', key: caller }
}

const NO_CALLER =
  'tenant: the API tells nobody by name (no authorizer, IAM, client certificate or API key), so two callers who choose one ' +
  "idempotency key would get each other's answer. Name the caller, such as tenant: (event) => event.requestContext.authorizer." +
  "lambda.userId, or share the keys on purpose, with tenant: 'none'. Nothing was run."

type Payload =
  | { readonly kind: 'hash'; readonly hash: string | undefined }
  | Exclude<CallKey, { kind: 'key' }>

async function payloadHashOf<Args extends readonly unknown[], Output>(
  { options: { payload } }: IdempotencyConfig<Args, Output>,
  args: Args,
  http: HttpEvent | undefined,
): Promise<Payload> {
  if (payload === 'ignore') return { kind: 'hash', hash: undefined }
  if (payload === undefined) return { kind: 'hash', hash: ownFingerprint(args[0], http) }
  const selecting = evaluate(() => applySelector(payload, args))
  try {
    const selected = (await selecting)()
    return { kind: 'hash', hash: hashValue(selected) }
  } catch (error) {
    if (error instanceof NotComparableError) return misconfigured('payload', error.message)
    return { kind: 'missing', why: 'its payload cannot be read', because: reasonOf(error) }
  }
}

function ownFingerprint(first: unknown, http: HttpEvent | undefined): string | undefined {
  if (http !== undefined) return fingerprintOfRequest(http)
  return isAsynchronous(first) ? undefined : fingerprintOfValue(first)
}

/** The preflight of a browser carries no headers of the request it asks for. */
export function isPreflight({ method }: HttpEvent): boolean {
  return method === 'OPTIONS'
}

function isContext(value: unknown): value is Partial<Context> {
  return isRecord(value) && ('awsRequestId' in value || 'getRemainingTimeInMillis' in value)
}

function isStream(value: unknown): boolean {
  return isRecord(value) && typeof value['write'] === 'function'
}
