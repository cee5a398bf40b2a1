import * as DYNAMODB from '../../../../base/limits/dynamodb.ts'
import {
  itemBytes,
  textBytes,
  type WireItem,
  type WireValue,
} from '../../../../base/limits/wireValue.ts'
import { idOf, attributeOf, readItem, typeOf } from './values/value.ts'
import { invalid, invalidValue, required } from './values/refusal.ts'

interface KeyElement {
  readonly AttributeName: string
  readonly KeyType: 'HASH' | 'RANGE'
}
interface IndexInput {
  readonly IndexName: string
  readonly KeySchema: readonly KeyElement[]
  readonly Projection?: {
    readonly ProjectionType?: string
    readonly NonKeyAttributes?: readonly string[]
  }
}

/** The input of CreateTable, as far as it is read. */
export interface TableInput {
  readonly TableName: string
  readonly KeySchema: readonly KeyElement[]
  readonly AttributeDefinitions: readonly {
    readonly AttributeName: string
    readonly AttributeType: string
  }[]
  readonly GlobalSecondaryIndexes?: readonly IndexInput[]
  readonly LocalSecondaryIndexes?: readonly IndexInput[]
}

/** An attribute of a key. */
export interface KeyPart {
  readonly name: string
  readonly type: string
}

/** The partition key, and perhaps a sort key. */
export type Key = readonly [hash: KeyPart, range?: KeyPart]

export interface Index {
  readonly name: string
  readonly key: Key
  readonly isGlobal: boolean
  /** undefined: all attributes. */
  readonly holds: ReadonlySet<string> | undefined
}

export interface Schema {
  readonly key: Key
  readonly indexes: readonly Index[]
}

export function schemaOf(input: TableInput): Schema {
  const types = new Map(
    required(input.AttributeDefinitions, 'attributeDefinitions').map((each) => [
      each.AttributeName,
      each.AttributeType,
    ]),
  )
  const used = new Set<string>()
  const keyOf = (elements: readonly KeyElement[]): Key => {
    const [hash, range] = (['HASH', 'RANGE'] as const).map((kind) =>
      elements.find(({ KeyType }) => KeyType === kind),
    )
    const parts = [required(hash, 'keySchema'), ...(range ? [range] : [])].map((element) => {
      const { AttributeName: name } = element
      used.add(name)
      const type = types.get(name)
      if (type !== undefined) return { name, type }
      throw invalidValue(
        `Some index key attributes are not defined in AttributeDefinitions. Keys: [${name}], AttributeDefinitions: [${[...types.keys()].join(', ')}]`,
      )
    })
    return parts as unknown as Key
  }
  const key = keyOf(required(input.KeySchema, 'keySchema'))
  const indexOf = (index: IndexInput, isGlobal: boolean): Index => {
    const own = keyOf(required(index.KeySchema, 'keySchema'))
    const { ProjectionType = 'ALL', NonKeyAttributes = [] } = index.Projection ?? {}
    const names = [...key, ...own].flatMap((part) => part?.name ?? [])
    const holds = ProjectionType === 'ALL' ? undefined : new Set([...names, ...NonKeyAttributes])
    return { name: index.IndexName, key: own, isGlobal, holds }
  }
  const { GlobalSecondaryIndexes = [], LocalSecondaryIndexes = [] } = input
  const indexes = [
    ...GlobalSecondaryIndexes.map((index) => indexOf(index, true)),
    ...LocalSecondaryIndexes.map((index) => indexOf(index, false)),
  ]
  if (used.size === types.size) return { key, indexes }
  throw invalidValue(
    'Number of attributes in KeySchema does not exactly match number of attributes defined in AttributeDefinitions',
  )
}

/** The key in a request. @throws Refusal */
export function readKey(schema: Schema, given: unknown): WireItem {
  const key = readItem(required(given, 'key'))
  const parts = partsOf(schema.key)
  const fits = parts.every(({ name, type }) => typeIn(key, name) === type)
  if (!fits || Object.keys(key).length !== parts.length) {
    throw invalid('The provided key element does not match the schema')
  }
  checkSizes(schema.key, key)
  return key
}

