/** What was probably meant: one that has the word in it or begins as it does, else one with at most two other letters. */
export function nearest(typed: string, known: readonly string[]): string | undefined {
  const inside = known.filter((each) => typed.length > 3 && each.includes(typed.replace(/^--/, '')))
  if (inside.length === 1) return inside[0]
  const [best] = known
    .map((each) => ({ each, distance: distanceOf(typed, each) }))
    .toSorted((one, other) => one.distance - other.distance)
  return best !== undefined && best.distance <= Math.min(2, typed.length / 2)
    ? best.each
    : undefined
}

function distanceOf(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let line = 0; line < one.length; line += 1) {
    const next = [line + 1]
    for (let at = 0; at < other.length; at += 1) {
      const replaced = (row[at] ?? 0) + (one[line] === other[at] ? 0 : 1)
      next.push(Math.min(replaced, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1))
    }
    row = next
  }
  return row[other.length] ?? 0
}
