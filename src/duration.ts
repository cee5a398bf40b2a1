import { ConfigError } from './errors.ts'

/** Milliseconds, or a number with its unit: `500`, `'500ms'`, `'10s'`, `'5m'`, `'2h'`, `'30d'`. */
export type Duration = number | `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`

const MILLISECONDS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}

/** @throws ConfigError naming `option` when `duration` is not a finite time of zero or more. */
export function toMilliseconds(option: string, duration: Duration): number {
  if (typeof duration === 'number' && Number.isFinite(duration) && duration >= 0) return duration
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(String(duration)) ?? []
  const factor = MILLISECONDS[unit]
  if (factor === undefined) {
    throw new ConfigError(
      `${option}: expected milliseconds or a text such as '10s' or '30d', got ${JSON.stringify(duration)}`,
    )
  }
  return Number(amount) * factor
}
