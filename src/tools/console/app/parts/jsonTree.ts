/** Above it a value is folded until someone opens it, characters. Drawing it would stop the page. */
export const MOST_SHOWN = 256 * 1024
/** Children that are drawn at a time. */
export const MOST_CHILDREN = 100

/** A value that has parts, its parts by name; undefined: it has none. */
export function partsOf(
  value: unknown,
): readonly (readonly [name: string, value: unknown])[] | undefined {
  if (Array.isArray(value)) return value.map((each, at) => [String(at), each] as const)
  if (typeof value === 'object' && value !== null) return Object.entries(value)
  return undefined
}

/** What a folded value says of itself. */
export function summaryOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.length}]`
  if (typeof value === 'object' && value !== null) return `{${Object.keys(value).length}}`
  return JSON.stringify(value) ?? 'undefined'
}

/** Whether a value is small enough to be open at once. */
export function isSmall(value: unknown, most = 12): boolean {
  const parts = partsOf(value)
  return parts !== undefined && parts.length <= most
}
