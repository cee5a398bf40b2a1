import type { CallDescription } from './items.ts'
import { ConfigError } from '../../../library/base/errors.ts'
import { type Checks, checkOptions, whole } from '../../../library/base/options.ts'
import { aText } from '../../queues/checkQueues.ts'
import { NEXT_FAULTS, type NextFault } from './faults.ts'

/** Which call a fault is meant for; each part that is given must fit. */
export interface CallMatch {
  /** @example 'UpdateItem' */
  readonly action?: string
  /** The name of an effect (`write`) or an outside call (`call`). */
  readonly effect?: string
  /**
   * The id of a request. A call that belongs to no single request, such as the sending of several messages, fits when its
   * invocation has a message with that id, or that message id. One of several ids must fit.
   */
  readonly request?: string | readonly string[]
  /** Which of the calls of one invocation that fit, from 1: `call` begins and ends by a call of the same name. Default 1. */
  readonly nth?: number
}

/** Faults that wait for the next call or invocation that fits. Each strikes once. */
export interface Strikes {
  /** @returns a function that takes it back */
  add(fault: NextFault, match: CallMatch): () => void
  /** The first of these faults that fits, which is then no longer waiting. */
  take<Fault extends NextFault>(faults: readonly Fault[], place: StrikePlace): Fault | undefined
  /** Whether one of these waits, whatever for. */
  waits(fault: NextFault): boolean
}

const MATCH: Checks<CallMatch> = {
  action: aText,
  effect: aText,
  request: { expected: 'an id, or several', isRight: isTexts },
  nth: whole(1, Number.MAX_SAFE_INTEGER),
}

/** @throws ConfigError on an unknown fault, an unknown part of `match` or a wrong value of one */
export function checkMatch(fault: NextFault, match: CallMatch): void {
  if (!NEXT_FAULTS.includes(fault)) {
    throw new ConfigError(
      `fault: expected one of ${NEXT_FAULTS.join(', ')}, got ${JSON.stringify(fault)}`,
    )
  }
  checkOptions('faultNextCall', match, MATCH)
}

function isTexts(value: unknown): boolean {
  return [value].flat().every((each) => typeof each === 'string')
}

/** An invocation, or a call of it. */
interface StrikePlace {
  readonly invocation: number
  /** Ids of its messages, and of their requests. */
  readonly ids: readonly string[]
  readonly call?: StrikableCall
}

export interface StrikableCall {
  readonly action: string
  readonly describe: () => CallDescription
  /** Its number in its invocation: all attempts of a call have the same. */
  readonly call: number
}

interface Strike {
  readonly fault: NextFault
  readonly match: CallMatch
  /** By invocation: the calls that fitted. */
  readonly seen: Map<number, Set<number>>
}

export function newStrikes(): Strikes {
  const waiting = new Set<Strike>()
  return {
    add: (fault, match) => {
      const strike = { fault, match, seen: new Map<number, Set<number>>() }
      waiting.add(strike)
      return () => void waiting.delete(strike)
    },
    take: (faults, place) => {
      // Nothing is described while none waits: that is the usual case, and the hot path. All are looked at, as each counts for itself.
      const [first] = [...waiting].filter(
        (strike) => faults.some((fault) => fault === strike.fault) && fits(strike, place),
      )
      if (first !== undefined) waiting.delete(first)
      return faults.find((fault) => fault === first?.fault)
    },
    waits: (fault) => [...waiting].some((strike) => strike.fault === fault),
  }
}

function fits(strike: Strike, place: StrikePlace): boolean {
  const { action, effect, request } = strike.match
  const { call, ids } = place
  if (action !== undefined && action !== call?.action) return false
  if (effect !== undefined || request !== undefined) {
    const described = call?.describe()
    if (effect !== undefined && effect !== described?.effect) return false
    const own = described?.requests ?? ids
    if (request !== undefined && !own.some((id) => [request].flat().includes(id))) return false
  }
  return call === undefined || isNth(strike, place.invocation, call)
}

function isNth({ match: { nth = 1 }, seen }: Strike, invocation: number, { call }: StrikableCall) {
  if (nth === 1) return true
  const calls = seen.get(invocation) ?? new Set()
  seen.set(invocation, calls.add(call))
  return calls.size >= nth
}
