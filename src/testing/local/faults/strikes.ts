import type { CallDescription } from './callDescription.ts'
import { checkIs, refuseUnknown } from '../../queues/checkOptions.ts'
import { type CallFault, checkCallFault } from './faults.ts'

/** Which call a fault is meant for; each part that is given must fit. */
export interface CallMatch {
  /** @example 'UpdateItem' */
  readonly action?: string
  /** The name of an effect (`applyOnce`) or an outside call (`once`). */
  readonly effect?: string
  /**
   * The id of a request. A call that does not tell whose it is, such as the sending of several messages, fits when its invocation
   * has a message with that id, or that message id.
   */
  readonly request?: string
}

/** Faults that wait for the next call that fits. Each strikes once. */
export interface Strikes {
  /** @returns a function that takes it back */
  add(fault: CallFault, match: CallMatch): () => void
  /** The fault for a call, which is then no longer waiting. */
  take(call: StrikableCall): CallFault | undefined
}

/** @throws ConfigError on an unknown fault, an unknown part of `match` or one that is no text */
export function checkMatch(fault: CallFault, match: CallMatch): void {
  checkCallFault(fault)
  refuseUnknown('match', match, ['action', 'effect', 'request'])
  for (const [name, value] of Object.entries(match)) {
    checkIs(`match.${name}`, value === undefined || typeof value === 'string', 'a text', value)
  }
}

interface StrikableCall {
  readonly action: string
  readonly describe: () => CallDescription
  /** Ids of the messages of its invocation, and of their requests. */
  readonly ids: readonly string[]
}

export function newStrikes(): Strikes {
  const waiting = new Set<{ readonly fault: CallFault; readonly match: CallMatch }>()
  return {
    add: (fault, match) => {
      const strike = { fault, match }
      waiting.add(strike)
      return () => void waiting.delete(strike)
    },
    take: (call) => {
      // Nothing is described while none waits: that is the usual case, and the hot path.
      for (const strike of waiting) {
        if (!fits(strike.match, call)) continue
        waiting.delete(strike)
        return strike.fault
      }
      return undefined
    },
  }
}

function fits({ action, effect, request }: CallMatch, call: StrikableCall): boolean {
  if (action !== undefined && action !== call.action) return false
  if (effect === undefined && request === undefined) return true
  const described = call.describe()
  if (effect !== undefined && effect !== described.effect) return false
  return request === undefined || (described.requests ?? call.ids).includes(request)
}
