import type { Template } from '../documents/deploy/packaged.ts'

/**
 * US dollars, of the dearer Regions. A message is what a function does for it at worst: ten deliveries, of half a second with 512 MB and
 * fifteen requests to the table each. https://aws.amazon.com/pricing
 */
const MESSAGE = 10 * (0.5 * 0.5 * 0.000_016_7 + 0.000_000_2 + 15 * 2 * 0.000_001_9)
const CALL = 0.000_002
const HOURS_OF_MONTH = 730
const ALARM = 0.3 / HOURS_OF_MONTH
/** Metrics of one consumer in a minute in which it is busy, as if it were all the time; logs and empty polls. */
const FUNCTION = (12 * 0.3) / HOURS_OF_MONTH + 0.002
const DASHBOARD = 3 / HOURS_OF_MONTH
const SECRETS = (3 * 0.4) / HOURS_OF_MONTH

export class LimitError extends Error {
  override readonly name = 'LimitError'
}

/** What a run has cost by estimate, and what ends it. */
export interface Meter {
  readonly line: () => string
  sent(messages: number): void
  called(): void
  /** @throws LimitError when the limit is reached, and the reason of `stop` when it was stopped */
  check(): void
}

export interface MeterOptions {
  /** US dollars. */
  readonly limit: number
  readonly hourly: number
  readonly stop: AbortSignal
  readonly now?: () => number
}

export function startMeter({ limit, hourly, stop, now = Date.now }: MeterOptions): Meter {
  const began = now()
  let messages = 0
  let calls = 0
  const hours = (): number => (now() - began) / 3_600_000
  const spent = (): number => hours() * hourly + messages * MESSAGE + calls * CALL
  const line = (): string =>
    `${spent().toFixed(3)} of ${limit} US dollars by estimate: ${(hours() * 60).toFixed(0)} minutes, ${messages} messages and calls of APIs, ${calls} requests of this program`
  return {
    line,
    sent: (count) => void (messages += count),
    called: () => void (calls += 1),
    check() {
      stop.throwIfAborted()
      if (spent() >= limit) throw new LimitError(`the limit is reached: ${line()}`)
    },
  }
}

export function hourlyOf({ Resources }: Template): number {
  const types = Object.values(Resources).map(({ Type }) => Type)
  const count = (type: string): number => types.filter((each) => each === type).length
  return (
    count('AWS::CloudWatch::Alarm') * ALARM +
    count('AWS::Lambda::Function') * FUNCTION +
    DASHBOARD +
    SECRETS
  )
}
