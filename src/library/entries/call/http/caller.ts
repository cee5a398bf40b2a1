import { hash } from 'node:crypto'
import { ConfigError } from '../../../base/errors.ts'
import { isObject } from '../../../base/kindOf.ts'
import { wrongOption } from '../../../base/options.ts'
import { type HttpEvent, idempotencyKeyHeader, readHttpEvent } from './httpEvent.ts'

/**
 * How a front end has found out who calls. The kind is part of the caller, because a principal of an authorizer may read as the
 * subject of a token does.
 */
export const CALLER_KINDS = [
  'jwt',
  'authorizer',
  'authorizer-subject',
  'cognito',
  'iam',
  'certificate',
  'lattice',
] as const

type Kind = (typeof CALLER_KINDS)[number]
type Parts = readonly string[]
type Fields = Readonly<Record<string, unknown>>

/**
 * The caller that the API's front end has authenticated: two callers who choose the same key must not get each other's answer.
 * Reads only what a client cannot set itself: what the API's authorizer, IAM check or TLS handshake found, and the header that
 * VPC Lattice strips from what clients send. undefined when none of these identifies the caller.
 *
 * An ALB proves no caller: it passes on identities in headers only, and a client can forge them when its listener rule checks
 * neither sign-in nor certificate.
 */
export function callerOf(http: HttpEvent): string | undefined {
  switch (http.source) {
    case 'alb':
      // @protects a header behind an ALB, which a client can write, is no caller
      // @without http.header('x-amzn-oidc-identity')
      return undefined
    case 'lattice':
      return of('lattice', latticeCaller(http))
    case 'rest':
    case 'http':
      return apiCaller(http.requestContext)
  }
}

/**
 * The idempotency key of a call to a provider in an HTTP handler. It is made of the caller that the API has authenticated, as
 * `idempotent` tells callers apart, and of the `Idempotency-Key`: callers choose their keys, and two that choose the same one would
 * share a charge. 43 characters of base64url. With an option `tenant` or `key` make the provider's key of what these read.
 * @param call its name: two calls to one provider, such as a charge and a refund, must not share a key
 * @throws ConfigError no caller is authenticated, or the call has no name; RejectedError there is no key
 * @example
 * import type { APIGatewayProxyEvent } from 'aws-lambda'
 * import { callerKey } from 'lineclear'
 *
 * const pay = (event: APIGatewayProxyEvent): Promise<{ receiptId: string }> =>
 *   charge(order, callerKey(event, 'charge'))
 */
export function callerKey(event: unknown, call: string): string {
  if (typeof call !== 'string' || call === '') {
    const expected = "the name of the call, such as 'charge'"
    throw wrongOption('callerKey', 'the second argument', expected, call)
  }
  const http = readHttpEvent(event)
  const caller = http && callerOf(http)
  if (caller === undefined) {
    throw new ConfigError(
      'callerKey: no authorizer, IAM check or certificate of an API names the caller of this event. ' +
        "Make the provider's key of what your option tenant or key reads",
    )
  }
  const key = idempotencyKeyHeader(event, 'required')
  return hash('sha256', JSON.stringify([call, caller, key]), 'base64url')
}

/** Identifies the signed-in user, or else the application or role, which many users may share. An API key may be shared by all. */
function apiCaller(requestContext: Fields): string | undefined {
  const authorizer = recordOf(requestContext['authorizer'])
  const identity = recordOf(requestContext['identity'])
  const iam = recordOf(authorizer['iam'])
  const lambda = recordOf(authorizer['lambda'])
  const { clientCert } = recordOf(requestContext['authentication'])
  return (
    of('jwt', subjectOf(recordOf(recordOf(authorizer['jwt'])['claims']))) ??
    of('jwt', subjectOf(recordOf(authorizer['claims']))) ??
    of('authorizer', texts(authorizer['principalId']) ?? texts(lambda['principalId'])) ??
    of('authorizer-subject', subjectOf(lambda)) ??
    of('cognito', texts(identity['cognitoIdentityId'])) ??
    of('cognito', texts(recordOf(iam['cognitoIdentity'])['identityId'])) ??
    of('iam', texts(roleOrUser(iam['callerId'] ?? iam['userId'], iam['userArn']))) ??
    of('iam', texts(roleOrUser(identity['caller'] ?? identity['user'], identity['userArn']))) ??
    of('certificate', certificate(recordOf(identity['clientCert']))) ??
    of('certificate', certificate(recordOf(clientCert)))
  )
}

