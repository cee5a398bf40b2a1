import { STARTED } from '../../../claim/hold.ts'
import type { Token } from '../../../claim/token/token.ts'
import { formatRelative, formatTime } from '../text/humanTime.ts'

/** A token, one fact per line. */
export function describeToken(token: Token, now: number): readonly string[] {
  return [
    statusLine(token, now),
    ...(token.reason === undefined ? [] : [`reason: ${token.reason}`]),
    ...(token.error === undefined ? [] : [`error: ${token.error}`]),
    ...stackLines(token.stack),
    ...(token.applied.size === 0 ? [] : [`effects applied: ${[...token.applied].join(', ')}`]),
    ...[...token.calls].map(([name, stored]) => `call '${name}': ${callLine(stored)}`),
    ...(token.death === 0 ? [] : [`dead-lettered: ${times(token.death)}`]),
  ]
}

/** Where an error came from, one frame or cause a line. */
export function stackLines(stack: unknown): readonly string[] {
  return typeof stack !== 'string' || stack === ''
    ? []
    : stack.split('\n').map((line) => `  ${line}`)
}

function statusLine(token: Token, now: number): string {
  const { status, attempt, fence, leaseUntil, notBefore } = token
  const of = `attempt ${attempt}, fence ${fence}`
  switch (status) {
    case 'complete':
      return token.ttl === undefined
        ? `done (${of}), remembered forever`
        : `done (${of}), remembered until ${formatTime(token.ttl * 1_000, now)}`
    case 'inProgress':
      if (leaseUntil > now)
        return `running (${of}): its lease ends ${formatRelative(leaseUntil, now)}`
      if (leaseUntil > 0)
        return `its attempt was lost (${of}): the lease ended ${formatRelative(leaseUntil, now)}`
      if (attempt === 0) return `free (fence ${fence}): the next message or call runs it`
      return notBefore > now
        ? `waiting for its next attempt, due ${formatRelative(notBefore, now)} (${of} was the last)`
        : `its next attempt is overdue (${of} was the last): its message is on the queue, or was lost`
    case 'dying':
      return `dying (${of}): its dead letter is being sent`
    case 'undoing':
      return `dead (${of}): its effects are being undone`
    case 'undone':
      return `dead (${of}): its effects are undone`
    case 'error':
      return `parked as error (${of}): waits for an operator`
    case 'unknown':
      return `parked as unknown (${of}): its outcome is unknown, and waits for an operator`
  }
}

function callLine(stored: string): string {
  if (stored === '') return 'done'
  if (stored === STARTED) return 'begun, outcome unknown'
  return stored.startsWith('done:') ? `done, its result is stored: ${stored.slice(5)}` : stored
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`
}

/** Names of the calls that were begun and whose outcome is unknown. */
export function unknownCalls(token: Token): readonly string[] {
  return [...token.calls].filter(([, stored]) => stored === STARTED).map(([name]) => name)
}
