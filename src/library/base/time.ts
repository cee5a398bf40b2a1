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
export const isSeconds = (time: number): boolean => time >= 1e9 && time < 1e10
/** A time in the year 5138. A larger number is in microseconds. */
const LATEST_TIME = 100_000_000_000_000

/**
 * Whole epoch milliseconds, 1 or more. undefined: not a time. A text without a zone means another time on another machine,
 * so it is not one either.
 */
export function toTime(given: unknown): number | undefined {
  const time = millisecondsOf(given)
  if (time === undefined || !(time >= 1 && time < LATEST_TIME)) return undefined
  // @protects a time in seconds is not taken for a day of 1970
  // @without its else
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
    // @protects a duration is a finite time of zero or more
    // @without its then
    return Number.isFinite(duration) && duration >= 0 ? duration : undefined
  }
  // @survives StringLiteral, ArrayDeclaration: what does not fit the form has no unit, and what stands in its place must only be no
  // unit either.
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(String(duration)) ?? []
  const factor = MILLISECONDS[unit]
  return factor === undefined ? undefined : Number(amount) * factor
}

export const DURATION_EXPECTED = "milliseconds or a text such as '10s' or '30d'"

const cached = new Map<number, string>()
const MOST_CACHED = 16

/**
 * A time as ISO 8601 in UTC. Recent texts are cached: the records of one batch share their times, and formatting a time costs
 * more than deciding a claim.
 */
export function isoTime(time: number): string {
  const known = cached.get(time)
  // @survives ConditionalExpression: The cache changes no text, only how often one is made: with each of these the text for each
  // time is still right, which is all that tests of results can ask. What the cache saves is time, and no test here measures that.
  if (known !== undefined) return known
  if (cached.size >= MOST_CACHED) cached.clear()
  const text = new Date(time).toISOString()
  cached.set(time, text)
  return text
}

/**
 * A time that SQS has stamped is in the past, whatever the local clock says: to a clock that is an hour slow, it would be in the
 * future.
 */
export function latestKnownTime(now: number, stamped: number | undefined): number {
  return Math.max(now, stamped ?? now)
}
