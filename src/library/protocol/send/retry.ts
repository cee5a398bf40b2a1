import { toMilliseconds, assertKnown } from '../../base/options.ts'
import type { Duration } from '../../base/time.ts'
import { ConfigError } from '../../base/errors.ts'
import { hash } from 'node:crypto'

/**
 * Milliseconds until the next attempt. `retry` counts from 1; `jitter` is 0 to 1, the same for one request and retry.
 * @example const delay: RetryDelay = (retry, jitter) => 1_000 * retry + 500 * jitter
 */
export type RetryDelay = (retry: number, jitter: number) => number

/**
 * One delay for all retries; or a list with one delay for each retry, the last of which repeats; or a delay that grows; or a function.
 */
export type RetryDelays = Duration | readonly Duration[] | GrowingDelay | RetryDelay

/**
 * A delay that grows by `factor` up to `max`. Each is varied by up to 20 % in either direction.
 * @example const delay: GrowingDelay = { base: '5s', max: '1h' }
 */
export interface GrowingDelay {
  /** Delay before the first retry. Default 2 s. */
  readonly base?: Duration
  /** The factor from one delay to the next, at least 1.5: with less, jitter could make a later delay shorter. Default 2. */
  readonly factor?: number
  /** The longest delay. Default 15 minutes, the longest delay of SQS; the message waits longer delays in several steps. */
  readonly max?: Duration
}

/** @throws ConfigError naming the option when a delay is not a duration, or the list is empty */
export function retryDelay(option: string, delays: RetryDelays): RetryDelay {
  if (typeof delays === 'function') return delays
  if (isList(delays)) return listedDelay(option, delays)
  if (typeof delays === 'object') return growingDelay(option, delays)
  const always = toMilliseconds(option, delays)
  return () => always
}

/** `Array.isArray` does not narrow a readonly list. */
function isList(delays: RetryDelays): delays is readonly Duration[] {
  return Array.isArray(delays)
}

function listedDelay(option: string, delays: readonly Duration[]): RetryDelay {
  const times = delays.map((each, index) => toMilliseconds(`${option}[${index}]`, each))
  const last = times.at(-1)
  if (last === undefined) throw new ConfigError(`${option}: expected at least one delay, got none`)
  return (retry) => times[retry - 1] ?? last
}

/** Each delay is varied by this share of itself, so that records that failed together are not delivered together again. */
const JITTER = 0.2

function growingDelay(option: string, growing: GrowingDelay): RetryDelay {
  assertKnown(option, growing, ['base', 'factor', 'max'])
  const base = toMilliseconds(`${option}.base`, growing.base ?? '2s')
  const max = toMilliseconds(`${option}.max`, growing.max ?? '15m')
  const { factor = 2 } = growing
  if (!(factor >= 1.5)) {
    throw new ConfigError(`${option}.factor: expected a number of at least 1.5, got ${factor}`)
  }
  return (retry, jitter) => {
    const delay = Math.min(base * Math.min(factor ** (retry - 1), Number.MAX_VALUE), max)
    return Math.min(Math.round(delay * (1 - JITTER + 2 * JITTER * jitter)), max)
  }
}

/** How a record is delivered for its next attempt: as a fresh copy, or as the same message after a visibility timeout. */
export type RetryTransport = 'resend' | 'visibility'

/** The longest DelaySeconds of SQS is 15 minutes. */
export const MAX_DELAY_MS = 900_000
/** SQS lets a message stay hidden for 12 hours from its receipt. One minute of that is reserved for the call. */
export const MAX_HIDDEN_MS = 43_140_000
/**
 * Lambda stops a chain of invocations at 16 (recursive loop detection) and drops the message. 4 of them are left for other
 * functions.
 */
export const MAX_HOPS = 12

export interface TransportChoice {
  readonly wanted: RetryTransport
  readonly fifo: boolean
  readonly hops: number
}

/** A FIFO queue accepts no delay for a single message, and a copy would lose its place in the group. */
export function chooseTransport({ wanted, fifo, hops }: TransportChoice): RetryTransport {
  return wanted === 'resend' &&
    // @protects a message of a FIFO queue keeps its place
    !fifo &&
    // @protects a message is not dropped as a loop of functions
    hops < MAX_HOPS
    ? 'resend'
    : 'visibility'
}

/**
 * A trace header for the copies of a message that arrived without one: `Root=1-`, seconds, `-`, 96 bits, in hexadecimal. Without
 * it a copy would get the trace of the invocation, whose chain may be the longest of its batch. While everything fails, old
 * copies share batches with new records, so chains would grow longer than any single record's, until Lambda stops them at 16
 * (https://docs.aws.amazon.com/lambda/latest/dg/invocation-recursion.html). The message's attribute overrides that header
 * (https://docs.aws.amazon.com/xray/latest/devguide/xray-services-sqs.html).
 * @param sentAt epoch milliseconds
 */
export function newTrace(uniqueRequestId: string, sentAt: number): string {
  const seconds = Math.floor(sentAt / 1_000)
    .toString(16)
    .padStart(8, '0')
    .slice(-8)
  return `Root=1-${seconds}-${hash('sha256', uniqueRequestId, 'hex').slice(0, 24)}`
}
