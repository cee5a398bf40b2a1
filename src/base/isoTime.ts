const recent = new Map<number, string>()
const MOST = 16

/**
 * A time as ISO 8601 in UTC. Recent texts are cached: the records of one batch share their times, and formatting a time costs
 * more than deciding a claim.
 */
export function isoTime(time: number): string {
  const known = recent.get(time)
  if (known !== undefined) return known
  if (recent.size >= MOST) recent.clear()
  const text = new Date(time).toISOString()
  recent.set(time, text)
  return text
}
