import type { Context } from 'aws-lambda'
import type { KeyRequest } from '../lock/claimKey.ts'
import { LEASE_MARGIN_MS, LONGEST_MS, timeLeft } from '../lock/lease.ts'
import { fingerprintOfRequest, fingerprintOfValue, hashParts } from './fingerprint.ts'
import { apply, type Guard } from './guard.ts'
import { callerOf } from './http/caller.ts'
import { type HttpEvent, isAsynchronous, isRecord, readHttpEvent } from './http/httpEvent.ts'
import { idempotencyKeyHeader } from './http/idempotencyKeyHeader.ts'
import { readKey, type ReadKey } from './readKey.ts'
import { keyOfToken } from './scope.ts'

/** One call, read before anything is run: what the function does to its arguments cannot change its key. */
export interface Call {
  readonly http: HttpEvent | undefined
  readonly lambda: Partial<Context> | undefined
  readonly scope: string
  readonly identity: Identity
  /** Milliseconds to wait for another call of the same key. */
  readonly patience: number
}

export type Identity =
  | { readonly kind: 'key'; readonly pk: string; readonly payloadHash: string | undefined }
  | Extract<ReadKey, { kind: 'missing' }>

export function readCall<Args extends readonly unknown[], Output>(
  guard: Guard<Args, Output>,
  args: Args,
  name: string,
): Call {
  const http = readHttpEvent(args[0])
  const lambda = isContext(args[1]) ? args[1] : undefined
  const scope = guard.options.scope ?? lambda?.functionName ?? nameOfFunction(name)
  return {
    http,
    lambda,
    scope,
    identity: identify(guard, args, http, scope),
    patience: isAsynchronous(args[0]) ? 0 : patienceOf(guard, timeLeft(lambda)),
  }
}

/** The lease outlives a Lambda that was told its time; what is not known is Lambda's longest. */
export function leaseOf(
  { lockTtl }: { readonly lockTtl: number | undefined },
  lambda: Call['lambda'],
  now: number,
): Pick<KeyRequest, 'leaseUntil' | 'expectedCompletion'> {
  const left = timeLeft(lambda)
  const duration = left === undefined ? (lockTtl ?? LONGEST_MS) : Math.max(left, lockTtl ?? 0)
  return { expectedCompletion: now + duration, leaseUntil: now + duration + LEASE_MARGIN_MS }
}

const RESERVE_MS = 1_000
const RESERVE_SHARE = 0.2

/** Enough is left for an answer. */
function patienceOf(
  { waitForOther }: { readonly waitForOther: number },
  left: number | undefined,
): number {
  if (left === undefined) return waitForOther
  return Math.min(waitForOther, left - Math.min(RESERVE_MS, left * RESERVE_SHARE))
}

function identify<Args extends readonly unknown[], Output>(
  guard: Guard<Args, Output>,
  args: Args,
  http: HttpEvent | undefined,
  scope: string,
): Identity {
  const { key: select, hash = 'sha256' } = guard.options
  if (select === undefined && http === undefined) {
    return {
      kind: 'missing',
      why: 'the call is no HTTP request, and the option key says nothing else',
    }
  }
  const key = readKey(
    () => (select === undefined ? idempotencyKeyHeader(args[0]) : apply(select, args)),
    hash,
  )
  if (key.kind === 'missing') return key
  const tenant = tenantOf(guard, args, http)
  if (tenant?.kind === 'missing') return { ...tenant, why: `tenant: ${tenant.why}` }
  const pk = keyOfToken(scope, tenant?.key, key.key)
  return pk === undefined
    ? { kind: 'missing', why: 'it is too long, or has half a character' }
    : { kind: 'key', pk, payloadHash: payloadHashOf(guard, args, http) }
}

function tenantOf<Args extends readonly unknown[], Output>(
  { options: { tenant } }: Guard<Args, Output>,
  args: Args,
  http: HttpEvent | undefined,
): ReadKey | undefined {
  if (tenant === 'none') return undefined
  if (tenant !== undefined) return readKey(() => apply(tenant, args), 'plain')
  const caller = http && callerOf(http)
  return caller === undefined ? undefined : { kind: 'key', key: caller }
}

function payloadHashOf<Args extends readonly unknown[], Output>(
  { options: { payload } }: Guard<Args, Output>,
  args: Args,
  http: HttpEvent | undefined,
): string | undefined {
  if (payload === 'ignore') return undefined
  if (payload !== undefined) return hashParts([apply(payload, args)])
  if (http !== undefined) return fingerprintOfRequest(http)
  return isAsynchronous(args[0]) ? undefined : fingerprintOfValue(args[0])
}

function isContext(value: unknown): value is Partial<Context> {
  return isRecord(value) && ('awsRequestId' in value || 'getRemainingTimeInMillis' in value)
}

function nameOfFunction(name: string): string {
  return [process.env['AWS_LAMBDA_FUNCTION_NAME'], name].filter(Boolean).join('.') || 'function'
}
