import * as DYNAMODB from '../../../../library/base/limits/dynamodb.ts'
import {
  itemBytes,
  textBytes,
  type WireItem,
  type WireValue,
} from '../../../../library/base/limits/wireValue.ts'
import { isObject } from '../../../../library/base/kindOf.ts'
import { idOf, ownAttribute, readItem, typeOf } from './values/value.ts'
import { breaksRule, invalid, invalidValue, requiredMember } from './values/refusal.ts'

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
  readonly BillingMode?: string
  readonly ProvisionedThroughput?: object
  readonly GlobalSecondaryIndexes?: readonly IndexInput[]
  readonly LocalSecondaryIndexes?: readonly IndexInput[]
}

/** An attribute of a key. */
export interface KeyAttribute {
  readonly name: string
  readonly type: string
}

/** The partition key, and perhaps a sort key. */
export type Key = readonly [hash: KeyAttribute, ...range: KeyAttribute[]]

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
  const definitions = requiredMember(input.AttributeDefinitions, 'attributeDefinitions')
  const types = new Map(definitions.map((each) => [each.AttributeName, each.AttributeType]))
  if (types.size < definitions.length) {
    throw invalidValue('Duplicate AttributeName in AttributeDefinitions')
  }
  checkThroughput(input)
  const key = keyOf(input, types)
  const indexOf = (index: IndexInput, isGlobal: boolean): Index => {
    const own = keyOf(index, types)
    const { ProjectionType, NonKeyAttributes = [] } = index.Projection ?? {}
    const names = [...key, ...own].map(({ name }) => name)
    checkProjection(index)
    const holds = ProjectionType === 'ALL' ? undefined : new Set([...names, ...NonKeyAttributes])
    return { name: index.IndexName, key: own, isGlobal, holds }
  }
  const { GlobalSecondaryIndexes = [], LocalSecondaryIndexes = [] } = input
  checkNames(input, [...GlobalSecondaryIndexes, ...LocalSecondaryIndexes])
  const indexes = [
    ...GlobalSecondaryIndexes.map((index) => indexOf(index, true)),
    ...LocalSecondaryIndexes.map((index) => indexOf(index, false)),
  ]
  const parts = [...key, ...indexes.flatMap((index) => index.key)]
  if (new Set(parts.map(({ name }) => name)).size === types.size) return { key, indexes }
  throw invalidValue(
    'Number of attributes in KeySchema does not exactly match number of attributes defined in AttributeDefinitions',
  )
}

/** https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.NamingRulesDataTypes.html */
function checkNames(input: TableInput, indexes: readonly IndexInput[]): void {
  const named = [input.TableName, ...indexes.map(({ IndexName }) => IndexName)]
  const wrong = named.find((name) => !/^[\w.-]{3,255}$/.test(name))
  if (wrong !== undefined) {
    throw breaksRule(
      `Value '${wrong}'`,
      'Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+, and have 3 to 255 characters',
    )
  }
  const twice = named.slice(1).find((name, at, all) => all.indexOf(name) < at)
  if (twice !== undefined) throw invalidValue(`Duplicate index name: ${twice}`)
  const long = input.AttributeDefinitions.find(({ AttributeName: name }) => textBytes(name) > 255)
  if (long === undefined) return
  throw breaksRule(
    `Value '${long.AttributeName}' at 'attributeDefinitions'`,
    'Member must have length less than or equal to 255',
  )
}

/** https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Projection.html */
function checkProjection({ IndexName, Projection }: IndexInput): void {
  const type = requiredMember(Projection?.ProjectionType, 'projection.projectionType')
  const { NonKeyAttributes: named } = Projection ?? {}
  if (type === 'INCLUDE' ? !named?.length : named !== undefined) {
    throw invalidValue(
      `ProjectionType is ${type}, and NonKeyAttributes does not fit it: ${IndexName}`,
    )
  }
  if (new Set(named).size < (named?.length ?? 0)) {
    throw invalidValue(`Duplicate attribute in NonKeyAttributes: ${IndexName}`)
  }
}

/** https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_CreateTable.html */
function checkThroughput({ BillingMode = 'PROVISIONED', ProvisionedThroughput }: TableInput): void {
  if ((BillingMode === 'PROVISIONED') === (ProvisionedThroughput !== undefined)) return
  throw invalidValue(
    ProvisionedThroughput === undefined
      ? 'ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED'
      : 'Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST',
  )
}

function keyOf(
  { KeySchema }: Pick<IndexInput, 'KeySchema'>,
  types: ReadonlyMap<string, string>,
): Key {
  const elements = requiredMember(KeySchema, 'keySchema')
  const [hash, range] = (['HASH', 'RANGE'] as const).map(
    (kind) => elements.find(({ KeyType }) => KeyType === kind)?.AttributeName,
  )
  const first = partOf(requiredMember(hash, 'keySchema'), types)
  return range === undefined ? [first] : [first, partOf(range, types)]
}

