import type { ALBEvent, APIGatewayProxyEvent, APIGatewayProxyEventV2 } from 'aws-lambda'
import { httpEvent, type HttpEventOptions, restEvent as restApiEvent } from 'lineclear/testing'

export type HttpRequest = HttpEventOptions

export const restEvent = (request: HttpRequest = {}): APIGatewayProxyEvent =>
  restApiEvent({ path: '/payments', ...request })

export const httpApiEvent = (request: HttpRequest = {}): APIGatewayProxyEventV2 =>
  httpEvent({ path: '/payments', ...request })

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
