const MAX_LENGTH = 160
const READ_LENGTH = 2_000

type Replacement = readonly [pattern: RegExp, shape: (found: string) => string]

const REPLACEMENTS: readonly Replacement[] = [
  [/[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/gi, () => '<id>'],
  [/[\w.+-]{1,64}@[\w-]{1,64}\.[\w.-]{1,64}/g, () => '<address>'],
  // Hashes, ULIDs and receipt handles are long and contain digits. A long word without a digit stays.
  [/[\w+/=-]{16,}/g, (found) => (/\d/.test(found) ? '<id>' : found)],
  [/\d+(?:\.\d+)?/g, () => '<n>'],
  [/[\s\p{Cc}]+/gu, () => ' '],
]

/** An error text without what differs between dead letters: ids, addresses, numbers. At most 160 characters. */
export function errorShape(error: string): string {
  const shape = REPLACEMENTS.reduce(
    (text, [pattern, shapeOf]) => text.replace(pattern, shapeOf),
    error.slice(0, READ_LENGTH),
  )
  return shape.slice(0, MAX_LENGTH).trim()
}
