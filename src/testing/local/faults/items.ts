import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { readStatement, type PartiQlStatement } from './partiQl.ts'

type Attributes = Readonly<Record<string, AttributeValue>>

/** An item by table name and key. */
export interface ItemAddress {
  readonly table: string
  readonly key: Attributes
}

/** The names of a table's key attributes; undefined for an unknown table. */
export type KeyNames = (table: string) => readonly string[] | undefined

interface Written {
  readonly TableName?: string
  readonly Key?: Attributes
  readonly Item?: Attributes
}
interface Input extends Written {
  readonly TransactItems?: readonly Readonly<Record<string, Written | undefined>>[]
  readonly Statements?: readonly PartiQlStatement[]
  readonly RequestItems?: Readonly<
    Record<string, readonly { readonly PutRequest?: Written; readonly DeleteRequest?: Written }[]>
  >
}

/**
 * The items that a request writes, or checks in a transaction: one entry for each action or statement, in their order,
 * undefined where the key cannot be read from the request.
 */
export function writtenItems(
  action: string,
  input: Input,
  keyNames: KeyNames,
): readonly (ItemAddress | undefined)[] {
  switch (action) {
    case 'PutItem':
    case 'UpdateItem':
    case 'DeleteItem':
      return [addressOf(input, keyNames)]
    case 'TransactWriteItems':
    case 'TransactGetItems':
      return (input.TransactItems ?? []).map((item) => {
        const [written = {}] = Object.values(item)
        return addressOf(written, keyNames)
      })
    case 'ExecuteStatement':
      return [ofStatement(input as PartiQlStatement, keyNames)]
    case 'BatchExecuteStatement':
      return (input.Statements ?? []).map((statement) => ofStatement(statement, keyNames))
    case 'BatchWriteItem':
      return Object.entries(input.RequestItems ?? {}).flatMap(([TableName, requests]) =>
        requests.map(({ PutRequest, DeleteRequest }) =>
          addressOf({ TableName, ...PutRequest, ...DeleteRequest }, keyNames),
        ),
      )
    default:
      return []
  }
}

/** The table name in the name or ARN of a table or an index. */
export function tableNameIn(name: string): string {
  return /^arn:[^/]*:table\/([^/]+)/.exec(name)?.[1] ?? name
}

/** The same text for the same item, whatever the order of its key attributes. */
export function itemId({ table, key }: ItemAddress): string {
  const names = Object.keys(key).toSorted()
  return JSON.stringify([table, ...names.map((name) => [name, key[name]])], bytesAsText)
}

export function addressFrom(
  table: string,
  attributes: Attributes,
  keyNames: KeyNames,
): ItemAddress | undefined {
  const names = keyNames(table)
  if (names === undefined || !names.every((name) => Object.hasOwn(attributes, name))) return
  return {
    table,
    key: Object.fromEntries(names.map((name) => [name, attributes[name]])) as Attributes,
  }
}

function addressOf({ TableName = '', Key, Item }: Written, keyNames: KeyNames) {
  const table = tableNameIn(TableName)
  if (Key !== undefined) return { table, key: Key }
  return Item && addressFrom(table, Item, keyNames)
}

function ofStatement(statement: PartiQlStatement, keyNames: KeyNames): ItemAddress | undefined {
  const { verb, table, equal } = readStatement(statement)
  return verb === 'SELECT'
    ? undefined
    : addressFrom(tableNameIn(table), Object.fromEntries(equal), keyNames)
}

function bytesAsText(_: string, value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value
}
