import { type Duration, toMilliseconds } from '../duration.ts'
import { ConfigError } from '../errors.ts'

/** Milliseconds until the next attempt. `retry` counts from 1; `jitter` is 0 to 1, the same for one request and retry. */
export type RetryDelay = (retry: number, jitter: number) => number

/** A delay, the same each time; or one for each retry, the last of which stays; or a function. */
export type RetryDelays = Duration | readonly Duration[] | RetryDelay

/** @throws ConfigError naming the option when a delay is no time, or the list is empty. */
export function retryDelay(option: string, delays: RetryDelays): RetryDelay {
  if (typeof delays === 'function') return delays
  if (typeof delays !== 'object') {
    const always = toMilliseconds(option, delays)
    return () => always
  }
  const times = delays.map((each, index) => toMilliseconds(`${option}[${index}]`, each))
  const last = times.at(-1)
  if (last === undefined) throw new ConfigError(`${option}: expected at least one delay, got none`)
  return (retry) => times[retry - 1] ?? last
}

export interface Exponential {
  /** Before the first retry. Default 2 s. */
  readonly base?: Duration
  /** Default 2. With less than 1.5 the jitter could make a later delay the shorter one. */
  readonly factor?: number
  /** Default 15 minutes, the longest delay of SQS. */
  readonly max?: Duration
}

/** Spread around the delay, so that records that failed together do not come back together. */
const JITTER = 0.2

/** Each delay is longer than the one before, up to `max`, and spread by 20 % either way. */
export function exponential(options: Exponential = {}): RetryDelay {
  const base = toMilliseconds('exponential.base', options.base ?? '2s')
  const max = toMilliseconds('exponential.max', options.max ?? '15m')
  const { factor = 2 } = options
  if (!(factor >= 1.5)) {
    throw new ConfigError(`exponential.factor: expected a number of at least 1.5, got ${factor}`)
  }
  return (retry, jitter) => {
    const delay = Math.min(base * Math.min(factor ** (retry - 1), Number.MAX_VALUE), max)
    return Math.min(Math.round(delay * (1 - JITTER + 2 * JITTER * jitter)), max)
  }
}
