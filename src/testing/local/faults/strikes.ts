import type { CallDescription } from './callDescription.ts'
import { checkIs, checkWhole, refuseUnknown } from '../../queues/checkOptions.ts'
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
  /** Which of the calls of one invocation that fit, from 1: `once` begins and ends by a call of the same name. Default 1. */
  readonly nth?: number
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
  refuseUnknown('match', match, ['action', 'effect', 'request', 'nth'])
  const { nth = 1, ...texts } = match
  checkWhole('match.nth', nth, 1, Number.MAX_SAFE_INTEGER)
  for (const [name, value] of Object.entries(texts)) {
    checkIs(`match.${name}`, value === undefined || typeof value === 'string', 'a text', value)
  }
}

interface StrikableCall {
  readonly action: string
  readonly describe: () => CallDescription
  /** Its number in its invocation: all attempts of a call have the same. */
  readonly call: number
  readonly invocation: number
  /** Ids of the messages of its invocation, and of their requests. */
  readonly ids: readonly string[]
}

export function newStrikes(): Strikes {
  const waiting = new Set<Strike>()
  return {
    add: (fault, match) => {
      const strike = { fault, match, seen: new Map<number, Set<number>>() }
      waiting.add(strike)
      return () => void waiting.delete(strike)
    },
    take: (call) => {
      // Nothing is described while none waits: that is the usual case, and the hot path.
      for (const strike of waiting) {
        if (!fits(strike.match, call) || !isNth(strike, call)) continue
        waiting.delete(strike)
        return strike.fault
      }
      return undefined
    },
  }
}

interface Strike {
  readonly fault: CallFault
  readonly match: CallMatch
  /** By invocation: the calls that fitted. */
  readonly seen: Map<number, Set<number>>
}

function isNth({ match: { nth = 1 }, seen }: Strike, { invocation, call }: StrikableCall): boolean {
  if (nth === 1) return true
  const calls = seen.get(invocation) ?? new Set()
  seen.set(invocation, calls.add(call))
  return calls.size >= nth
}

function fits({ action, effect, request }: CallMatch, call: StrikableCall): boolean {
  if (action !== undefined && action !== call.action) return false
  if (effect === undefined && request === undefined) return true
  const described = call.describe()
  if (effect !== undefined && effect !== described.effect) return false
  return request === undefined || (described.requests ?? call.ids).includes(request)
}
