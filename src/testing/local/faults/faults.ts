import {
  anything,
  type Check,
  checkOptions,
  required,
  trueOrFalse,
} from '../../../library/base/options.ts'
import { aText } from '../../queues/checkQueues.ts'
import { randomAt } from './random.ts'

/** A fault of one SDK call of a handler. */
export type CallFault =
  /** The invocation dies before the request leaves. */
  | 'killBefore'
  /** The request takes effect, then the invocation dies without reading the answer. */
  | 'killAfter'
  /** The request takes effect and its answer is lost; the SDK retries. */
  | 'loseAnswer'
  /** The request is refused for too many requests, without effect; the SDK retries. */
  | 'throttle'
  /** The request has no effect and gets no answer until the client's timeout. */
  | 'hangBefore'
  /** The request takes effect and gets no answer until the client's timeout. */
  | 'hangAfter'

export const CALL_FAULTS: readonly CallFault[] = [
  'killBefore',
  'killAfter',
  'loseAnswer',
  'throttle',
  'hangBefore',
  'hangAfter',
]

/** A fault that can wait for the next call, or the next invocation, that fits. */
export type NextFault =
  | CallFault
  /** Another transaction holds an item of the call. */
  | 'conflict'
  /** An eventually consistent read shows an item as it was before its last write by a handler. It waits for a read that this changes. */
  | 'staleRead'
  /** The tables of the call have no throughput left. */
  | 'tableThrottle'
  /** The invocation dies when it begins its next call after this one, or before its messages are deleted. */
  | 'sandboxDeath'
  /** The handler has returned, but no message is deleted. */
  | 'killBeforeDelete'
  /** After the response the sandbox freezes until its next invocation. */
  | 'freeze'

export const NEXT_FAULTS: readonly string[] = [
  ...CALL_FAULTS,
  'conflict',
  'staleRead',
  'tableThrottle',
  'sandboxDeath',
  'killBeforeDelete',
  'freeze',
] satisfies readonly NextFault[]

/** Every fault that is counted, including those that only DynamoDB has. */
export type InjectedFault = CallFault | 'conflict' | 'staleRead' | 'tableThrottle'

/** A time in which calls that use the table are throttled, and transactions on it cancelled. Milliseconds. */
export interface TableThrottle {
  readonly table: string
  /** Counted from the start of the mapping. Default 0. */
  readonly after?: number
  readonly for: number
}

/**
 * A fault at one exact point. Invocations, and the calls in them, count from 1; `attempt` is the SDK's attempt at that call,
 * default 1. `killBeforeDelete`: the handler has returned, but nothing is deleted. `conflict`: another transaction holds an
 * item of the call.
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
 * The faults to inject, as probabilities from 0 to 1. They are drawn from `seed` and the position (number of the delivery, or of
 * invocation, call and attempt), never from the time. Only instrumented clients are hit: those of the cloud, and those passed
 * to `cloud.instrument`.
 */
export interface Faults {
  /** Default 1. */
  readonly seed?: number
  /** Per record: a second invocation gets it at the same time. On a FIFO queue, which never does that, as `duplicateLater`. */
  readonly duplicate?: number
  /** Per record: its delete has no effect, and it is redelivered within a second. */
  readonly duplicateLater?: number
  /** Records arrive out of order, within a batch and across batches. A FIFO queue keeps its order. */
  readonly shuffle?: boolean
  /** Per SDK call, half before the request leaves and half after it took effect; and per invocation, before the delete. */
  readonly kill?: number
  /** Per attempt of an SDK call. */
  readonly loseAnswer?: number
  /** Per attempt of an SDK call. */
  readonly throttle?: number
  /**
   * Per attempt of an SDK call: a half-open connection, half before the request takes effect and half after. Without a timeout
   * of the client, the call hangs until the function's timeout.
   */
  readonly hang?: number
  /**
   * Per call that writes to DynamoDB: another transaction holds one of its items. A plain write gets
   * TransactionConflictException, a transaction TransactionCanceledException, and a PartiQL batch an error for one statement.
   */
  readonly conflict?: number
  /** Milliseconds for which each transaction holds its items; other writes of them conflict meanwhile. Default 0. */
  readonly transactionTime?: number
  /** Per eventually consistent read of DynamoDB: it shows items as they were up to a second earlier. */
  readonly staleRead?: number
  /** Tables that are throttled for some time, such as one of yours while Lineclear's own answers. */
  readonly throttleTables?: readonly TableThrottle[]
  /**
   * Per invocation: its sandbox dies within 50 ms, wherever its code is. Like a kill, it does not count as a failure of the
   * function.
   */
  readonly sandboxDeath?: number
  /**
   * Per invocation: after its response its sandbox freezes, as Lambda's do. Code that still runs, such as a handler that timed
   * out, continues when the next invocation thaws the sandbox.
   */
  readonly freeze?: number
  /** Faults at exact points, in addition to the probabilities. */
  readonly at?: readonly FaultPoint[]
}

