import { createHash, randomUUID } from 'node:crypto'
import type { WireItem } from '../../../../library/base/limits/wireValue.ts'
import { LOCAL_REGION } from '../../description/description.ts'
import { compareTexts, idOf, orderOf, areEqual, ownAttribute } from './values/value.ts'
import {
  type Key,
  type KeyAttribute,
  pick,
  type Schema,
  keyTextOf,
  type Index,
  schemaOf,
  wireItemSize,
  type TableInput,
} from './schema.ts'
import { invalid, Refusal, requiredMember } from './values/refusal.ts'

export interface EngineTable {
  readonly name: string
  readonly schema: Schema
  readonly view: View
  /** The attribute by which items would expire. No item does. */
  timeToLive: string | undefined
  get(key: WireItem): WireItem | undefined
  /** An item, or none, takes the place of another with the same key, or of none. */
  replace(before: WireItem | undefined, after: WireItem | undefined): void
  /** @throws Refusal when there is no such index */
  index(name: string): { readonly index: Index; readonly view: View }
  describe(): Readonly<Record<string, unknown>>
}

export type Tables = Map<string, EngineTable>

/** @param name or ARN. @throws Refusal when there is none, with `detail` at the end of its message */
export function findTable(tables: Tables, name: string | undefined, detail = ''): EngineTable {
  const table = tables.get(tableNameIn(requiredMember(name, 'tableName')))
  if (table !== undefined) return table
  throw new Refusal('ResourceNotFoundException', `Requested resource not found${detail}`)
}

/** The table name in the name or ARN of a table or an index. */
export function tableNameIn(nameOrArn: string): string {
  return nameOrArn.startsWith('arn:') ? (nameOrArn.split('/')[1] ?? '') : nameOrArn
}

/** A different text for each key of all tables. */
export function identityOf({ name, schema }: EngineTable, key: WireItem): string {
  return `${name} ${keyTextOf(schema, key)}`
}

export function makeTable(input: TableInput): EngineTable {
  const schema = schemaOf(input)
  const items = new Map<string, WireItem>()
  const view = openView(schema)
  const indexes = schema.indexes.map((index) => ({ index, view: openView(schema, index.key) }))
  const views = [view, ...indexes.map((each) => each.view)]
  const made = { TableId: randomUUID(), CreationDateTime: Math.floor(Date.now() / 1_000) }
  return {
    name: input.TableName,
    schema,
    view,
    timeToLive: undefined,
    get: (key) => items.get(keyTextOf(schema, key)),
    replace(before, after) {
      if (after !== undefined) items.set(keyTextOf(schema, after), after)
      else if (before !== undefined) items.delete(keyTextOf(schema, before))
      for (const each of views) each.replace(before, after)
    },
    index(name) {
      const found = indexes.find(({ index }) => index.name === name)
      if (found !== undefined) return found
      throw invalid(`The table does not have the specified index: ${name}`)
    },
    describe: () => ({ ...described(input, items), ...made }),
  }
}

/** What CreateTable and DescribeTable answer. */
function described(input: TableInput, items: ReadonlyMap<string, WireItem>): object {
  const { ...given } = input as TableInput & Readonly<Record<string, unknown>>
  const arn = `arn:aws:dynamodb:${LOCAL_REGION}:000000000000:table/${input.TableName}`
  const ready = (index: object & { readonly IndexName: string }): object => ({
    ...index,
    IndexStatus: 'ACTIVE',
    IndexArn: `${arn}/index/${index.IndexName}`,
  })
  const { BillingMode = 'PROVISIONED', Tags: _, ...rest } = given
  return {
    ...rest,
    ...(input.GlobalSecondaryIndexes && {
      GlobalSecondaryIndexes: input.GlobalSecondaryIndexes.map(ready),
    }),
    TableArn: arn,
    TableStatus: 'ACTIVE',
    BillingModeSummary: { BillingMode },
    ItemCount: items.size,
    TableSizeBytes: [...items.values()].reduce((bytes, item) => bytes + wireItemSize(item), 0),
  }
}

/** Capacity units that one request has consumed, by table. */
export type Meter = Map<string, number>

export function charge(meter: Meter, { name }: EngineTable, units: number): void {
  meter.set(name, (meter.get(name) ?? 0) + units)
}

/** A unit for each 4 KB that is read consistently, half of it otherwise. */
export function readUnits(bytes: number, isConsistent: boolean): number {
  return Math.max(1, Math.ceil(bytes / 4_096)) * (isConsistent ? 1 : 0.5)
}

/** A unit for each KB of the larger of the item before and the item after. */
export function writeUnits(before: WireItem | undefined, after: WireItem | undefined): number {
  const bytes = [before, after].map((item) => (item === undefined ? 0 : wireItemSize(item)))
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

function openView(schema: Schema, key: Key = schema.key): View {
  const [hash, range] = key
  const partitions = new Map<string, Partition>()
  let sorted: readonly Partition[] | undefined

  function compare(one: WireItem, other: WireItem): number {
    const [left, right] = [one, other].map((item) => range && ownAttribute(item, range.name))
    const order = left && right && orderOf(left, right)
    return order || compareTexts(keyTextOf(schema, one), keyTextOf(schema, other))
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

export function idIn(item: WireItem, { name }: KeyAttribute): string {
  return idOf(ownAttribute(item, name) ?? {})
}

export function hashOf(id: string): string {
  return createHash('md5').update(id).digest('hex')
}

/** The first place whose item does not come before this one. */
function placeOf(
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
