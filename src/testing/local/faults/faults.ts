import { ConfigError } from '../../../errors.ts'
import { refuseUnknown } from '../../queues/checkOptions.ts'
import { randomAt } from './random.ts'

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
  /** The request is accepted and not carried out; no answer comes, until the client's own timeout. */
  | 'hangBefore'
  /** The request is carried out; no answer comes, until the client's own timeout. */
  | 'hangAfter'

/** What is counted: besides those, faults that only DynamoDB has. */
export type InjectedFault = CallFault | 'conflict' | 'staleRead' | 'tableThrottle'

/** Calls that touch the table are refused as too many, and cancelled where they are transactions. Milliseconds. */
export interface TableThrottle {
  readonly table: string
  /** Since the mapping began. Default 0. */
  readonly after?: number
  readonly for: number
}

/**
 * One exact point. Invocations and the calls in them count from 1. `attempt`: which try of the SDK at that call, default 1.
 * `killBeforeDelete`: the handler has returned, nothing is deleted. `conflict`: the call meets a transaction on its item.
 */
export type FaultPoint =
  | {
      readonly invocation: number
      readonly call: number
      readonly fault: CallFault
      readonly attempt?: number
    }
  | { readonly invocation: number; readonly call: number; readonly fault: 'conflict' }
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
  /**
   * Per attempt of an SDK call: a half-open socket, half before the request is carried out and half after. Without a timeout of
   * the client, the call hangs until the function's own.
   */
  readonly hang?: number
  /**
   * Per call that writes to DynamoDB: one of its items is in a transaction of another. A plain write gets
   * TransactionConflictException, a transaction TransactionCanceledException, a PartiQL batch the error of one statement.
   */
  readonly conflict?: number
  /** Milliseconds for which each transaction keeps its items: other writes of them conflict meanwhile. Default 0: for none. */
  readonly transactionTime?: number
  /** Per read of DynamoDB that does not ask for consistency: it shows items as they were up to a second before. */
  readonly staleRead?: number
  /** Tables that are throttled for a while, such as one of yours while Lineclear's own answers. */
  readonly throttleTables?: readonly TableThrottle[]
  /**
   * Per invocation: within 50 ms its sandbox dies, wherever its code is, with everything it holds. As a kill, it is no failure of
   * the function.
   */
  readonly sandboxDeath?: number
  /**
   * Per invocation: once it has answered, its sandbox freezes, as Lambda's do. What its code has left running (a handler whose
   * time was over) goes on when the next invocation thaws the sandbox.
   */
  readonly freeze?: number
  /** Exact points, besides the probabilities. */
  readonly at?: readonly FaultPoint[]
}

export const PROBABILITIES = [
  'duplicate',
  'duplicateLater',
  'kill',
  'loseAnswer',
  'throttle',
  'hang',
  'conflict',
  'staleRead',
  'sandboxDeath',
  'freeze',
] as const
const OTHERS = ['seed', 'shuffle', 'at', 'transactionTime', 'throttleTables']

/** @throws ConfigError on an unknown fault, a probability outside 0 to 1 or a negative time. */
export function checkFaults(faults: Faults): void {
  refuseUnknown('faults', faults, [...PROBABILITIES, ...OTHERS])
  const { transactionTime = 0, throttleTables = [] } = faults
  const times = throttleTables.flatMap(({ after = 0, for: lasts }) => [after, lasts])
  for (const time of [transactionTime, ...times]) {
    if (time >= 0 && Number.isFinite(time)) continue
    throw new ConfigError(`faults: expected times of 0 ms or more, got ${time}`)
  }
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
    if (point.fault === 'killBeforeDelete' || point.fault === 'conflict') continue
    if (point.invocation !== invocation) continue
    if (point.call === call && (point.attempt ?? 1) === attempt) return point.fault
  }
  return drawCallFault(faults, randomAt(seedOf(faults), 'call', invocation, call, attempt))
}

export function killsBeforeDelete(faults: Faults, invocation: number): boolean {
  const scripted = faults.at?.some(
    (point) => point.fault === 'killBeforeDelete' && point.invocation === invocation,
  )
  return scripted === true || happens(faults, 'kill', invocation)
}

/** Which of the items of a call is in another transaction, as a number to be taken modulo; NaN: none. */
export function conflictAt(
  faults: Faults,
  { invocation, call }: { readonly invocation: number; readonly call: number },
): number {
  const scripted = faults.at?.some(
    (point) => point.fault === 'conflict' && point.invocation === invocation && point.call === call,
  )
  if (scripted === true || happens(faults, 'conflict', invocation, call)) {
    return Math.floor(randomAt(seedOf(faults), 'conflictItem', invocation, call) * 1_000)
  }
  return Number.NaN
}

/** How far a read is behind, as a share of the longest time; undefined when it is not. */
export function stalenessOf(
  faults: Faults,
  { invocation, call }: { readonly invocation: number; readonly call: number },
): number | undefined {
  if (!happens(faults, 'staleRead', invocation, call)) return undefined
  return randomAt(seedOf(faults), 'staleness', invocation, call)
}

const DIES_WITHIN_MS = 50

/** Milliseconds after which the sandbox of an invocation dies, or undefined. */
export function sandboxDeathAfter(faults: Faults, invocation: number): number | undefined {
  if (!happens(faults, 'sandboxDeath', invocation)) return undefined
  return randomAt(seedOf(faults), 'deathTime', invocation) * DIES_WITHIN_MS
}

export function freezesAfter(faults: Faults, invocation: number): boolean {
  return happens(faults, 'freeze', invocation)
}

/** `delivery`: the running number of the record among all that the queue handed out. */
export function isDuplicated(faults: Faults, delivery: number): boolean {
  return happens(faults, 'duplicate', delivery)
}

/** After how many seconds (0 or 1: SQS counts whole ones) a finished record comes again, or undefined when its delete takes. */
export function redeliveredAfter(faults: Faults, delivery: number): number | undefined {
  if (!happens(faults, 'duplicateLater', delivery)) return undefined
  return Math.round(randomAt(seedOf(faults), 'later', delivery))
}

export function seedOf(faults: Faults): number {
  return faults.seed ?? 1
}

function happens(
  faults: Faults,
  name: (typeof PROBABILITIES)[number],
  ...place: readonly number[]
): boolean {
  return randomAt(seedOf(faults), name, ...place) < (faults[name] ?? 0)
}

/** One draw for all, so that the probabilities add up instead of hiding each other. */
function drawCallFault(faults: Faults, chance: number): CallFault | undefined {
  const { kill = 0, loseAnswer = 0, throttle = 0, hang = 0 } = faults
  const others = kill + loseAnswer + throttle
  if (chance < kill / 2) return 'killBefore'
  if (chance < kill) return 'killAfter'
  if (chance < kill + loseAnswer) return 'loseAnswer'
  if (chance < others) return 'throttle'
  if (chance < others + hang / 2) return 'hangBefore'
  return chance < others + hang ? 'hangAfter' : undefined
}
