import type { WireItem } from '../../../../base/limits/wireValue.ts'
import { areEqual } from './values/compare.ts'
import { type Index, pick, sizeOf } from './schema.ts'
import type { Table } from './table.ts'

/** Capacity units that one request has consumed, by table. */
export type Meter = Map<string, number>

export function charge(meter: Meter, { name }: Table, units: number): void {
  meter.set(name, (meter.get(name) ?? 0) + units)
}

/** A unit for each 4 KB that is read consistently, half of it otherwise. */
export function readUnits(bytes: number, isConsistent: boolean): number {
  return Math.max(1, Math.ceil(bytes / 4_096)) * (isConsistent ? 1 : 0.5)
}

/** A unit for each KB of the larger of the item before and the item after. */
export function writeUnits(before: WireItem | undefined, after: WireItem | undefined): number {
  const bytes = [before, after].map((item) => (item === undefined ? 0 : sizeOf(item)))
  return Math.max(1, Math.ceil(Math.max(...bytes) / 1_024))
}

/** An entry of an index is written or deleted, or both when its key changes; if it stays as it is, it costs nothing. */
export function indexUnits(
  { key, holds }: Index,
  before: WireItem | undefined,
  after: WireItem | undefined,
): number {
  const [old, now] = [before, after].map((item) =>
    item !== undefined && pick(item, key) !== undefined ? heldBy(item, holds) : undefined,
  )
  if (old === undefined || now === undefined) return old === now ? 0 : writeUnits(old, now)
  if (areEqual({ M: old }, { M: now })) return 0
  const [one, other] = [pick(old, key), pick(now, key)]
  const isMoved = !areEqual({ M: one ?? {} }, { M: other ?? {} })
  return isMoved ? writeUnits(old, undefined) + writeUnits(undefined, now) : writeUnits(old, now)
}

/** The part of an item that an index has. */
export function heldBy(item: WireItem, holds: ReadonlySet<string> | undefined): WireItem {
  if (holds === undefined) return item
  return Object.fromEntries(Object.entries(item).filter(([name]) => holds.has(name)))
}
