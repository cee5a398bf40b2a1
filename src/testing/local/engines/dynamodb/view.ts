import { createHash } from 'node:crypto'
import type { WireItem } from '../../../../base/limits/wireValue.ts'
import { idOf, orderOf } from './values/compare.ts'
import { compareAddresses, type Key, type KeyPart, pick, type Schema } from './schema.ts'
import { attributeOf } from './values/value.ts'

/** The items of a table or of an index, by partition, sorted. An index has only items with its key. */
export interface View {
  readonly key: Key
  replace(before: WireItem | undefined, after: WireItem | undefined): void
  partition(id: string): readonly WireItem[]
  /** In the order of a scan: one on which no program can rely, as in DynamoDB. */
  partitions(): readonly Partition[]
  compare(one: WireItem, other: WireItem): number
}

interface Partition {
  /** Hexadecimal digits, the same number for all. */
  readonly hash: string
  readonly items: WireItem[]
}

export function openView(schema: Schema, key: Key = schema.key): View {
  const [hash, range] = key
  const partitions = new Map<string, Partition>()
  let sorted: readonly Partition[] | undefined

  function compare(one: WireItem, other: WireItem): number {
    const [left, right] = [one, other].map((item) => range && attributeOf(item, range.name))
    return (left && right && orderOf(left, right)) || compareAddresses(schema, one, other)
  }

  function partitionOf(item: WireItem): Partition {
    const id = idIn(item, hash)
    const known = partitions.get(id)
    if (known !== undefined) return known
    const made = { hash: hashOf(id), items: [] }
    partitions.set(id, made)
    sorted = undefined
    return made
  }

  function remove(item: WireItem): void {
    const { items } = partitionOf(item)
    items.splice(placeOf(items, item, compare), 1)
    if (items.length > 0) return
    partitions.delete(idIn(item, hash))
    sorted = undefined
  }

  function insert(item: WireItem): void {
    const { items } = partitionOf(item)
    items.splice(placeOf(items, item, compare), 0, item)
  }

  return {
    key,
    replace(before, after) {
      if (before !== undefined && pick(before, key) !== undefined) remove(before)
      if (after !== undefined && pick(after, key) !== undefined) insert(after)
    },
    partition: (id) => partitions.get(id)?.items ?? [],
    partitions: () =>
      (sorted ??= [...partitions.values()].toSorted((one, other) =>
        one.hash < other.hash ? -1 : 1,
      )),
    compare,
  }
}

export function idIn(item: WireItem, { name }: KeyPart): string {
  return idOf(attributeOf(item, name) ?? {})
}

export function hashOf(id: string): string {
  return createHash('md5').update(id).digest('hex')
}

/** The first place whose item does not come before this one. */
export function placeOf(
  items: readonly WireItem[],
  item: WireItem,
  compare: (one: WireItem, other: WireItem) => number,
): number {
  let [low, high] = [0, items.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compare(items[middle] ?? {}, item) < 0) low = middle + 1
    else high = middle
  }
  return low
}