function of(kind: Kind, parts: Parts | undefined): string | undefined {
  return parts && callerText(kind, parts)
}

export function callerText(kind: string, parts: Parts): string {
  // @protects two kinds of callers with one name do not share a key
  // @without parts.join('\n')
  return [kind, ...parts].join('\n')
}

/** The subject together with its issuer, because two issuers may give the same subject to two users. */
function subjectOf({ iss, sub }: Fields): Parts | undefined {
  return texts(...given(iss), sub)
}

/** The owner of a certificate, without its serial number: a renewed certificate has another number and the same owner. */
function certificate({ issuerDN, subjectDN }: Fields): Parts | undefined {
  return texts(issuerDN, subjectDN)
}

/**
 * Turns `AROA…:session` into the role, without the session: when a service retries, the call may come from another session of its
 * role, and must find the same key. A session of IAM Identity Center is a user, so it stays.
 */
function roleOrUser(caller: unknown, arn: unknown): string | undefined {
  const text = textOf(caller)
  const isUser = textOf(arn)?.includes(':assumed-role/AWSReservedSSO_') === true
  return isUser ? text : text?.split(':')[0]
}

/** Identifies a caller by IAM only. The VPC that a request comes from does not identify a caller. */
function latticeCaller({ requestContext, header }: HttpEvent): Parts | undefined {
  const { identity } = requestContext
  const isVersion2 = Object.keys(requestContext).length > 0
  const { principal, sessionName, x509SubjectCn } = isVersion2
    ? recordOf(identity)
    : latticeIdentity(header('x-amzn-lattice-identity') ?? '')
  const text = textOf(principal)
  if (text === undefined) return undefined
  return texts(withoutSession(text, textOf(sessionName)), ...given(x509SubjectCn))
}

/**
 * The header of version 1, `Principal=…;SessionName=…`, in the names of version 2. Semicolons in a value are escaped with a
 * backslash. A field that is there twice may have been smuggled in by the subject of a certificate: then no caller is identified.
 */
function latticeIdentity(text: string): Fields {
  const fields = new Map<string, string>()
  for (const field of text.split(/(?<!\\);\s*/)) {
    const at = field.indexOf('=')
    const name = field.slice(0, at)
    if (at > 0 && fields.has(name)) return {}
    fields.set(name, field.slice(at + 1))
  }
  return {
    principal: fields.get('Principal'),
    sessionName: fields.get('SessionName'),
    x509SubjectCn: fields.get('X509Subject/CN'),
  }
}

const ASSUMED_ROLE = /^(arn:[\w-]+:(?:sts|iam)::\d*:assumed-role\/[^/]+)\/.+$/

/** Drops the session's name, as `roleOrUser` does: another session of the role has to find the same key. */
function withoutSession(principal: string, session: string | undefined): string {
  if (principal.includes(':assumed-role/AWSReservedSSO_')) return principal
  const end = `/${session}`
  if (session !== undefined && principal.endsWith(end)) return principal.slice(0, -end.length)
  return ASSUMED_ROLE.exec(principal)?.[1] ?? principal
}

/** @returns undefined unless all values are non-empty texts without a line break, which separates the parts of a caller */
function texts(...values: readonly unknown[]): Parts | undefined {
  const found = values.map(textOf).filter((text) => text !== undefined)
  const isWhole = found.length === values.length && !found.some((text) => text.includes('\n'))
  return isWhole ? found : undefined
}

/** A part that not every caller has. One that is there counts, also if it makes the caller unreadable. */
function given(value: unknown): readonly unknown[] {
  return textOf(value) === undefined ? [] : [value]
}

function recordOf(value: unknown): Fields {
  return isObject(value) ? value : {}
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
