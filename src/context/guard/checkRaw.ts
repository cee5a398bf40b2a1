import type { TransactWriteItem } from '@aws-sdk/client-dynamodb'
import { ConfigError } from '../../base/errors.ts'
import { kindOf } from '../../base/kindOf.ts'

const ACTIONS = ['Put', 'Update', 'Delete', 'ConditionCheck']
/** Maps from names to AttributeValues. */
const VALUES = ['Item', 'Key', 'ExpressionAttributeValues']
const TYPES = ['S', 'N', 'B', 'SS', 'NS', 'BS', 'L', 'M', 'BOOL', 'NULL']

/** @throws ConfigError when it is not an item of TransactWriteItems, or its values are not AttributeValues */
export function checkRaw(call: string, given: unknown): TransactWriteItem {
  const actions = Object.entries(asFields(given)).filter(([, action]) => action !== undefined)
  const [only] = actions
  if (only === undefined || actions.length > 1 || !ACTIONS.includes(only[0])) {
    const expected = 'one of { Put }, { Update }, { Delete } or { ConditionCheck }'
    throw wrong(call, `expected ${expected}; got ${kindOf(given)}`)
  }
  const [name, content] = only
  const action = asFields(content)
  if (typeof action['TableName'] !== 'string') {
    throw wrong(call, `${name}: expected an object with TableName; got ${kindOf(content)}`)
  }
  for (const part of VALUES) checkValues(call, `${name}.${part}`, action[part])
  return given as TransactWriteItem
}

function checkValues(call: string, path: string, values: unknown): void {
  for (const [name, value] of Object.entries(asFields(values))) {
    const types = Object.keys(asFields(value))
    if (types.length === 1 && TYPES.includes(types[0] ?? '')) continue
    throw wrong(
      call,
      `${path}.${name}: expected an AttributeValue, such as { S: 'a' } (marshall of @aws-sdk/util-dynamodb makes them); got ${kindOf(value)}`,
    )
  }
}

function wrong(call: string, what: string): ConfigError {
  return new ConfigError(`${call}: raw: ${what}. Nothing was written.`)
}

function asFields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value))
    : {}
}
