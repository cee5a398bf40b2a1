/** Parts of the time that a drawing of a line of text's height can show. */
const PARTS = 24

/**
 * How many of the times are in each of 24 equal parts of the time from the first to the last.
 * @param times epoch milliseconds
 */
export function arrivalsOf(times: readonly number[]): readonly number[] {
  const parts = Array.from({ length: PARTS }, () => 0)
  const first = times.reduce((one, other) => Math.min(one, other), Infinity)
  const last = times.reduce((one, other) => Math.max(one, other), -Infinity)
  for (const time of times) {
    const part = last === first ? 0 : Math.floor(((time - first) / (last - first)) * PARTS)
    const at = Math.min(part, PARTS - 1)
    parts[at] = (parts[at] ?? 0) + 1
  }
  return parts
}
