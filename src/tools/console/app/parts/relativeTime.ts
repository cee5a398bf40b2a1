const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const

/** `4 min`, `2 h`, `under 1 s`. Milliseconds. */
function shortDuration(milliseconds: number): string {
  const [unit, size] = UNITS.find(([, each]) => milliseconds >= each) ?? ['', 0]
  return size === 0 ? 'under 1 s' : `${Math.floor(milliseconds / size)} ${unit}`
}

/** `4 min ago`, `in 2 h`. Epoch milliseconds. */
export function relativeTime(time: number, now: number): string {
  return time > now ? `in ${shortDuration(time - now)}` : `${shortDuration(now - time)} ago`
}

/** As exact as a person reads it: `12 ms`, `1.25 s`, `4 min 3 s`. Milliseconds. */
export function durationOf(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`
  if (milliseconds < 60_000) return `${Number((milliseconds / 1_000).toFixed(2))} s`
  const unit = UNITS.findIndex(([, size]) => milliseconds >= size)
  const [big = '', size = 1] = UNITS[unit] ?? []
  const [small = '', least = 1] = UNITS[unit + 1] ?? []
  const rest = Math.floor((milliseconds % size) / least)
  return `${Math.floor(milliseconds / size)} ${big}${rest > 0 ? ` ${rest} ${small}` : ''}`
}
