import { ConfigError } from './errors.ts'
import { type Duration, DURATION_EXPECTED, parseDuration } from './parseDuration.ts'

export type { Duration } from './parseDuration.ts'

/** @throws ConfigError naming `option` when `duration` is not a finite time of zero or more. */
export function toMilliseconds(option: string, duration: Duration): number {
  const milliseconds = parseDuration(duration)
  if (milliseconds !== undefined) return milliseconds
  throw new ConfigError(`${option}: expected ${DURATION_EXPECTED}, got ${JSON.stringify(duration)}`)
}
