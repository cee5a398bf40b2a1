import { relativeTime } from '../parts/relativeTime.ts'

/** `0.4 s ago`, `in 2.0 s`, `3 min ago`. Epoch milliseconds. */
export function ago(time: number, now: number): string {
  const apart = Math.abs(time - now)
  if (apart >= 10_000) return relativeTime(time, now)
  const seconds = `${(apart / 1_000).toFixed(1)} s`
  return time > now ? `in ${seconds}` : `${seconds} ago`
}
