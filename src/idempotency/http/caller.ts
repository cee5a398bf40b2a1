import { isObject } from '../../kindOf.ts'
import type { HttpEvent } from './httpEvent.ts'

/**
 * The caller that the API's front end has authenticated: two callers who choose the same key must not get each other's answer.
 * Reads only what a client cannot set itself: what the API's authorizer, IAM check or TLS handshake found, and the headers
 * that an ALB or VPC Lattice sets on its own events. undefined when none of these identifies the caller.
 */
export function callerOf(http: HttpEvent): string | undefined {
  const parts = partsOf(http)
  return parts?.join('\n')
}

type Parts = readonly string[]
type Fields = Readonly<Record<string, unknown>>

function partsOf(http: HttpEvent): Parts | undefined {
  switch (http.source) {
    case 'alb':
      return signedIn(http) ?? albCertificate(http)
    case 'lattice':
      return latticeCaller(http)
    case 'rest':
    case 'http':
      return apiCaller(http.requestContext)
  }
}

/** Identifies the signed-in user, or else the application or role, which many users may share. */
function apiCaller(requestContext: Fields): Parts | undefined {
  const authorizer = recordOf(requestContext['authorizer'])
  const identity = recordOf(requestContext['identity'])
  const iam = recordOf(authorizer['iam'])
  const lambda = recordOf(authorizer['lambda'])
  const { clientCert } = recordOf(requestContext['authentication'])
  return (
    subjectOf(recordOf(recordOf(authorizer['jwt'])['claims'])) ??
    subjectOf(recordOf(authorizer['claims'])) ??
    texts(authorizer['principalId']) ??
    texts(lambda['principalId']) ??
    subjectOf(lambda) ??
    texts(identity['cognitoIdentityId']) ??
    texts(recordOf(iam['cognitoIdentity'])['identityId']) ??
    texts(roleOrUser(iam['callerId'] ?? iam['userId'], iam['userArn'])) ??
    texts(roleOrUser(identity['caller'] ?? identity['user'], identity['userArn'])) ??
    certificate(recordOf(identity['clientCert'])) ??
    certificate(recordOf(clientCert)) ??
    texts(identity['apiKeyId'])
  )
}

/** The subject together with its issuer, because two issuers may give the same subject to two users. */
function subjectOf({ iss, sub }: Fields): Parts | undefined {
  return texts(iss, sub) ?? texts(sub)
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

/** An ALB that signs users in sets these headers itself (Elastic Load Balancing, "Authenticate users"). */
function signedIn({ header }: HttpEvent): Parts | undefined {
  const identity = header('x-amzn-oidc-identity')
  const [head, claims] = (header('x-amzn-oidc-data') ?? '').split('.').map(fieldsOf)
  const iss = recordOf(claims)['iss'] ?? recordOf(head)['iss']
  const sub = textOf(recordOf(claims)['sub'])
  if (sub !== undefined && identity !== undefined && sub !== identity) return undefined
  return subjectOf({ iss, sub: sub ?? identity })
}

/** One part of a JSON Web Token. */
function fieldsOf(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString())
  } catch {
    return undefined
  }
}

/**
 * The owner of a certificate that the ALB has verified ("Mutual authentication"). The ALB's passthrough mode verifies nothing,
 * and sets another header.
 */
function albCertificate({ header }: HttpEvent): Parts | undefined {
  return texts(header('x-amzn-mtls-clientcert-issuer'), header('x-amzn-mtls-clientcert-subject'))
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
  const role = withoutSession(text, textOf(sessionName))
  return texts(role, x509SubjectCn) ?? [role]
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

/** As for `roleOrUser`: another session of the role has to find the same key. */
function withoutSession(principal: string, session: string | undefined): string {
  if (principal.includes(':assumed-role/AWSReservedSSO_')) return principal
  const end = `/${session}`
  if (session !== undefined && principal.endsWith(end)) return principal.slice(0, -end.length)
  return ASSUMED_ROLE.exec(principal)?.[1] ?? principal
}

/** @returns undefined unless all values are non-empty texts */
function texts(...values: readonly unknown[]): Parts | undefined {
  const found = values.map(textOf).filter((text) => text !== undefined)
  return found.length === values.length ? found : undefined
}

function recordOf(value: unknown): Fields {
  return isObject(value) ? value : {}
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
