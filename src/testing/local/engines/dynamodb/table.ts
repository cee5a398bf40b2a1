import { randomUUID } from 'node:crypto'
import type { WireItem } from '../../../../base/limits/wireValue.ts'
import { REGION } from '../../description/arn.ts'
import { invalid, Refusal, required } from './values/refusal.ts'
import { addressOf, type Index, type Schema, schemaOf, sizeOf, type TableInput } from './schema.ts'
import { openView, type View } from './view.ts'

export interface Table {
  readonly name: string
  readonly schema: Schema
  readonly items: ReadonlyMap<string, WireItem>
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

export type Tables = Map<string, Table>

/** @param name or ARN. @throws Refusal when there is none */
export function tableOf(tables: Tables, name: string | undefined): Table {
  const table = tables.get(nameIn(required(name, 'tableName')))
  if (table !== undefined) return table
  throw new Refusal('ResourceNotFoundException', 'Requested resource not found')
}

export function nameIn(nameOrArn: string): string {
  return nameOrArn.startsWith('arn:') ? (nameOrArn.split('/')[1] ?? '') : nameOrArn
}

/** A different text for each key of all tables. */
export function identityOf({ name, schema }: Table, key: WireItem): string {
  return `${name} ${addressOf(schema, key)}`
}

export function makeTable(input: TableInput): Table {
  const schema = schemaOf(input)
  const items = new Map<string, WireItem>()
  const view = openView(schema)
  const indexes = schema.indexes.map((index) => ({ index, view: openView(schema, index.key) }))
  const views = [view, ...indexes.map((each) => each.view)]
  const made = { TableId: randomUUID(), CreationDateTime: Math.floor(Date.now() / 1_000) }
  return {
    name: input.TableName,
    schema,
    items,
    view,
    timeToLive: undefined,
    get: (key) => items.get(addressOf(schema, key)),
    replace(before, after) {
      if (after !== undefined) items.set(addressOf(schema, after), after)
      else if (before !== undefined) items.delete(addressOf(schema, before))
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
  const arn = `arn:aws:dynamodb:${REGION}:000000000000:table/${input.TableName}`
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
    TableSizeBytes: [...items.values()].reduce((bytes, item) => bytes + sizeOf(item), 0),
  }
}
