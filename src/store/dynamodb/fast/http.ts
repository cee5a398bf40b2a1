import { isObject } from '../../../base/kindOf.ts'
import type { Operation, Input, Output } from '../calls/table.ts'
import type { Readable } from 'node:stream'
import { conditionFailureIn } from '../calls/failure.ts'

/** An HTTP request, as the SDK's request handlers take it. */
interface HttpRequest {
  readonly method: string
  readonly protocol: string
  readonly hostname: string
  readonly port?: number
  readonly path: string
  readonly query?: Record<string, string | string[] | null>
  readonly headers: Record<string, string>
  readonly body?: unknown
}

/** What all calls of a client have in common. */
export interface Template {
  readonly request: Omit<HttpRequest, 'body'>
  readonly signingRegion: string
}

const TARGET = 'DynamoDB_20120810.'
const JSON_1_0 = 'application/x-amz-json-1.0'
const SIGV4 = /^AWS4-HMAC-SHA256 Credential=[^/,]+\/\d{8}\/([\w-]+)\/dynamodb\/aws4_request, /

/** For all calls. */
const KEPT = /^(content-type|host|user-agent)$/
/**
 * Each call gets them anew, or does without: of the last ones, `x-amz-user-agent` is for browsers, and a trace is for calls that can
 * start a function.
 */
const LEFT_OUT =
  /^(amz-sdk-(invocation-id|request)|authorization|content-length|x-amz-(content-sha256|date|security-token|target|user-agent)|x-amzn-trace-id|trace(parent|state)|baggage)$/

/**
 * Reads from a request of the SDK what every call needs: endpoint, headers, Region. Whatever formed the endpoint (Region, FIPS,
 * dual stack, account, environment, profile) has then done so, and a request that is not what this file expects (another protocol,
 * another signature, an unknown header) gives no template.
 */
export function templateOf(
  operation: Operation,
  input: object,
  request: unknown,
): Template | undefined {
  if (!isHttpRequest(request)) return undefined
  const { method, protocol, hostname, port, path, query, body } = request
  const headers = new Map(
    Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value]),
  )
  const signingRegion = SIGV4.exec(headers.get('authorization') ?? '')?.[1]
  const isKnown =
    method === 'POST' &&
    Object.keys(query ?? {}).length === 0 &&
    headers.get('content-type') === JSON_1_0 &&
    headers.get('x-amz-target') === TARGET + operation &&
    [...headers.keys()].every((name) => KEPT.test(name) || LEFT_OUT.test(name)) &&
    isJsonOf(input, body)
  if (!isKnown || signingRegion === undefined) return undefined
  const kept = Object.fromEntries([...headers].filter(([name]) => KEPT.test(name)))
  const common = { method, protocol, hostname, path, query: {}, headers: kept }
  return { request: port === undefined ? common : { ...common, port }, signingRegion }
}

function isHttpRequest(request: unknown): request is HttpRequest {
  const { headers, hostname, path } = (request ?? {}) as Partial<HttpRequest>
  return (
    typeof hostname === 'string' &&
    typeof path === 'string' &&
    typeof headers === 'object' &&
    Object.values(headers).every((value) => typeof value === 'string')
  )
}

/** Whether the SDK sends the input as it is. */
function isJsonOf(input: object, body: unknown): boolean {
  // The SDK's own class of bytes warns of each method of a text, and `Buffer.from` calls one.
  const text = body instanceof Uint8Array ? new TextDecoder().decode(body) : body
  if (typeof text !== 'string') return false
  try {
    return isSameJson(JSON.parse(text), JSON.parse(JSON.stringify(input)))
  } catch {
    return false
  }
}

/** Node's `isDeepStrictEqual` is in a module that takes two milliseconds to load. */
function isSameJson(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((each, at) => isSameJson(each, other[at]))
  }
  if (!isObject(one) || !isObject(other)) return one === other
  const names = Object.keys(one)
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isSameJson(one[name], other[name]))
  )
}

export function requestOf(
  { request }: Template,
  operation: Operation,
  invocationId: string,
  body: string,
): HttpRequest {
  const headers = {
    ...request.headers,
    'amz-sdk-invocation-id': invocationId,
    'content-length': String(Buffer.byteLength(body)),
    'x-amz-target': TARGET + operation,
  }
  return { ...request, headers, body }
}

/** What a request handler of the SDK answers. */
interface HttpResponse {
  readonly statusCode: number
  readonly body: Readable
}

export function isReadableResponse(response: unknown): response is HttpResponse {
  const { statusCode, body } = (response ?? {}) as Partial<HttpResponse>
  return statusCode !== undefined && typeof body?.on === 'function' && !body.destroyed
}

/** `refusal`: what the SDK throws when the condition of a write does not hold. */
export type Answer<O extends Operation> =
  | { readonly output: Output<O> }
  | { readonly refusal: Error }

/**
 * Reads the answer of one call, always to its end, because the socket can only be used again then.
 * @returns undefined, or rejects, when the answer cannot be relied on: it is then unknown whether a write was made
 */
export async function readAnswer<O extends Operation>(
  operation: O,
  input: Input<O>,
  { statusCode, body }: HttpResponse,
): Promise<Answer<O> | undefined> {
  const answer: unknown = JSON.parse(await textOf(body))
  if (!isObject(answer)) return undefined
  const refusal = statusCode === 400 ? conditionFailureIn(answer) : undefined
  if (refusal !== undefined) return { refusal }
  return statusCode === 200 && isWhole(operation, input, answer) ? { output: answer } : undefined
}

function textOf(body: Readable): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    body.on('data', (chunk: Buffer) => chunks.push(chunk))
    body.on('end', () => resolve(Buffer.concat(chunks).toString()))
    body.on('error', reject)
    body.on('close', () => {
      if (!body.readableEnded) reject(new Error('the answer broke off'))
    })
  })
}

/** The members that every answer of the operation has. */
function isWhole<O extends Operation>(
  operation: O,
  input: Input<O>,
  answer: object,
): answer is Output<O> {
  if (operation === 'BatchGetItem') return 'Responses' in answer && isObject(answer.Responses)
  if (!('Statements' in input)) return true
  const responses = 'Responses' in answer && answer.Responses
  return Array.isArray(responses) && responses.length === input.Statements?.length
}
