import { isObject, kindOf } from '../base/kindOf.ts'
import type { InvocationContext } from '../context/context.ts'
import type { SqlOf } from '../context/sqlEffects.ts'
import { ConfigError, TerminalError } from '../base/errors.ts'
import type { CheckedOptions } from './config.ts'
import { oncePerKey } from './idempotent.ts'
import type { EffectOptions, IdempotentOptions } from './idempotentOptions.ts'
import { type IdempotencyKey, type KeyPart, requireScope } from './readKey.ts'

/** Options of `idempotentFetch`: as those of `idempotent`, but for what a `Request` does not say. */
export interface FetchOptions extends Pick<
  IdempotentOptions<[], unknown>,
  | ('store' | 'hash' | 'retention' | 'results' | 'logger' | 'metrics' | 'clock')
  | ('lockTtl' | 'waitForOther' | 'classify' | 'replayHeader')
> {
  /** Keeps handlers on one table apart, such as `'payments'`. Required: there is no Lambda that could give its name. */
  readonly scope: string
  /**
   * Keeps callers apart: who has been authenticated, by what your front has checked. Required, because a `Request` does not say;
   * `'none'`: all callers share their keys.
   * @example (request) => request.headers.get('x-user-id')
   */
  readonly tenant: ((request: Request) => KeyPart | Promise<KeyPart>) | 'none'
  /** What makes two requests the same. Default: the `Idempotency-Key` header. A request without it is answered with 400. */
  readonly key?: (request: Request) => IdempotencyKey | Promise<IdempotencyKey>
}

/** A web-standard handler: of Hono (`c.req.raw`), of `export default { fetch }`, or behind an adapter for Lambda. */
export type FetchHandler = (request: Request) => Promise<Response>

/**
 * `idempotent` for handlers that take a `Request` and give a `Response`: run once per key, and every later caller with that key gets the
 * first answer, as `idempotent` says, problem details included. The answer is read to its end and stored, so it must not be an endless
 * stream; what the first caller is given is made of what was read. With `effects` the handler has `ctx`.
 * @throws ConfigError at once, naming the option, when an option is wrong or missing
 * @example
 * import { idempotentFetch } from 'lineclear'
 *
 * const pay = idempotentFetch(
 *   { store, scope: 'payments', tenant: (request) => request.headers.get('x-user-id') },
 *   async (request) => Response.json(await charge((await request.json()) as Order), { status: 201 }),
 * )
 * export default { fetch: pay }
 */
export function idempotentFetch<Tx>(
  options: FetchOptions & EffectOptions<Tx>,
  handler: (request: Request, ctx: InvocationContext & SqlOf<Tx>) => Response | Promise<Response>,
): FetchHandler
export function idempotentFetch(
  options: FetchOptions,
  handler: (request: Request) => Response | Promise<Response>,
): FetchHandler
export function idempotentFetch(
  options: FetchOptions & Partial<EffectOptions>,
  handler: (request: Request, ctx: InvocationContext) => Response | Promise<Response>,
): FetchHandler {
  checkFetchOptions(options)
  if (typeof handler !== 'function') throw noHandler(handler)
  const { tenant, key, ...shared } = options
  const config: CheckedOptions<[FetchEvent], StoredResponse> = {
    ...shared,
    tenant: tenant === 'none' ? tenant : ({ request }: FetchEvent) => tenant(request.clone()),
    ...(key && { key: ({ request }: FetchEvent) => key(request.clone()) }),
  }
  // With `effects` it is called with `ctx` as well.
  const answer = async (
    { request }: FetchEvent,
    ctx?: InvocationContext,
  ): Promise<StoredResponse> => stored(await handler(request, ctx as InvocationContext))
  const run = oncePerKey<[FetchEvent], Promise<StoredResponse>>('idempotentFetch', config, answer)
  return async (request) => responseOf(await run(await eventOf(request)))
}

/** What `idempotent` cannot check, because it is given functions around these. JavaScript has no types. */
function checkFetchOptions(options: FetchOptions | undefined): void {
  const other = OF_CALLS.find((name) => name in { ...options })
  if (other) throw new ConfigError(`idempotentFetch: ${other}: not an option of idempotentFetch`)
  const { tenant, key, scope }: Partial<Record<keyof FetchOptions, unknown>> = options ?? {}
  requireScope('idempotentFetch', { scope: scope as string })
  if (tenant !== 'none' && typeof tenant !== 'function') throw noTenant(tenant)
  if (key === undefined || typeof key === 'function') return
  throw new ConfigError(
    `idempotentFetch: key: expected a function, such as (request) => request.headers.get('x-order-id'); got ${kindOf(key)}`,
  )
}

