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
