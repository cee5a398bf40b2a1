import { type HttpEvent, isRecord } from './httpEvent.ts'

/**
 * Who calls, as the authorizer of the API found out: two callers who choose the same key must not get each other's
 * answer. undefined when the API has no authorizer that says.
 */
export function callerOf({ requestContext }: HttpEvent): string | undefined {
  const authorizer = recordOf(requestContext['authorizer'])
  const identity = recordOf(requestContext['identity'])
  const iam = recordOf(authorizer['iam'])
  return (
    textOf(recordOf(recordOf(authorizer['jwt'])['claims'])['sub']) ??
    textOf(recordOf(authorizer['claims'])['sub']) ??
    textOf(authorizer['principalId']) ??
    textOf(recordOf(authorizer['lambda'])['principalId']) ??
    withoutSession(iam['callerId'] ?? identity['caller']) ??
    textOf(identity['apiKeyId'])
  )
}

/** `AROA…:session`: each sandbox of a calling Lambda has another session, and its retry must find the same key. */
function withoutSession(caller: unknown): string | undefined {
  return textOf(caller)?.split(':')[0]
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {}
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
