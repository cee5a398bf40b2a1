import type { AttributeValue } from '@aws-sdk/client-dynamodb'

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

export interface PartiQlStatement {
  readonly Statement?: string | undefined
  readonly Parameters?: readonly AttributeValue[] | undefined
}

/** The parts of a PartiQL statement that identify its item. */
interface ParsedStatement {
  readonly verb: string
  readonly table: string
  /** Attributes that equal a parameter, in the new item or in the conditions. */
  readonly equal: ReadonlyMap<string, AttributeValue>
  /** Of an UPDATE: attributes that are set to a parameter, sets to which one is added, and attributes that are removed. */
  readonly set: ReadonlyMap<string, AttributeValue>
  readonly added: ReadonlyMap<string, AttributeValue>
  readonly removed: ReadonlySet<string>
}

const TOKEN = /"((?:[^"]|"")*)"|'((?:[^']|'')*)'|[?]|[A-Za-z_][\w]*|[^\s]/gu

/** Reads parameters only; a key that is a literal in the text is not recognised. */
export function readStatement({
  Statement = '',
  Parameters = [],
}: PartiQlStatement): ParsedStatement {
  const tokens = [...Statement.matchAll(TOKEN)]
  const words = tokens.map(([token]) => token)
  const verb = (words[0] ?? '').toUpperCase()
  const isInsert = verb === 'INSERT'
  const begins = isInsert ? 0 : words.findIndex((word) => word.toUpperCase() === 'WHERE')
  const [equal, set, added] = [newValues(), newValues(), newValues()]
  let parameter = 0
  for (const [at, word] of words.entries()) {
    if (word !== '?') continue
    const value = Parameters[parameter++]
    const name = nameIn(tokens[at - 2])
    if (value === undefined || begins < 0) continue
    if (at < begins) {
      if (words[at - 1] === '=') set.set(name, value)
      if (words[at - 1] === ',') added.set(name, value)
      continue
    }
    if (words[at - 1] === (isInsert ? ':' : '=') && !equal.has(name)) equal.set(name, value)
  }
  const tableAt = verb === 'UPDATE' ? 1 : words.findIndex((word) => /^(INTO|FROM)$/i.test(word)) + 1
  const removed = new Set(removedNames(tokens.slice(0, Math.max(begins, 0))))
  return { verb, table: nameIn(tokens[tableAt]), equal, set, added, removed }
}

function newValues(): Map<string, AttributeValue> {
  return new Map()
}

/** `REMOVE "a" REMOVE "b"`, or `REMOVE "a", "b"`. */
function removedNames(tokens: readonly RegExpExecArray[]): readonly string[] {
  const first = tokens.findIndex(([word]) => word === 'REMOVE')
  if (first < 0) return []
  return tokens.slice(first).flatMap((token) => token[1] ?? [])
}

function nameIn(token: RegExpExecArray | undefined): string {
  return token?.[1] ?? token?.[2] ?? token?.[0] ?? ''
}

/** What a call does, in words, and what it is about. No value of an item but those of its key, and no body. */
export interface CallDescription {
  /** @example 'claims orders/o-1', 'effect reserve of orders/o-1: updates stock sku=apple', 'publishes to paid' */
  readonly words: string
  /** The table, or the first of several. */
  readonly table?: string
  /** The item's key; of Lineclear's items `CONSUMER/ID` or `FLOW/KEY`. @example 'sku=apple' */
  readonly key?: string
  /** The name of the effect (`applyOnce`) or the outside call (`once`) that it is part of. */
  readonly effect?: string
  /** The ids of the requests that it belongs to, where the call itself tells. */
  readonly requests?: readonly string[]
  /** The queue or topic, by name. */
  readonly to?: string
  /** The ids of the requests that it sends, as far as they are stamped. */
  readonly sends?: readonly string[]
}

/** @param action such as `UpdateItem` */
export type DescribeCall = (action: string, input: object) => CallDescription
