import { type ItemAttributes, operationsOf } from './operation.ts'

/** An item by table name and key. */
export interface ItemAddress {
  readonly table: string
  readonly key: ItemAttributes
}

/** The names of a table's key attributes; undefined for an unknown table. */
export type KeyNames = (table: string) => readonly string[] | undefined

/**
 * The items that a request writes, or checks in a transaction: one entry for each action or statement, in their order,
 * undefined where the key cannot be read from the request.
 */
export function writtenItems(
  action: string,
  input: object,
  keyNames: KeyNames,
): readonly (ItemAddress | undefined)[] {
  if (action === 'GetItem' || action === 'BatchGetItem') return []
  return operationsOf(action, input).map(({ does, table, key, mixed }) => {
    if (!mixed) return { table, key }
    return does === 'reads' ? undefined : addressFrom(table, key, keyNames)
  })
}

/** The same text for the same item, whatever the order of its key attributes. */
export function itemId({ table, key }: ItemAddress): string {
  const names = Object.keys(key).toSorted()
  return JSON.stringify([table, ...names.map((name) => [name, key[name]])], bytesAsText)
}

export function addressFrom(
  table: string,
  attributes: ItemAttributes,
  keyNames: KeyNames,
): ItemAddress | undefined {
  const names = keyNames(table)
  if (names === undefined || !names.every((name) => Object.hasOwn(attributes, name))) return
  return {
    table,
    key: Object.fromEntries(names.map((name) => [name, attributes[name]])) as ItemAttributes,
  }
}

function bytesAsText(_: string, value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value
}

/** What a call does, in words, and what it is about. No value of an item but those of its key, and no body. */
export interface CallDescription {
  /** @example 'claims orders/o-1', 'effect reserve of orders/o-1: updates stock sku=apple', 'publishes to paid' */
  readonly words: string
  /** The table, or the first of several. */
  readonly table?: string
  /** The item's key; of Lineclear's items `CONSUMER/ID` or `FLOW/KEY`. @example 'sku=apple' */
  readonly key?: string
  /** The name of the effect (`write`) or the outside call (`call`) that it is part of. */
  readonly effect?: string
  /** The ids of the requests that it belongs to, as far as the call contains them. */
  readonly requests?: readonly string[]
  /** The queue or topic, by name. */
  readonly to?: string
  /** The ids of the requests that it sends, as far as they are stamped. */
  readonly sends?: readonly string[]
}

/** @param action such as `UpdateItem` */
export type DescribeCall = (action: string, input: object) => CallDescription
