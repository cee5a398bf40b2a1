/** `1 dead letter`, `2 dead letters`. */
export function counted(number: number, one: string, many: string = `${one}s`): string {
  return `${number.toLocaleString('en')} ${number === 1 ? one : many}`
}

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

/** `0.4 s ago`, `in 2.0 s`, `3 min ago`. Epoch milliseconds. */
export function ago(time: number, now: number): string {
  const apart = Math.abs(time - now)
  if (apart >= 10_000) return relativeTime(time, now)
  const seconds = `${(apart / 1_000).toFixed(1)} s`
  return time > now ? `in ${seconds}` : `${seconds} ago`
}

/** A probability as it is typed: 0.05 → 5. Without the noise of binary fractions. */
export function percentOf(probability: number | undefined): number {
  return Math.round((probability ?? 0) * 1_000) / 10
}

/** @returns from 0 to 1; what is no number is 0 */
export function probabilityOf(percent: number): number {
  return Number.isFinite(percent) ? Math.min(1, Math.max(0, percent / 100)) : 0
}

/** A foreign id as the name of a file: without paths, hidden names and characters that a file system or a person misreads. */
export function fileName(id: string): string {
  const plain = id.replaceAll(/[^\w-]+/g, '-').replaceAll(/^-+|-+$/g, '')
  return `${plain.slice(0, 80) || 'request'}.json`
}