const aProbability: Check = {
  expected: 'a probability from 0 to 1',
  isRight: (value) => typeof value === 'number' && value >= 0 && value <= 1,
}
const aTime: Check = {
  expected: 'a time of 0 ms or more',
  isRight: (value) => typeof value === 'number' && value >= 0 && Number.isFinite(value),
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
const FAULTS = {
  ...Object.fromEntries(PROBABILITIES.map((name) => [name, aProbability])),
  seed: anything,
  shuffle: trueOrFalse,
  transactionTime: aTime,
  throttleTables: anything,
  at: anything,
}
const THROTTLE = { table: required(aText), after: aTime, for: required(aTime) }

/** @throws ConfigError on an unknown fault, a probability outside 0 to 1 or a negative time. */
export function checkFaults(faults: Faults): void {
  checkOptions('faults', faults, FAULTS)
  for (const throttle of faults.throttleTables ?? []) {
    checkOptions('faults', throttle, THROTTLE, 'throttleTables.')
  }
}

/** Both count from 1; the attempt is 0 outside the SDK's attempts. */
export interface CallPlace {
  readonly call: number
  readonly attempt: number
}

export function callFault(
  faults: Faults,
  invocation: number,
  { call, attempt }: CallPlace,
): CallFault | undefined {
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

/** Which item of a call is held by another transaction, as a number to be taken modulo; NaN when none is. */
export function conflictAt(faults: Faults, invocation: number, call: number): number {
  const scripted = faults.at?.some(
    (point) => point.fault === 'conflict' && point.invocation === invocation && point.call === call,
  )
  if (scripted === true || happens(faults, 'conflict', invocation, call)) {
    return Math.floor(randomAt(seedOf(faults), 'conflictItem', invocation, call) * 1_000)
  }
  return Number.NaN
}

/** How stale a read is, as a share of the longest staleness; undefined when it is current. */
export function stalenessOf(faults: Faults, invocation: number, call: number): number | undefined {
  if (!happens(faults, 'staleRead', invocation, call)) return undefined
  return randomAt(seedOf(faults), 'staleness', invocation, call)
}

const DIES_WITHIN_MS = 50

/** Milliseconds after which the sandbox of an invocation dies, or undefined. */
export function sandboxDeathAfter(faults: Faults, invocation: number): number | undefined {
  if (!happens(faults, 'sandboxDeath', invocation)) return undefined
  return randomAt(seedOf(faults), 'deathTime', invocation) * DIES_WITHIN_MS
}

/**
 * After how many seconds (0 or 1) a processed record is redelivered; undefined when its delete succeeds.
 * @param delivery the running number of the record among all that the queue delivered
 */
export function redeliveredAfter(faults: Faults, delivery: number): number | undefined {
  if (!happens(faults, 'duplicateLater', delivery)) return undefined
  return Math.round(randomAt(seedOf(faults), 'later', delivery))
}

export function seedOf(faults: Faults): number {
  return faults.seed ?? 1
}

/** @param place the number of the invocation, or of the delivery */
export function happens(
  faults: Faults,
  name: (typeof PROBABILITIES)[number],
  ...place: readonly number[]
): boolean {
  return randomAt(seedOf(faults), name, ...place) < (faults[name] ?? 0)
}

/** One draw for all call faults, so that their probabilities add up. */
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