/** The new item in a request. @throws Refusal */
export function readNewItem(schema: Schema, given: unknown): WireItem {
  const item = readItem(required(given, 'item'))
  for (const { name, type } of partsOf(schema.key)) {
    const actual = typeIn(item, name)
    if (actual === undefined) throw invalidValue(`Missing the key ${name} in the item`)
    if (actual !== type) {
      throw invalidValue(`Type mismatch for key ${name} expected: ${type} actual: ${actual}`)
    }
  }
  checkSizes(schema.key, item)
  checkItem(schema, item, 'Item size has exceeded the maximum allowed size')
  return item
}

/** What an item has to keep after an update, too: its size, and the types of the keys of indexes. */
export function checkItem(schema: Schema, item: WireItem, tooLarge: string): void {
  if (sizeOf(item) > DYNAMODB.itemBytes) throw invalid(tooLarge)
  for (const { name: index, key } of schema.indexes) {
    for (const { name, type } of partsOf(key)) {
      const actual = typeIn(item, name)
      if (actual === undefined) continue
      if (actual !== type) {
        throw invalidValue(
          `Type mismatch for Index Key ${name} Expected: ${type} Actual: ${actual} IndexName: ${index}`,
        )
      }
      if (bytesIn(item, name) > 0) continue
      throw invalid(
        `One or more parameter values are not valid. A value specified for a secondary index key is not supported. The AttributeValue for a key attribute cannot contain an empty ${KINDS[type]} value. IndexName: ${index}, IndexKey: ${name}`,
      )
    }
  }
}

const KINDS: Readonly<Record<string, string>> = { S: 'string', B: 'binary' }

function checkSizes(key: Key, item: WireItem): void {
  const [hash, range] = key
  for (const part of partsOf(key)) {
    const bytes = bytesIn(item, part.name)
    if (bytes === 0) {
      throw invalid(
        `One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty ${KINDS[part.type]} value. Key: ${part.name}`,
      )
    }
    if (part === hash && bytes > DYNAMODB.partitionKeyBytes) {
      throw invalidValue(`Size of hashkey has exceeded the maximum size limit of2048 bytes`)
    }
    if (part === range && bytes > DYNAMODB.sortKeyBytes) {
      throw invalidValue(
        `Aggregated size of all range keys has exceeded the size limit of 1024 bytes`,
      )
    }
  }
}

function bytesIn(item: WireItem, name: string): number {
  const { S, B } = attributeOf(item, name) ?? {}
  return S === undefined ? (B?.byteLength ?? 1) : textBytes(S)
}

function typeIn(item: WireItem, name: string): string | undefined {
  const value = attributeOf(item, name)
  return value && typeOf(value)
}

export function partsOf([hash, range]: Key): readonly KeyPart[] {
  return range === undefined ? [hash] : [hash, range]
}

/** These attributes of an item; undefined when it lacks one. */
export function pick(item: WireItem, key: Key): WireItem | undefined {
  const parts = partsOf(key).map(({ name }) => [name, attributeOf(item, name)] as const)
  if (parts.some(([, value]) => value === undefined)) return undefined
  return Object.fromEntries(parts) as Record<string, WireValue>
}

/** A different text for each key of a table. */
export function addressOf({ key: [hash, range] }: Schema, item: WireItem): string {
  const [first, second] = [hash, range].map(
    (part) => part && idOf(attributeOf(item, part.name) ?? {}),
  )
  return `${first?.length}:${first}${second ?? ''}`
}

const sizes = new WeakMap<WireItem, number>()

/** Bytes. No item is changed once it is made. */
export function sizeOf(item: WireItem): number {
  const known = sizes.get(item) ?? itemBytes(item)
  sizes.set(item, known)
  return known
}
