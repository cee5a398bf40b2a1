import { formatDuration } from '../../../operator/text/humanTime.ts'

/** `1 dead letter`, `2 dead letters`. */
export function counted(number: number, one: string, many: string = `${one}s`): string {
  return `${number.toLocaleString('en')} ${number === 1 ? one : many}`
}

/** As exact as a person reads it: `12 ms`, `1.25 s`, `1 min 3 s`. Milliseconds. */
export function durationText(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`
  if (milliseconds < 60_000) return `${Number((milliseconds / 1_000).toFixed(2))} s`
  return formatDuration(milliseconds)
}

/** A probability as it is typed: 0.05 → 5. Without the noise of binary fractions. */
export function percentOf(probability: number | undefined): number {
  return Math.round((probability ?? 0) * 1_000) / 10
}

/** @returns from 0 to 1; what is no number is 0 */
export function probabilityOf(percent: number): number {
  return Number.isFinite(percent) ? Math.min(1, Math.max(0, percent / 100)) : 0
}

/** The value of a text that was typed, or why it is not JSON. */
export function parseJson(
  text: string,
): { readonly value: unknown } | { readonly because: string } {
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    return { because: error instanceof Error ? error.message : String(error) }
  }
}
