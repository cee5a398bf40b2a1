/** A length of time: milliseconds, or a number with its unit: `500`, `'500ms'`, `'10s'`, `'5m'`, `'2h'`, `'30d'`. */
export type Duration = number | `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`

const MILLISECONDS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}

/** Milliseconds. undefined: it is not a finite time of zero or more. */
export function parseDuration(duration: unknown): number | undefined {
  if (typeof duration === 'number') {
    return Number.isFinite(duration) && duration >= 0 ? duration : undefined
  }
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(String(duration)) ?? []
  const factor = MILLISECONDS[unit]
  return factor === undefined ? undefined : Number(amount) * factor
}

export const DURATION_EXPECTED = "milliseconds or a text such as '10s' or '30d'"
