import { isObject } from '../../../base/kindOf.ts'
import { RejectedError } from '../../../base/errors.ts'
import { isDelivery } from '../../../protocol/record/envelope/isDelivery.ts'

/** The kind of sender of the HTTP request. Function URLs use the format of HTTP APIs (2.0), and count as `http`. */
type HttpSource = 'rest' | 'http' | 'alb' | 'lattice'

export interface HttpEvent {
  readonly source: HttpSource
  readonly method: string
  readonly path: string
  readonly query: unknown
  /** A text as it was sent, or what a middleware has made of it. undefined: there is none, or it is empty. */
  readonly body: unknown
  /** The body is a text in base64. */
  readonly isBase64: boolean
  /** Whether it comes from an ALB with multi-value headers, which ignores `headers` of the response. */
  readonly multiValueOnly: boolean
  /** Returns a header by its case-insensitive name; the last value if there are several. */
  readonly header: (name: string) => string | undefined
  readonly requestContext: Readonly<Record<string, unknown>>
}

/** @returns undefined when the event is not an HTTP request */
export function readHttpEvent(event: unknown): HttpEvent | undefined {
  if (!isObject(event)) return undefined
  const requestContext = isObject(event['requestContext']) ? event['requestContext'] : {}
  const source = sourceOf(event, requestContext)
  if (source === undefined) return undefined
  const { http } = requestContext
  const route = isObject(http) ? http : event
  const headers = lowerCased(event['headers'], event['multiValueHeaders'])
  return {
    source,
    method: textOf(route['method'] ?? event['httpMethod']),
    path: textOf(event['rawPath'] ?? event['raw_path'] ?? event['path']),
    query:
      event['rawQueryString'] ??
      event['multiValueQueryStringParameters'] ??
      event['queryStringParameters'] ??
      event['query_string_parameters'],
    body: event['body'] === '' ? undefined : (event['body'] ?? undefined),
    isBase64: (event['isBase64Encoded'] ?? event['is_base64_encoded']) === true,
    multiValueOnly: source === 'alb' && !isObject(event['headers']),
    header: (name) => headers.get(name.toLowerCase()),
    requestContext,
  }
}

function sourceOf(
  event: Readonly<Record<string, unknown>>,
  requestContext: Readonly<Record<string, unknown>>,
): HttpSource | undefined {
  if (isObject(requestContext['http']) || (event['version'] === '2.0' && 'rawPath' in event))
    return 'http'
  if (isLattice(event, requestContext)) return 'lattice'
  if (typeof event['httpMethod'] !== 'string') return undefined
  return 'elb' in requestContext ? 'alb' : 'rest'
}

/**
 * VPC Lattice user guide, "Lambda functions as targets": version 1 has no request context; the request context of version 2 has
 * the service ARN.
 */
function isLattice(
  event: Readonly<Record<string, unknown>>,
  requestContext: Readonly<Record<string, unknown>>,
): boolean {
  if (typeof event['method'] !== 'string') return false
  return typeof event['raw_path'] === 'string'
    ? event['requestContext'] === undefined
    : event['version'] === '2.0' && 'serviceArn' in requestContext
}

/** REST APIs and ALBs keep the client's spelling of header names; HTTP APIs lower-case them. */
function lowerCased(headers: unknown, multiValue: unknown): ReadonlyMap<string, string> {
  const all = new Map<string, string>()
  for (const source of [multiValue, headers]) {
    for (const [name, value] of Object.entries(isObject(source) ? source : {})) {
      const text: unknown = Array.isArray(value) ? value.at(-1) : value
      if (typeof text === 'string') all.set(name.toLowerCase(), text)
    }
  }
  return all
}

/**
 * Events of a queue, a stream or a bus, whose senders do not wait for an answer. If such a call waited, it would occupy
 * concurrency that the call it waits for may need.
 */
export function isAsynchronous(event: unknown): boolean {
  if ([event].flat().some(isDelivery)) return true
  if (!isObject(event)) return false
  return Array.isArray(event['Records']) || ('detail-type' in event && 'source' in event)
}

/**
 * Whether the event is a request of a WebSocket API or of a resolver of AppSync, whose clients choose their keys as those of HTTP do. Each names its caller in its own way, which is not read here.
 */
export function isOfOtherApi(event: unknown): boolean {
  if (!isObject(event)) return false
  const { requestContext, info } = event
  const isWebSocket = isObject(requestContext) && 'connectionId' in requestContext
  return isWebSocket || ('identity' in event && isObject(info) && 'fieldName' in info)
}

/**
 * Whether it is a browser's preflight, which does not carry the headers of the request that it asks about. Any client may send the
 * method `OPTIONS` with a body, or to have the function run at each repetition: that is a request like any other.
 */
export function isPreflight({ method, body, header }: HttpEvent): boolean {
  return (
    method === 'OPTIONS' &&
    // @protects a request that only has the method of a preflight does not run unprotected
    // @without true
    body === undefined &&
    isGiven(header('origin')) &&
    isGiven(header(ASKED_METHOD))
  )
}

const ASKED_METHOD = 'access-control-request-method'

function isGiven(header: string | undefined): boolean {
  return header !== undefined && header !== ''
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/**
 * The event as an expression sees it: header names are case-insensitive, and `headers."idempotency-key"` is the key without its
 * quotes. Events that are not HTTP requests stay as they are.
 */
export function headerView(event: unknown): unknown {
  const http = readHttpEvent(event)
  if (http === undefined || !isObject(event)) return event
  // A copy, because a proxy may not change what a frozen object says.
  const headers = new Proxy(isObject(event['headers']) ? { ...event['headers'] } : {}, {
    has: (target, name) =>
      Reflect.has(target, name) || (typeof name === 'string' && http.header(name) !== undefined),
    get: (target, name): unknown => {
      const own: unknown = Reflect.get(target, name)
      if (typeof name !== 'string') return own
      const value = http.header(name) ?? own
      return name.toLowerCase() === 'idempotency-key' && typeof value === 'string'
        ? unquoted(value)
        : value
    },
  })
  return { ...event, headers }
}

const QUOTED = /^"((?:[^"\\]|\\["\\])*)"(?:\s*;.*)?$/

/**
 * The key in the `Idempotency-Key` header of an HTTP event: quoted as a structured field (`"8e03978e"`, RFC 8941 section
 * 3.3.3), or bare as Stripe sends it. Header names are case-insensitive. undefined when the header is missing or empty, or
 * the event is no HTTP request. `'required'`, where that cannot be, such as behind `idempotent`, which refuses a request without a
 * key: a text.
 * @throws RejectedError of `'required'`: there is no key
 */
export function idempotencyKeyHeader(event: unknown, presence: 'required'): string
export function idempotencyKeyHeader(event: unknown): string | undefined
export function idempotencyKeyHeader(event: unknown, presence?: 'required'): string | undefined {
  const text = readHttpEvent(event)?.header('idempotency-key')
  const key = text === undefined ? undefined : unquoted(text)
  if (key !== undefined || presence !== 'required') return key
  throw new RejectedError(
    'idempotencyKeyHeader: the event has no Idempotency-Key header. An option when or key of yours lets such requests through: ' +
      "leave 'required' out, and decide what happens without a key",
  )
}

export function unquoted(text: string): string | undefined {
  const bare = text.trim()
  // @survives ArrayDeclaration: only the second place is read, and it stays empty.
  const [, inner] = QUOTED.exec(bare) ?? []
  const key = inner === undefined ? bare : inner.replaceAll(/\\(["\\])/g, '$1')
  return key === '' ? undefined : key
}
