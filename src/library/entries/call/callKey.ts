import { hashValue, NotComparableError } from '../../base/hashValue.ts'
import { fingerprintOfRequest } from './canonical.ts'
import type { IdempotencyConfig } from './config.ts'
import { applySelector, tokenPk, type KeyReading, readKey, reasonOf } from './readKey.ts'
import { callerOf } from './http/caller.ts'
import {
  type HttpEvent,
  isAsynchronous,
  isOfOtherApi,
  isPreflight,
  idempotencyKeyHeader,
} from './http/httpEvent.ts'

/** What identifies a call: the token of its name, tenant and key, and the hash of its payload. */
export type CallKey =
  | { readonly kind: 'key'; readonly pk: string; readonly payloadHash: string | undefined }
  | Extract<KeyReading, { kind: 'missing' }>
  /** An option is wrong or missing, so that different calls would share a key. `why` names it. */
  | { readonly kind: 'misconfigured'; readonly why: string }

interface NamedCall<Args> {
  readonly args: Args
  readonly http: HttpEvent | undefined
  readonly name: string
}

export async function callKeyOf<Args extends readonly unknown[], Output>(
  config: IdempotencyConfig<Args, Output>,
  { args, http, name }: NamedCall<Args>,
): Promise<CallKey> {
  const { key: select, hash = 'sha256' } = config.options
  if (select === undefined && http === undefined) {
    return { kind: 'missing', why: 'the call is no HTTP request, and there is no option key' }
  }
  // All selectors start before the first await, so that changes which the caller makes to its arguments in the meantime have no
  // effect.
  const selecting = evaluate(() =>
    select === undefined ? idempotencyKeyHeader(args[0]) : applySelector(select, args),
  )
  const owning = tenantOf(config, args, http)
  const hashing = payloadHashOf(config, args, http)
  // A client may write its key in quotes, as which it stands in the event.
  const key = readKey(await selecting, hash, [args, idempotencyKeyHeader(args[0])])
  const tenant = await owning
  const payload = await hashing
  if (key.kind === 'missing') return key
  if (key.kind === 'not comparable') return notComparable('key', key.why)
  if (tenant.kind === 'missing') {
    const because = [`tenant: ${tenant.why}`, tenant.because].filter(Boolean).join(': ')
    return { kind: 'missing', why: 'the caller is not known', because }
  }
  if (tenant.kind === 'misconfigured') return tenant
  if (tenant.kind === 'not comparable') return notComparable('tenant', tenant.why)
  if (payload.kind !== 'hash') return payload
  const pk = tokenPk(name, tenant.key, key.key)
  return pk === undefined
    ? { kind: 'missing', why: 'it is too long, or has half a character (a lone surrogate)' }
    : { kind: 'key', pk, payloadHash: payload.hash }
}

function notComparable(option: string, why: string): CallKey & { kind: 'misconfigured' } {
  return {
    kind: 'misconfigured',
    why: `${option}: expected plain data; ${why}, and two different ones would give the same key. Nothing was run.`,
  }
}

/** Awaits promises: as values all promises look the same, so every call would have the same key. */
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
    return readKey(await evaluate(() => applySelector(tenant, args)), 'plain', args)
  const caller = http && callerOf(http)
  // @protects two callers without an identity do not share a key
  const isUnknown = http === undefined ? isOfOtherApi(args[0]) : caller === undefined
  if (isUnknown && (http === undefined || !isPreflight(http))) {
    return { kind: 'misconfigured', why: NO_CALLER }
  }
  return { kind: 'key', key: caller }
}

const NO_CALLER =
  'tenant: the API does not say who calls (no authorizer, IAM or client certificate; an API key or a header behind a load balancer ' +
  "says nothing that is certain), so two callers who choose one idempotency key would get each other's answer. Name the caller, such " +
  'as tenant: (event) => event.requestContext.authorizer.lambda.userId, or behind an ALB the subject of x-amzn-oidc-data after you ' +
  "have checked its signature and signer; or share keys on purpose with tenant: 'none'. Nothing was run."

type PayloadHash =
  | { readonly kind: 'hash'; readonly hash: string | undefined }
  | Exclude<CallKey, { kind: 'key' }>

async function payloadHashOf<Args extends readonly unknown[], Output>(
  { options: { payload } }: IdempotencyConfig<Args, Output>,
  args: Args,
  http: HttpEvent | undefined,
): Promise<PayloadHash> {
  if (payload === 'ignore') return { kind: 'hash', hash: undefined }
  const selecting = payload === undefined ? undefined : evaluate(() => applySelector(payload, args))
  try {
    return {
      kind: 'hash',
      hash: selecting ? hashValue((await selecting)()) : ownHash(args[0], http),
    }
  } catch (error) {
    if (error instanceof NotComparableError) {
      return selecting ? notComparable('payload', error.message) : unknownPayload(error.message)
    }
    return { kind: 'missing', why: 'its payload cannot be read', because: reasonOf(error) }
  }
}

/** @throws NotComparableError */
function ownHash(first: unknown, http: HttpEvent | undefined): string | undefined {
  if (http !== undefined) return fingerprintOfRequest(http)
  return isAsynchronous(first) ? undefined : hashValue(first)
}

function unknownPayload(why: string): CallKey & { kind: 'misconfigured' } {
  return {
    kind: 'misconfigured',
    why:
      `payload: what the call says cannot be compared (${why}), so that another payload under its key would get the first ` +
      "answer. Say what must be equal, such as payload: (order) => [order.id, order.cents], or payload: 'ignore'; behind a " +
      'middleware that parses the body, put idempotency before it. Nothing was run.',
  }
}
