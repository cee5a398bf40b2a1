import { loadAwsServiceSpec } from '@aws-cdk/aws-service-spec'
import type { Template } from './packaged.ts'

type Database = Awaited<ReturnType<typeof loadAwsServiceSpec>>
type Properties = Record<string, Property>
interface Property {
  readonly type: PropertyType
  readonly required?: boolean
}
type PropertyType =
  | { readonly type: 'array' | 'map'; readonly element: PropertyType }
  | { readonly type: 'ref'; readonly reference: { readonly $ref: string } }
  | { readonly type: 'union'; readonly types: readonly PropertyType[] }
  | { readonly type: 'string'; readonly allowedValues?: readonly string[] }
  | { readonly type: 'integer' | 'number' | 'boolean' | 'json' | 'date-time' | 'tag' | 'null' }

let loaded: ReturnType<typeof loadAwsServiceSpec> | undefined

/** What in a template CloudFormation's own schema refuses: unknown types and properties, wrong values, missing ones. */
export async function checkTemplate({ Resources }: Template): Promise<string[]> {
  const database = await (loaded ??= loadAwsServiceSpec())
  return Object.entries(Resources).flatMap(([id, { Type, Properties }]) => {
    const [found] = database.lookup('resource', 'cloudFormationType', 'equals', Type)
    if (found === undefined) return [`${id}: no resource type ${Type}`]
    return checkProperties(database, id, Properties ?? {}, found.properties)
  })
}

function checkProperties(
  database: Database,
  at: string,
  values: Record<string, unknown>,
  properties: Properties,
): string[] {
  const missing = Object.entries(properties)
    .filter(([name, { required }]) => required === true && values[name] === undefined)
    .map(([name]) => `${at}: ${name} is missing`)
  const wrong = Object.entries(values).flatMap(([name, value]) => {
    const property = properties[name]
    if (property === undefined) return [`${at}: no property ${name}`]
    return checkValue(database, `${at}.${name}`, value, property.type)
  })
  return [...missing, ...wrong]
}

function checkValue(database: Database, at: string, value: unknown, type: PropertyType): string[] {
  if (isExpression(value)) return []
  switch (type.type) {
    case 'union': {
      const tried = type.types.map((each) => checkValue(database, at, value, each))
      return tried.some((wrong) => wrong.length === 0) ? [] : (tried[0] ?? [])
    }
    case 'array':
      if (!Array.isArray(value)) return [`${at}: not a list`]
      return value.flatMap((each, n) => checkValue(database, `${at}[${n}]`, each, type.element))
    case 'map':
      if (!isObject(value)) return [`${at}: not an object`]
      return Object.entries(value).flatMap(([key, each]) =>
        checkValue(database, `${at}.${key}`, each, type.element),
      )
    case 'ref': {
      if (!isObject(value)) return [`${at}: not an object`]
      const { properties } = database.get('typeDefinition', type.reference.$ref)
      return checkProperties(database, at, value, properties)
    }
    case 'string':
      if (type.allowedValues !== undefined && !type.allowedValues.includes(String(value))) {
        return [`${at}: ${String(value)} is none of ${type.allowedValues.join(', ')}`]
      }
      return isScalar(value) ? [] : [`${at}: not a text`]
    case 'integer':
    case 'number':
      return isScalar(value) && value !== '' && Number.isFinite(Number(value))
        ? []
        : [`${at}: not a number`]
    case 'boolean':
      return ['true', 'false'].includes(String(value)) ? [] : [`${at}: neither true nor false`]
    case 'tag':
    case 'json':
    case 'date-time':
    case 'null':
      return []
  }
}

/** `Ref` and the `Fn::` functions stand for any value. */
function isExpression(value: unknown): boolean {
  if (!isObject(value)) return false
  const keys = Object.keys(value)
  return keys.length === 1 && /^(Ref|Fn::.+)$/.test(keys[0] ?? '')
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isScalar(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value)
}
