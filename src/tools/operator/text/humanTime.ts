const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const

/** `3 min`, `2 days`, `less than 1 s`. Milliseconds. */
export function formatDuration(milliseconds: number): string {
  const [unit, size] = UNITS.find(([, each]) => milliseconds >= each) ?? ['s', 0]
  if (size === 0) return 'less than 1 s'
  const many = Math.floor(milliseconds / size)
  return `${many} ${(unit === 'day' || unit === 'hour') && many > 1 ? `${unit}s` : unit}`
}

/** `3 min ago`, `in 2 hours`. Epoch milliseconds. */
export function formatRelative(time: number, now: number): string {
  return time > now ? `in ${formatDuration(time - now)}` : `${formatDuration(now - time)} ago`
}

/** ISO time and distance from now. Epoch milliseconds. */
export function formatTime(time: number, now: number): string {
  return `${new Date(time).toISOString()} (${formatRelative(time, now)})`
}
