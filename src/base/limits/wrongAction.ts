import * as DYNAMODB from './dynamodb.ts'
import { textBytes, valueBytes } from './itemBytes.ts'
import { wrongIndexKeys, wrongKey, wrongKeyOfAnyTable, type TableKeys } from './wrongKey.ts'
import { wrongItem, wrongName, wrongValue } from './wrongValue.ts'
import type { WireItem } from './wire.ts'

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
  for (const [, name] of names) {
    const wrong = wrongName(name)
    if (wrong !== undefined) return wrong
  }
  for (const [placeholder, value] of values) {
    const wrong = wrongValue(value, placeholder)
    if (wrong !== undefined) return wrong
  }
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
