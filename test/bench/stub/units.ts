import type { Attribute, Item } from './item.ts'

/** A secondary index, as far as it costs: its entry holds the keys of table and index and what is projected. */
export interface Index {
  readonly key: readonly string[]
  readonly holds: readonly string[]
}

/**
 * Write units of one write on the table. A refused conditional write is charged like the write it attempted, by the
 * larger of the item that stands there and the one it would have written.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html
 */
export function writeUnits(before: Item | undefined, after: Item | undefined): number {
  return Math.max(1, Math.ceil(Math.max(bytesOf(before), bytesOf(after)) / 1_024))
}

/**
 * Write units on an index: one entry written or deleted, or both when its key changes; none when the entry stays as it is.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/GSI.html#GSI.ThroughputConsiderations.Writes
 */
export function indexUnits(
  { key, holds }: Index,
  before: Item | undefined,
  after: Item | undefined,
): number {
  const [old, now] = [before, after].map((item) => entryOf(item, key, holds))
  if (sameIn([...key, ...holds], old, now)) return 0
  if (sameIn(key, old, now)) return writeUnits(old, now)
  return [old, now].reduce((units, entry) => units + (entry ? writeUnits(entry, undefined) : 0), 0)
}

/** Half a unit for each 4 KB, a whole one when the read is consistent; what is not there costs as the smallest item. */
export function readUnits(item: Item | undefined, consistent: boolean): number {
  return Math.max(1, Math.ceil(bytesOf(item) / 4_096)) * (consistent ? 1 : 0.5)
}

/** https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html */
export function bytesOf(item: Item | undefined): number {
  let bytes = 0
  for (const name in item) {
    const value = item[name]
    if (value !== undefined) bytes += Buffer.byteLength(name) + valueBytes(value)
  }
  return bytes
}

function valueBytes({ S, N, B, SS, NS, BS, L, M }: Attribute): number {
  if (S !== undefined) return Buffer.byteLength(S)
  if (N !== undefined) return numberBytes(N)
  if (B !== undefined) return Buffer.byteLength(B, 'base64')
  if (SS !== undefined) return sum(SS, Buffer.byteLength)
  if (NS !== undefined) return sum(NS, numberBytes)
  if (BS !== undefined) return sum(BS, (one) => Buffer.byteLength(one, 'base64'))
  if (L !== undefined) return 3 + sum(L, (one) => 1 + valueBytes(one))
  if (M !== undefined) return 3 + Object.keys(M).length + bytesOf(M)
  return 1
}

/** A byte for two significant digits, one more, and one for the sign. */
function numberBytes(text: string): number {
  const digits = text
    .replace(/e.*$/i, '')
    .replace(/\D/g, '')
    .replace(/^0+|0+$/g, '')
  return Math.ceil(digits.length / 2) + 1 + (text.startsWith('-') ? 1 : 0)
}

function entryOf(
  item: Item | undefined,
  key: readonly string[],
  holds: readonly string[],
): Item | undefined {
  if (item === undefined || !key.every((name) => item[name] !== undefined)) return undefined
  return Object.fromEntries(
    Object.entries(item).filter(([name]) => key.includes(name) || holds.includes(name)),
  )
}

function sameIn(names: readonly string[], one: Item | undefined, other: Item | undefined): boolean {
  return names.every((name) => JSON.stringify(one?.[name]) === JSON.stringify(other?.[name]))
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0)
}
