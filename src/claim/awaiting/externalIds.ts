import type { Item } from '../../store/store.ts'

const FIELD = 'externalIds'
/** Bytes in one write unit of DynamoDB. */
const UNIT = 1_024
/** Bytes by which the item grows for each answer, and when the step is complete. */
const GROWTH = { answer: 34, end: 48 }
/** A number of this item, as DynamoDB stores it: at most 8 bytes. */
const NUMBER = '12345678'
/** By how many bytes the size below may be too large: numbers are often shorter. */
const ROUNDED_UP = 64

/**
 * The external ids in plain text, for operators: the names of the answers are hashes. They are left out where they would cost
 * another write unit, now or with the answers.
 */
export function externalIdsThatFit(
  item: Item,
  ids: readonly string[],
): Readonly<Record<string, string>> {
  const size = Object.entries(item).reduce(
    (sum, [name, value]) =>
      sum + Buffer.byteLength(name + (typeof value === 'string' ? value : NUMBER)),
    FIELD.length,
  )
  const units = Math.ceil((size - FIELD.length - ROUNDED_UP) / UNIT)
  const room = units * UNIT - size - GROWTH.answer * ids.length - GROWTH.end
  const text = JSON.stringify(ids)
  return Buffer.byteLength(text) > room ? {} : { [FIELD]: text }
}

/** @returns none for a step that was saved without them */
export function readExternalIds({ [FIELD]: text }: Item): readonly string[] {
  if (typeof text !== 'string') return []
  try {
    const ids: unknown = JSON.parse(text)
    return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : []
  } catch {
    return []
  }
}
