/** Which way an HTTP request reached the function: Function URLs speak as HTTP APIs do (format 2.0). */
export type HttpSource = 'rest' | 'http' | 'alb' | 'lattice'

export interface HttpEvent {
  readonly source: HttpSource
  readonly method: string
  readonly path: string
  readonly query: unknown
  readonly body: string | undefined
  /** ALB with multi-value headers: it then passes over `headers` of the response. */
  readonly multiValueOnly: boolean
  /** By name, in any case; the last one of several. */
  readonly header: (name: string) => string | undefined
  readonly requestContext: Readonly<Record<string, unknown>>
}

/** undefined: the function was not called by an HTTP request. */
export function readHttpEvent(event: unknown): HttpEvent | undefined {
  if (!isRecord(event)) return undefined
  const requestContext = isRecord(event['requestContext']) ? event['requestContext'] : {}
  const source = sourceOf(event, requestContext)
  if (source === undefined) return undefined
  const { http } = requestContext
  const route = isRecord(http) ? http : event
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
    body: typeof event['body'] === 'string' ? event['body'] : undefined,
    multiValueOnly: source === 'alb' && !isRecord(event['headers']),
    header: (name) => headers.get(name.toLowerCase()),
    requestContext,
  }
}

function sourceOf(
  event: Readonly<Record<string, unknown>>,
  requestContext: Readonly<Record<string, unknown>>,
): HttpSource | undefined {
  if (isRecord(requestContext['http']) || (event['version'] === '2.0' && 'rawPath' in event))
    return 'http'
  if (isLattice(event, requestContext)) return 'lattice'
  if (typeof event['httpMethod'] !== 'string') return undefined
  return 'elb' in requestContext ? 'alb' : 'rest'
}

/** VPC Lattice user guide, "Lambda functions as targets": version 1 has no request context, version 2 names its service there. */
function isLattice(
  event: Readonly<Record<string, unknown>>,
  requestContext: Readonly<Record<string, unknown>>,
): boolean {
  if (typeof event['method'] !== 'string') return false
  return typeof event['raw_path'] === 'string'
    ? event['requestContext'] === undefined
    : event['version'] === '2.0' && 'serviceArn' in requestContext
}

/** REST APIs and ALBs pass names on as the client wrote them, HTTP APIs in lower case. */
function lowerCased(headers: unknown, multiValue: unknown): ReadonlyMap<string, string> {
  const all = new Map<string, string>()
  for (const source of [multiValue, headers]) {
    for (const [name, value] of Object.entries(isRecord(source) ? source : {})) {
      const text: unknown = Array.isArray(value) ? value.at(-1) : value
      if (typeof text === 'string') all.set(name.toLowerCase(), text)
    }
  }
  return all
}

/** Events that nobody waits for: a queue, a stream, a bus. What waits in them takes a place from what it waits for. */
export function isAsynchronous(event: unknown): boolean {
  if (!isRecord(event)) return false
  return Array.isArray(event['Records']) || ('detail-type' in event && 'source' in event)
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
