import { ConfigError } from '../errors.ts'
import { refuseUnknown } from './checkOptions.ts'
import { draw } from './random.ts'

/** What can happen to one SDK call of a handler. */
export type CallFault =
  /** The invocation dies; the request never left. */
  | 'killBefore'
  /** The invocation dies; the request was carried out, its answer never read. */
  | 'killAfter'
  /** The request was carried out, its answer is lost on the wire: the SDK's own retry runs. */
  | 'loseAnswer'
  /** Refused without effect as too many requests: the SDK's own retry runs. */
  | 'throttle'

/**
 * One exact point. Invocations and the calls in them count from 1. `attempt`: which try of the SDK at that call, default 1.
 * `killBeforeDelete`: the handler has returned, nothing is deleted.
 */
export type FaultPoint =
  | {
      readonly invocation: number
      readonly call: number
      readonly fault: CallFault
      readonly attempt?: number
    }
  | { readonly invocation: number; readonly fault: 'killBeforeDelete' }

/**
 * Faults as data: probabilities from 0 to 1, drawn from `seed` and the place (number of the delivery, or of the invocation,
 * call and attempt), never from the time. Only clients that went through `cloud.instrument` can be hit.
 */
export interface Faults {
  /** Default 1. */
  readonly seed?: number
  /** Per record: a second invocation gets it at the same time. On a FIFO queue, which never does that: as `duplicateLater`. */
  readonly duplicate?: number
  /** Per record: its delete does not take, and within a second it is delivered again. */
  readonly duplicateLater?: number
  /** Records come out of order, within a batch and across batches. A FIFO queue keeps its order. */
  readonly shuffle?: boolean
  /** Per SDK call, half before the request leaves and half after it was applied; per invocation, before the delete. */
  readonly kill?: number
  /** Per attempt of an SDK call. */
  readonly loseAnswer?: number
  /** Per attempt of an SDK call. */
  readonly throttle?: number
  /** Exact points, besides the probabilities. */
  readonly at?: readonly FaultPoint[]
}

const PROBABILITIES = ['duplicate', 'duplicateLater', 'kill', 'loseAnswer', 'throttle'] as const

/** @throws ConfigError on an unknown fault or a probability outside 0 to 1. */
export function checkFaults(faults: Faults): void {
  refuseUnknown('faults', faults, [...PROBABILITIES, 'seed', 'shuffle', 'at'])
  for (const name of PROBABILITIES) {
    const value = faults[name] ?? 0
    if (!(value >= 0 && value <= 1)) {
      throw new ConfigError(`faults.${name}: expected a probability from 0 to 1, got ${value}`)
    }
  }
}

export function callFault(
  faults: Faults,
  place: { readonly invocation: number; readonly call: number; readonly attempt: number },
): CallFault | undefined {
  const { invocation, call, attempt } = place
  for (const point of faults.at ?? []) {
    if (point.fault === 'killBeforeDelete' || point.invocation !== invocation) continue
    if (point.call === call && (point.attempt ?? 1) === attempt) return point.fault
  }
  return drawCallFault(faults, draw(seedOf(faults), 'call', invocation, call, attempt))
}

export function killsBeforeDelete(faults: Faults, invocation: number): boolean {
  const scripted = faults.at?.some(
    (point) => point.fault === 'killBeforeDelete' && point.invocation === invocation,
  )
  return scripted === true || happens(faults, 'kill', invocation)
}

/** `delivery`: the running number of the record among all that the queue handed out. */
export function isDoubled(faults: Faults, delivery: number): boolean {
  return happens(faults, 'duplicate', delivery)
}

/** After how many seconds (0 or 1: SQS counts whole ones) a finished record comes again, or undefined when its delete takes. */
export function comesAgainAfter(faults: Faults, delivery: number): number | undefined {
  if (!happens(faults, 'duplicateLater', delivery)) return undefined
  return Math.round(draw(seedOf(faults), 'later', delivery))
}

export function seedOf(faults: Faults): number {
  return faults.seed ?? 1
}

function happens(faults: Faults, name: (typeof PROBABILITIES)[number], place: number): boolean {
  return draw(seedOf(faults), name, place) < (faults[name] ?? 0)
}

/** One draw for all, so that the probabilities add up instead of hiding each other. */
function drawCallFault(faults: Faults, chance: number): CallFault | undefined {
  const { kill = 0, loseAnswer = 0, throttle = 0 } = faults
  if (chance < kill / 2) return 'killBefore'
  if (chance < kill) return 'killAfter'
  if (chance < kill + loseAnswer) return 'loseAnswer'
  return chance < kill + loseAnswer + throttle ? 'throttle' : undefined
}
