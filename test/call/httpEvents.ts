import type { ALBEvent, APIGatewayProxyEvent, APIGatewayProxyEventV2 } from 'aws-lambda'

export interface HttpRequest {
  readonly method?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly query?: Readonly<Record<string, string>>
  /** What the API's authorizer and IAM say: merged into the request context. */
  readonly requestContext?: object
}

/** A REST API: header names as the client spelled them. */
export function restEvent(request: HttpRequest = {}): APIGatewayProxyEvent {
  const { method = 'POST', path = '/payments', headers = {}, query } = request
  const event = {
    resource: path,
    path,
    httpMethod: method,
    headers,
    multiValueHeaders: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, [value]]),
    ),
    queryStringParameters: query ?? null,
    multiValueQueryStringParameters: null,
    pathParameters: null,
    stageVariables: null,
    requestContext: {
      resourcePath: path,
      httpMethod: method,
      path: `/Prod${path}`,
      requestId: crypto.randomUUID(),
      requestTimeEpoch: Date.now(),
      ...request.requestContext,
    },
    body: textOf(request.body),
    isBase64Encoded: false,
  }
  return event as unknown as APIGatewayProxyEvent
}

/** An HTTP API with payload format 2.0, or a Function URL: header names in lower case. */
export function httpApiEvent(request: HttpRequest = {}): APIGatewayProxyEventV2 {
  const { method = 'POST', path = '/payments', headers = {}, query = {} } = request
  const event = {
    version: '2.0',
    routeKey: '$default',
    rawPath: path,
    rawQueryString: new URLSearchParams(query).toString(),
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
    ),
    requestContext: {
      http: { method, path, protocol: 'HTTP/1.1', sourceIp: '192.0.2.1', userAgent: 'test' },
      requestId: crypto.randomUUID(),
      timeEpoch: Date.now(),
      ...request.requestContext,
    },
    ...(request.body === undefined ? {} : { body: textOf(request.body) }),
    isBase64Encoded: false,
  }
  return event as unknown as APIGatewayProxyEventV2
}

export function functionUrlEvent(request: HttpRequest = {}): APIGatewayProxyEventV2 {
  const domainName = 'abc.lambda-url.eu-west-1.on.aws'
  return httpApiEvent({ ...request, requestContext: { domainName, ...request.requestContext } })
}

/**
 * VPC Lattice, event structure V2: headers and query parameters are lists, the path has its query, and `timeEpoch` is in
 * microseconds. VPC Lattice User Guide, "Lambda functions as targets" (lambda-functions), with values for its placeholders.
 */
export function latticeEvent(request: HttpRequest = {}): object {
  const { method = 'POST', path = '/payments', headers = {}, query = {} } = request
  const search = new URLSearchParams(query).toString()
  return {
    version: '2.0',
    path: search === '' ? path : `${path}?${search}`,
    method,
    headers: lists(headers),
    queryStringParameters: lists(query),
    body: textOf(request.body),
    isBase64Encoded: false,
    requestContext: {
      serviceNetworkArn: `arn:aws:vpc-lattice:${LATTICE}:servicenetwork/sn-0bf3f2882e9cc805a`,
      serviceArn: `arn:aws:vpc-lattice:${LATTICE}:service/svc-0a40eebed65f8d69c`,
      targetGroupArn: `arn:aws:vpc-lattice:${LATTICE}:targetgroup/tg-6d0ecf831eec9f09`,
      identity: { sourceVpcArn: `arn:aws:ec2:${LATTICE}:vpc/vpc-0b8276c84697e7339` },
      region: 'eu-west-1',
      timeEpoch: `${Date.now() * 1_000}`,
      ...request.requestContext,
    },
  }
}

/** VPC Lattice, event structure V1 (the same page): no request context. Who calls is in the header `x-amzn-lattice-identity`. */
export function latticeEventV1(request: HttpRequest = {}): object {
  const { method = 'POST', path = '/payments', headers = {}, query = {} } = request
  return {
    raw_path: path,
    method,
    headers: lowerCased(headers),
    query_string_parameters: query,
    body: textOf(request.body),
    is_base64_encoded: false,
  }
}

const LATTICE = 'eu-west-1:123456789012'

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  )
}

function lists(fields: Readonly<Record<string, string>>): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name.toLowerCase(), [value]]),
  )
}

/** An ALB; one with multi-value headers sends and reads only those. */
export function albEvent(request: HttpRequest = {}, form: 'single' | 'multi' = 'single'): ALBEvent {
  const { method = 'POST', path = '/payments', headers = {}, query = {} } = request
  const multiValueHeaders = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), [value]]),
  )
  return {
    requestContext: { elb: { targetGroupArn: 'arn:aws:elasticloadbalancing:x' } },
    httpMethod: method,
    path,
    queryStringParameters: query,
    ...(form === 'single' ? { headers } : { multiValueHeaders }),
    body: textOf(request.body) ?? '',
    isBase64Encoded: false,
  }
}

function textOf(body: unknown): string | null {
  if (body === undefined) return null
  return typeof body === 'string' ? body : JSON.stringify(body)
}