/** Options of `idempotent` whose functions would be given what `idempotentFetch` makes of a request, or of a response. */
const OF_CALLS = ['when', 'payload', 'validResponse', 'onReplay'] as const

function noHandler(given: unknown): ConfigError {
  return new ConfigError(
    `idempotentFetch: expected the second argument to be a function (request) => Response; got ${kindOf(given)}`,
  )
}

function noTenant(given: unknown): ConfigError {
  return new ConfigError(
    `idempotentFetch: tenant: expected a function that names the caller, such as (request) => userOf(request); got ${kindOf(given)}. A Request ` +
      "does not say who calls, and two callers who choose one key would get each other's answer. To share keys on purpose: tenant: 'none'",
  )
}

/** A request in the form of an HTTP API, which `idempotent` reads. */
interface FetchEvent {
  readonly version: '2.0'
  readonly rawPath: string
  readonly rawQueryString: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  readonly requestContext: { readonly http: { readonly method: string } }
  readonly request: Request
}

/** @throws ConfigError when the body has been read: without it two requests would look the same */
async function eventOf(request: Request): Promise<FetchEvent> {
  if (request.bodyUsed) throw bodyUsed()
  const { pathname, search } = new URL(request.url)
  const body = new Uint8Array(await request.clone().arrayBuffer())
  return {
    version: '2.0',
    rawPath: pathname,
    rawQueryString: search.slice(1),
    headers: Object.fromEntries(request.headers),
    body: body.length === 0 ? undefined : textOf(body).body,
    requestContext: { http: { method: request.method } },
    request,
  }
}

function bodyUsed(): ConfigError {
  return new ConfigError(
    'idempotentFetch: the body of the request has been read before: read request.clone() there, or in the handler. Nothing was run.',
  )
}

/** A response in the form of an HTTP API, which can be stored and replayed. */
interface StoredResponse {
  readonly statusCode: number
  readonly headers?: Readonly<Record<string, string>>
  readonly cookies?: readonly string[]
  readonly body?: string
  readonly isBase64Encoded?: boolean
}

/** @throws TerminalError when there is no answer to store: the work is done, and would be done again if the key were freed */
async function stored(response: Response): Promise<StoredResponse> {
  refuseUnreadable(response)
  const headers = [...response.headers].filter(([name]) => name !== 'set-cookie')
  return {
    statusCode: response.status,
    headers: Object.fromEntries(headers),
    cookies: response.headers.getSetCookie(),
    ...textOf(new Uint8Array(await response.arrayBuffer())),
  }
}

function refuseUnreadable(response: unknown): asserts response is Response {
  const isResponse = isObject(response) && typeof response['arrayBuffer'] === 'function'
  if (isResponse && response['bodyUsed'] !== true && response['type'] !== 'error') return
  const what = isResponse ? 'Response.error(), or a Response that is read' : kindOf(response)
  throw new TerminalError(
    `idempotentFetch: the handler returned ${what}. Later callers get this error, so that nothing is done twice: return a Response ` +
      'that nothing has read',
  )
}

/** Bytes that are no UTF-8 are stored as base64. */
function textOf(bytes: Uint8Array): { readonly body: string; readonly isBase64Encoded: boolean } {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const body = buffer.toString()
  const isText = Buffer.from(body).equals(buffer)
  return isText
    ? { body, isBase64Encoded: false }
    : { body: buffer.toString('base64'), isBase64Encoded: true }
}

/** A `Response` of these may have no body, not even an empty one. */
const WITHOUT_BODY = [101, 204, 205, 304]

function responseOf(answer: StoredResponse): Response {
  const { statusCode: status, headers = {}, cookies = [], body = '', isBase64Encoded } = answer
  // Of a text `Response` would make up a content type.
  const bytes = Buffer.from(body, isBase64Encoded === true ? 'base64' : 'utf8')
  const response = new Response(WITHOUT_BODY.includes(status) ? null : bytes, { status, headers })
  for (const cookie of cookies) response.headers.append('set-cookie', cookie)
  return response
}