function partOf(name: string, types: ReadonlyMap<string, string>): KeyAttribute {
  const type = types.get(name)
  if (type !== undefined) return { name, type }
  throw invalidValue(
    `Some index key attributes are not defined in AttributeDefinitions. Keys: [${name}], AttributeDefinitions: [${[...types.keys()].join(', ')}]`,
  )
}

/** The key in a request. @throws Refusal */
export function readItemKey(schema: Schema, given: unknown): WireItem {
  const key = readItem(requiredMember(given, 'key'))
  const fits = schema.key.every(({ name, type }) => typeIn(key, name) === type)
  if (!fits || Object.keys(key).length !== schema.key.length) {
    throw invalid('The provided key element does not match the schema')
  }
  checkSizes(schema.key, key)
  return key
}

/** The new item in a request. @throws Refusal */
export function readNewItem(schema: Schema, given: unknown): WireItem {
  const item = readItem(requiredMember(given, 'item'))
  for (const { name, type } of schema.key) {
    const actual = typeIn(item, name)
    if (actual === undefined) throw invalidValue(`Missing the key ${name} in the item`)
    if (actual !== type) {
      throw invalidValue(`Type mismatch for key ${name} expected: ${type} actual: ${actual}`)
    }
  }
  checkSizes(schema.key, item)
  checkItemLimits(schema, item, 'Item size has exceeded the maximum allowed size')
  return item
}

/** What an item has to keep after an update, too: its size, and the types of the keys of indexes. */
export function checkItemLimits(schema: Schema, item: WireItem, tooLarge: string): void {
  if (wireItemSize(item) > DYNAMODB.itemBytes) throw invalid(tooLarge)
  for (const { name: index, key } of schema.indexes) {
    for (const { name, type } of key) {
      const actual = typeIn(item, name)
      if (actual === undefined) continue
      if (actual !== type) {
        throw invalidValue(
          `Type mismatch for Index Key ${name} Expected: ${type} Actual: ${actual} IndexName: ${index}`,
        )
      }
      const bytes = bytesIn(item, name)
      const most = name === key[0].name ? DYNAMODB.partitionKeyBytes : DYNAMODB.sortKeyBytes
      if (bytes > most) {
        throw invalidValue(
          `Size of a key of the index ${index} has exceeded the maximum size limit of ${most} bytes`,
        )
      }
      if (bytes > 0) continue
      throw invalid(
        `One or more parameter values are not valid. A value specified for a secondary index key is not supported. The AttributeValue for a key attribute cannot contain an empty ${KINDS[type]} value. IndexName: ${index}, IndexKey: ${name}`,
      )
    }
  }
}

const KINDS: Readonly<Record<string, string>> = { S: 'string', B: 'binary' }

function checkSizes(key: Key, item: WireItem): void {
  const [hash, range] = key
  for (const part of key) {
    const bytes = bytesIn(item, part.name)
    if (bytes === 0) throw emptyKey(part)
    if (part === hash && bytes > DYNAMODB.partitionKeyBytes) {
      throw invalidValue('Size of hashkey has exceeded the maximum size limit of2048 bytes')
    }
    if (part === range && bytes > DYNAMODB.sortKeyBytes) {
      throw invalidValue(
        'Aggregated size of all range keys has exceeded the size limit of 1024 bytes',
      )
    }
  }
}

function emptyKey({ name, type }: KeyAttribute): Error {
  return invalid(
    `One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty ${KINDS[type]} value. Key: ${name}`,
  )
}

/** In a transaction it is an error of the request, and no reason of one action. */
export function refuseEmptyKey({ key }: Schema, given: unknown): void {
  const empty = key.find(({ name }) => {
    const value = isObject(given) ? given[name] : undefined
    return isObject(value) && (value['S'] === '' || value['B'] === '')
  })
  if (empty !== undefined) throw emptyKey(empty)
}

function bytesIn(item: WireItem, name: string): number {
  const { S, B } = ownAttribute(item, name) ?? {}
  return S === undefined ? (B?.byteLength ?? 1) : textBytes(S)
}

function typeIn(item: WireItem, name: string): string | undefined {
  const value = ownAttribute(item, name)
  return value && typeOf(value)
}

/** These attributes of an item; undefined when it lacks one. */
export function pick(item: WireItem, key: Key): WireItem | undefined {
  const parts = key.map(({ name }) => [name, ownAttribute(item, name)] as const)
  if (parts.some(([, value]) => value === undefined)) return undefined
  return Object.fromEntries(parts) as Record<string, WireValue>
}

/** A different text for each key of a table. */
export function keyTextOf({ key }: Schema, item: WireItem): string {
  const [first = '', second = ''] = key.map(({ name }) => idOf(ownAttribute(item, name) ?? {}))
  return `${first.length}:${first}${second}`
}

const sizes = new WeakMap<WireItem, number>()

/** Bytes. No item is changed once it is made. */
export function wireItemSize(item: WireItem): number {
  const known = sizes.get(item) ?? itemBytes(item)
  sizes.set(item, known)
  return known
}
