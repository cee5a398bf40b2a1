export type EndName = 'for' | 'until' | 'noEnd'

/** How a pause can end. One without an end is forgotten. */
export const ENDS: readonly (readonly [EndName, string])[] = [
  ['for', 'after a time'],
  ['until', 'at a time'],
  ['noEnd', 'when it is resumed'],
]

/**
 * The end of a pause, as the change is given it.
 * @param time `1h`, or `2026-01-31T12:00Z`
 */
export function endFrom(
  end: EndName,
  time: string,
): { readonly [Name in EndName]?: string | true } | { readonly wrong: string } {
  const text = time.trim()
  if (end === 'noEnd') return { noEnd: true }
  if (end === 'for') {
    return /^[1-9]\d{0,6}(?:s|m|h|d)$/.test(text)
      ? { for: text }
      : { wrong: 'expected a time such as 30m, 2h or 1d' }
  }
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?Z$/.test(text) && !Number.isNaN(Date.parse(text))
    ? { until: text }
    : { wrong: 'expected a time in UTC such as 2026-01-31T12:00Z' }
}
