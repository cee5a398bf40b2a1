/** The value if it is a non-empty text. Attributes and log fields may hold anything. */
export function nonEmptyText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** A time that is stored as ISO 8601. Epoch milliseconds; undefined: there is none that can be read. */
export function timeIn(value: unknown): number | undefined {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isNaN(time) ? undefined : time
}

/** A time that is stored in epoch seconds, as `ttl`. Epoch milliseconds. */
export function secondsIn(value: unknown): number | undefined {
  return typeof value === 'number' ? value * 1_000 : undefined
}
