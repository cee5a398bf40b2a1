import { formatRelative, formatTime } from '../text/humanTime.ts'
import type { CallFacts } from './factParts.ts'
import type { TokenState } from './tokenState.ts'

/** A token, one fact per line. */
export function describeToken(token: TokenState, now: number): readonly string[] {
  const { reason, error, stack, effects, calls, deaths } = token
  return [
    statusLine(token, now),
    ...(reason === undefined ? [] : [`reason: ${reason}`]),
    ...errorLines({ error, stack }),
    ...(effects.length === 0 ? [] : [`effects applied: ${effects.join(', ')}`]),
    ...calls.map((call) => `call '${call.name}': ${callText(call)}`),
    ...(deaths === 0 ? [] : [`dead-lettered: ${times(deaths)}`]),
  ]
}

/** The error, and where it came from, one frame or cause a line. */
export function errorLines({
  error,
  stack,
}: Pick<TokenState, 'error' | 'stack'>): readonly string[] {
  return [
    ...(error === undefined ? [] : [`error: ${error}`]),
    ...(stack === undefined ? [] : stack.split('\n').map((line) => `  ${line}`)),
  ]
}

function statusLine(token: TokenState, now: number): string {
  const { status, attempt, fence, leaseUntil = 0, notBefore = 0, rememberedUntil } = token
  const of = `attempt ${attempt}, fence ${fence}`
  switch (status) {
    case 'done':
      return typeof rememberedUntil === 'number'
        ? `done (${of}), remembered until ${formatTime(rememberedUntil, now)}`
        : `done (${of}), remembered forever`
    case 'running':
      return `running (${of}): its lease ends ${formatRelative(leaseUntil, now)}`
    case 'lost':
      return `its attempt was lost (${of}): the lease ended ${formatRelative(leaseUntil, now)}`
    case 'free':
      return `free (fence ${fence}): the next message or call runs it`
    case 'waiting':
      return `waiting for its next attempt, due ${formatRelative(notBefore, now)} (${of} was the last)`
    case 'overdue':
      return `its next attempt is overdue (${of} was the last): its message is on the queue, or was lost`
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

/** A result may hold private data: `lineclear show` prints it. */
function callText({ state, result, resultBytes }: CallFacts): string {
  switch (state) {
    case 'unknown':
      return 'begun, outcome unknown'
    case 'notMade':
      return 'not made'
    case 'other':
      return 'stored by another version'
    case 'done':
      return `done${RESULTS[result]}${resultBytes === undefined ? '' : ` (${resultBytes} bytes)`}`
  }
}

const RESULTS: Readonly<Record<CallFacts['result'], string>> = {
  stored: ', its result is stored',
  apart: ', its result is in the result store',
  lost: ', not stored',
  none: '',
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`
}
