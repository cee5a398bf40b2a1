import type { Change } from './change.ts'
import type { Scope, Test } from './condition.ts'
import type { Item } from './item.ts'
import { type Index, indexUnits, readUnits, writeUnits } from './units.ts'

/** What is charged, and what a run is judged by. */
export interface Units {
  write: number
  read: number
}

export interface Table {
  readonly key: readonly string[]
  readonly index: Index | undefined
  readonly items: Map<string, Item>
}

/** Applied, with what stands there now; or refused, with what stood in the way. */
export type Written =
  | { readonly kind: 'applied'; readonly item: Item }
  | { readonly kind: 'refused'; readonly item: Item | undefined }

export function makeTable(key: readonly string[], index?: Index): Table {
  return { key, index, items: new Map() }
}

export function addressOf({ key }: Table, item: Item): string {
  return JSON.stringify(key.map((name) => item[name]?.S))
}

export function keyOf({ key }: Table, item: Item): Item {
  return Object.fromEntries(Object.entries(item).filter(([name]) => key.includes(name)))
}

/** A conditional write that has not been made yet. */
export interface Intent {
  readonly table: Table
  readonly address: string
  readonly before: Item | undefined
  readonly after: Item | undefined
  readonly holds: boolean
}

export function intentOf(
  table: Table,
  key: Item,
  { test, change }: { readonly test: Test; readonly change: Change },
  scope: Omit<Scope, 'item'>,
): Intent {
  const address = addressOf(table, key)
  const before = table.items.get(address)
  const changed = change({ ...scope, item: before })
  const after = changed && { ...key, ...changed }
  return { table, address, before, after, holds: test({ ...scope, item: before }) }
}

/** The index is charged once, in a transaction too: its entries follow after the commit. */
export function make({ table, address, before, after }: Intent, units: Units): void {
  if (table.index !== undefined) units.write += indexUnits(table.index, before, after)
  if (after === undefined) table.items.delete(address)
  else table.items.set(address, after)
}

/** Charged whether it takes place or not. */
export function write(
  table: Table,
  key: Item,
  action: { readonly test: Test; readonly change: Change },
  scope: Omit<Scope, 'item'>,
  units: Units,
): Written {
  const intent = intentOf(table, key, action, scope)
  units.write += writeUnits(intent.before, intent.after)
  if (!intent.holds) return { kind: 'refused', item: intent.before }
  make(intent, units)
  return { kind: 'applied', item: intent.after ?? {} }
}

export function read(table: Table, key: Item, consistent: boolean, units: Units): Item | undefined {
  const item = table.items.get(addressOf(table, key))
  units.read += readUnits(item, consistent)
  return item
}

export type Tables = ReadonlyMap<string, Table>

export function tableOf(tables: Tables, name: string | undefined): Table {
  return tables.get(name ?? '') ?? missing(`a table ${name}`)
}

/** The stub reads what the peers send and no more. */
export function missing(what: string): never {
  throw new Error(`the stub expected ${what}`)
}
