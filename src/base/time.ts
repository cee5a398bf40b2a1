/** A point in time: a Date, epoch milliseconds, or a text as `2026-01-31T12:00:00Z` with `Z` or an offset. */
export type Time = Date | number | string

/** How far another machine's clock may be ahead of this one, milliseconds. A later time does not come from a clock. */
export const MAX_CLOCK_SKEW_MS: number = 5 * 60_000

export const TIME_EXPECTED =
  "a Date, epoch milliseconds (not seconds), or a text such as '2026-01-31T12:00:00Z', with Z or an offset"

/** RFC 3339 without its leap second; whether the month has such a day is checked separately. */
const ISO =
  /^(\d{4})-(\d\d)-(\d\d)T([01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-]([01]\d|2[0-3]):?[0-5]\d)$/
/** A number of this size is epoch seconds of our days (2001 to 2286). As milliseconds it would be a day of early 1970. */
const isSeconds = (time: number): boolean => time >= 1e9 && time < 1e10
/** A time in the year 5138. A larger number is in microseconds. */
const MOST = 100_000_000_000_000

/**
 * Whole epoch milliseconds, 1 or more. undefined: not a time. A text without a zone means another time on another machine,
 * so it is not one either.
 */
export function toTime(given: unknown): number | undefined {
  const time = millisecondsOf(given)
  if (time === undefined || !(time >= 1 && time < MOST)) return undefined
  return typeof given === 'number' && isSeconds(time) ? undefined : Math.trunc(time)
}

function millisecondsOf(given: unknown): number | undefined {
  if (typeof given === 'number') return given
  if (given instanceof Date) return given.getTime()
  return typeof given === 'string' && isIso(given) ? Date.parse(given) : undefined
}

/** Detects dates that `Date.parse` shifts: it reads the 30th of February as the 2nd of March. */
function isIso(text: string): boolean {
  const [, year, month, day] = ISO.exec(text) ?? []
  const lastOfMonth = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate()
  return Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1 && Number(day) <= lastOfMonth
}
