import * as DYNAMODB from './dynamodb.ts'
import {
  textBytes,
  valueBytes,
  type WireItem,
  type WireValue,
  wrongItem,
  wrongName,
  wrongValue,
  wrongText,
  firstWrong,
} from './wireValue.ts'

/** A single write or read, or one action of a transaction, in the form of the API. */
export interface WireAction {
  readonly Key?: WireItem | undefined
  readonly Item?: WireItem | undefined
  readonly ConditionExpression?: string | undefined
  readonly UpdateExpression?: string | undefined
  readonly ProjectionExpression?: string | undefined
  readonly FilterExpression?: string | undefined
  readonly KeyConditionExpression?: string | undefined
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>> | undefined
  readonly ExpressionAttributeValues?: WireItem | undefined
}

/**
 * What DynamoDB refuses with a ValidationException before it looks at the item, as a text that never shows a value. Undefined:
 * DynamoDB accepts the action, or refuses it only because of what is in the table.
 * @param table the keys of the table, if they are known
 */
export function wrongAction(action: WireAction, table?: TableKeys): string | undefined {
  return (
    wrongKeys(action, table) ??
    (action.Item && wrongItem(action.Item)) ??
    wrongValues(action) ??
    wrongExpressions(action)
  )
}

function wrongKeys({ Key, Item }: WireAction, table: TableKeys | undefined): string | undefined {
  if (table === undefined) return Key && wrongKeyOfAnyTable(Key)
  const names = table.key.map(({ name }) => name)
  const inItem = Item && pick(Item, names)
  const given = Key ?? inItem
  const wrong = given && wrongKey(table, given)
  return wrong ?? (Item && wrongIndexKeys(table, Item))
}

function pick(item: WireItem, names: readonly string[]): WireItem {
  return Object.fromEntries(Object.entries(item).filter(([name]) => names.includes(name)))
}

function wrongValues(action: WireAction): string | undefined {
  const { ExpressionAttributeNames = {}, ExpressionAttributeValues = {} } = action
  const names = Object.entries(ExpressionAttributeNames)
  const values = Object.entries(ExpressionAttributeValues)
  const wrong =
    firstWrong(names, ([, name]) => wrongName(name)) ??
    firstWrong(values, ([placeholder, value]) => wrongValue(value, placeholder))
  if (wrong !== undefined) return wrong
  const bytes =
    names.reduce((sum, [alias, name]) => sum + textBytes(alias) + textBytes(name), 0) +
    values.reduce((sum, [alias, value]) => sum + textBytes(alias) + valueBytes(value), 0)
  return bytes > DYNAMODB.expressionParametersBytes
    ? `the names and values of one write have ${bytes} bytes, and DynamoDB takes ${DYNAMODB.expressionParametersBytes}`
    : undefined
}

const EXPRESSIONS = [
  'ConditionExpression',
  'UpdateExpression',
  'ProjectionExpression',
  'FilterExpression',
  'KeyConditionExpression',
] as const

function wrongExpressions(action: WireAction): string | undefined {
  for (const name of EXPRESSIONS) {
    const bytes = textBytes(action[name] ?? '')
    if (bytes > DYNAMODB.expressionBytes) {
      return `the ${name} has ${bytes} bytes, and DynamoDB takes ${DYNAMODB.expressionBytes}: name fewer attributes in one write`
    }
  }
  return undefined
}

/** One attribute of a table's key, or of the key of one of its indexes. */
interface TableKeyPart {
  readonly name: string
  readonly type: KeyType
  readonly bytes: number
}
type KeyType = 'S' | 'N' | 'B'

export interface TableKeys {
  readonly key: readonly TableKeyPart[]
  /** Keys of the indexes. An item may lack these attributes; if it has them, they must be valid keys. */
  readonly indexKeys: readonly TableKeyPart[]
}

interface Schema {
  readonly KeySchema?: readonly SchemaPart[] | undefined
}
interface SchemaPart {
  readonly AttributeName?: string | undefined
  readonly KeyType?: string | undefined
}

/** A table, described by the names of its string keys or as for CreateTable. */
export type DeclaredTable =
  | { readonly hash: string; readonly range?: string | undefined }
  | (Schema & {
      readonly AttributeDefinitions?:
        | readonly {
            readonly AttributeName?: string | undefined
            readonly AttributeType?: string | undefined
          }[]
        | undefined
      readonly GlobalSecondaryIndexes?: readonly Schema[] | undefined
      readonly LocalSecondaryIndexes?: readonly Schema[] | undefined
    })

