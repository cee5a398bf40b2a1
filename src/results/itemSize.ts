import type { Item, Value } from '../store/store.ts'

/** Bytes, as DynamoDB counts an item (developer guide, "DynamoDB item sizes and formats"): names and values in UTF-8. */
export function itemSize(item: Item): number {
  return Object.entries(item).reduce(
    (sum, [name, value]) => sum + Buffer.byteLength(name) + valueSize(value),
    0,
  )
}

/** A number takes at most 21 bytes, whatever its digits. */
const NUMBER_BYTES = 21

function valueSize(value: Value): number {
  switch (typeof value) {
    case 'string':
      return Buffer.byteLength(value)
    case 'number':
      return NUMBER_BYTES
    case 'boolean':
      return 1
    case 'object':
      return 3 + [...value].reduce((sum, member) => sum + 1 + Buffer.byteLength(member), 0)
  }
}
