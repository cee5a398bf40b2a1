const recent = new Map<number, string>()
const MOST = 16

/** ISO 8601 in UTC. Records of one chunk share their times, and making the text costs more than deciding the claim. */
export function isoTime(time: number): string {
  const known = recent.get(time)
  if (known !== undefined) return known
  if (recent.size >= MOST) recent.clear()
  const text = new Date(time).toISOString()
  recent.set(time, text)
  return text
}