export function keysOf(table: DeclaredTable): TableKeys {
  if ('hash' in table) {
    const { hash, range } = table
    const key = range === undefined ? [partition(hash)] : [partition(hash), sort(range)]
    return { key, indexKeys: [] }
  }
  const types = new Map(
    table.AttributeDefinitions?.map(({ AttributeName, AttributeType }) => [
      AttributeName,
      AttributeType,
    ]),
  )
  const partsOf = ({ KeySchema = [] }: Schema): TableKeyPart[] =>
    KeySchema.map(({ AttributeName = '', KeyType }) => {
      const part = KeyType === 'RANGE' ? sort(AttributeName) : partition(AttributeName)
      return { ...part, type: keyType(types.get(AttributeName)) }
    })
  const { GlobalSecondaryIndexes = [], LocalSecondaryIndexes = [] } = table
  const indexKeys = [...GlobalSecondaryIndexes, ...LocalSecondaryIndexes].flatMap(partsOf)
  return { key: partsOf(table), indexKeys }
}

function partition(name: string): TableKeyPart {
  return { name, type: 'S', bytes: DYNAMODB.partitionKeyBytes }
}

function sort(name: string): TableKeyPart {
  return { name, type: 'S', bytes: DYNAMODB.sortKeyBytes }
}

function keyType(type: string | undefined): KeyType {
  return type === 'N' || type === 'B' ? type : 'S'
}

/** What DynamoDB would refuse in a `Key` of this table, as a text that never shows a value. */
function wrongKey({ key }: TableKeys, given: WireItem): string | undefined {
  const expected = key.map(({ name, type }) => `${JSON.stringify(name)} (${KINDS[type]})`)
  const names = Object.keys(given)
  const isKey = names.length === key.length && key.every(({ name }) => Object.hasOwn(given, name))
  if (!isKey) {
    const missing = key.filter(({ name }) => !names.includes(name)).map(({ name }) => name)
    const has = [names.length > 0 && inWords(names), missing.length > 0 && `no ${inWords(missing)}`]
    return `its key is ${expected.join(' and ')}, and what was given has ${has.filter(Boolean).join(', but ')}`
  }
  return wrongParts(key, given)
}

function inWords(names: readonly string[]): string {
  return names.map((name) => JSON.stringify(name)).join(' and ')
}

/** As `wrongKey`, for the keys of the table's indexes that the item has. */
export function wrongIndexKeys({ indexKeys }: TableKeys, item: WireItem): string | undefined {
  return wrongParts(
    indexKeys.filter(({ name }) => Object.hasOwn(item, name)),
    item,
  )
}

/** Used when the keys of the table are not known: one or two attributes that can be keys of some table. */
function wrongKeyOfAnyTable(given: WireItem): string | undefined {
  const entries = Object.entries(given)
  if (entries.length < 1 || entries.length > 2) {
    return `a key has one or two attributes, and what was given has ${entries.length}`
  }
  return firstWrong(entries, ([name, value]) => {
    const type = keyTypeOf(value)
    return type === undefined
      ? `the key ${JSON.stringify(name)} is ${typeInWords(value)}, and a key is a text, a number or bytes`
      : wrongKeyPart({ name, type, bytes: DYNAMODB.partitionKeyBytes }, value)
  })
}

function wrongParts(parts: readonly TableKeyPart[], item: WireItem): string | undefined {
  return firstWrong(parts, (part) => wrongKeyPart(part, item[part.name] ?? {}))
}

function wrongKeyPart(part: TableKeyPart, value: WireValue): string | undefined {
  const where = `the key ${JSON.stringify(part.name)}`
  if (keyTypeOf(value) !== part.type) {
    return `${where} is ${typeInWords(value)}, and the table wants ${KINDS[part.type]}`
  }
  return wrongSize(where, keyBytes(value), part.bytes) ?? wrongValue(value, where)
}

/**
 * As `wrongKey`, for one text.
 * @param most bytes
 */
export function wrongKeyText(name: string, text: string, most: number): string | undefined {
  const where = `the key ${JSON.stringify(name)}`
  return wrongSize(where, textBytes(text), most) ?? wrongText(text, where)
}

function wrongSize(where: string, bytes: number, most: number): string | undefined {
  if (bytes === 0) return `${where} is empty`
  return bytes > most ? `${where} has ${bytes} bytes, and DynamoDB takes ${most}` : undefined
}

/** A number is never empty, and never too long for a key. */
function keyBytes({ S, B }: WireValue): number {
  return S === undefined ? (B?.byteLength ?? 1) : textBytes(S)
}

function keyTypeOf({ S, N, B }: WireValue): KeyType | undefined {
  if (S !== undefined) return 'S'
  if (N !== undefined) return 'N'
  return B === undefined ? undefined : 'B'
}

const KINDS: Readonly<Record<KeyType, string>> = { S: 'a text', N: 'a number', B: 'bytes' }

function typeInWords(value: WireValue): string {
  const kind = keyTypeOf(value)
  if (kind !== undefined) return KINDS[kind]
  if (value.BOOL !== undefined) return 'a boolean'
  if (value.L !== undefined) return 'a list'
  if (value.M !== undefined) return 'a map'
  return value.NULL === undefined ? 'a set' : 'null'
}
