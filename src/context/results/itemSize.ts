import type { Item, Value } from '../../store/store.ts'

/** Bytes, as DynamoDB counts an item (developer guide, "DynamoDB item sizes and formats"): names and values in UTF-8. */
export function itemSize(item: Item): number {
  return Object.entries(item).reduce(
    (sum, [name, value]) => sum + Buffer.byteLength(name) + valueSize(value),
    0,
  )
}

/** A number takes at most 21 bytes, however many digits it has. */
const NUMBER_BYTES = 21

function valueSize(value: Value): number {
  if (typeof value === 'string') return Buffer.byteLength(value)
  if (typeof value === 'number') return NUMBER_BYTES
  if (typeof value === 'boolean') return 1
  return 3 + [...value].reduce((sum, member) => sum + 1 + Buffer.byteLength(member), 0)
}
