import { randomUUID } from 'node:crypto'
import type { APIGatewayProxyEvent, APIGatewayProxyEventV2 } from 'aws-lambda'
import { systemClock } from '../../library/base/clock.ts'
import { bodyText } from './sqsEvent.ts'

/**
 * A request to an API.
 * @example
 * const options: HttpEventOptions = { path: '/payments', headers: { 'Idempotency-Key': 'k-1' }, body: { cents: 5 } }
 */
export interface HttpEventOptions {
  /** Default `POST`. */
  readonly method?: string
  /** Default `/`. */
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  /** A string as it is, anything else as JSON. Default: none. */
  readonly body?: unknown
  /** More of the request context. @example { authorizer: { jwt: { claims: { sub: 'c-1' }, scopes: [] } } } */
  readonly requestContext?: object
}

/**
 * An event as an HTTP API or a Function URL gives it to a function (payload format 2.0): names of headers in lower case.
 * @example
 * const event = httpEvent({ headers: { 'Idempotency-Key': 'k-1' }, body: { cents: 5 } })
 */
export function httpEvent(options: HttpEventOptions = {}): APIGatewayProxyEventV2 {
  const { method = 'POST', path = '/', headers = {}, query = {}, body } = options
  const now = systemClock.now()
  const lowerCased = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: path,
    rawQueryString: new URLSearchParams(query).toString(),
    headers: Object.fromEntries(lowerCased) as Record<string, string>,
    ...(Object.keys(query).length > 0 && { queryStringParameters: query }),
    requestContext: {
      accountId: '123456789012',
      apiId: 'api',
      domainName: 'api.execute-api.eu-west-1.amazonaws.com',
      domainPrefix: 'api',
      http: { method, path, protocol: 'HTTP/1.1', sourceIp: '192.0.2.1', userAgent: 'test' },
      requestId: randomUUID(),
      routeKey: '$default',
      stage: '$default',
      time: new Date(now).toISOString(),
      timeEpoch: now,
      ...options.requestContext,
    },
    ...(body !== undefined && { body: bodyText(body) }),
    isBase64Encoded: false,
  }
}

/**
 * An event as a REST API gives it to a function (payload format 1.0): names of headers as the client has spelled them.
 * @example
 * const event = restEvent({ method: 'GET', path: '/payments', requestContext: { authorizer: { principalId: 'c-1' } } })
 */
export function restEvent(options: HttpEventOptions = {}): APIGatewayProxyEvent {
  const { method = 'POST', path = '/', headers = {}, query, body } = options
  const now = systemClock.now()
  const event = {
    resource: path,
    path,
    httpMethod: method,
    headers,
    multiValueHeaders: listed(headers),
    queryStringParameters: query ?? null,
    multiValueQueryStringParameters: query === undefined ? null : listed(query),
    pathParameters: null,
    stageVariables: null,
    requestContext: {
      accountId: '123456789012',
      apiId: 'api',
      stage: 'test',
      httpMethod: method,
      path: `/test${path}`,
      resourcePath: path,
      identity: { sourceIp: '192.0.2.1', userAgent: 'test' },
      requestId: randomUUID(),
      requestTimeEpoch: now,
      ...options.requestContext,
    },
    body: body === undefined ? null : bodyText(body),
    isBase64Encoded: false,
  }
  // Most of the twenty fields of `identity` are null, unless IAM or a certificate authorises the request.
  return event as unknown as APIGatewayProxyEvent
}

function listed(fields: Readonly<Record<string, string>>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, [value]]))
}
