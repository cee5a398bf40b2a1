import { isObject, kindOf } from '../../../../library/base/kindOf.ts'
import { breaksRule, invalid, Refusal, requiredMember } from './values/refusal.ts'

/** @throws Refusal when what is given has another type */
type Shape = (given: unknown) => void

const text = typed('String', (given) => typeof given === 'string')
const flag = typed('Boolean', (given) => typeof given === 'boolean')
const whole = typed('Integer', Number.isInteger)
const anyMap = typed('Map', isObject)
const anyList = typed('List', Array.isArray)

/** Members that mean the same anywhere in a request. Values of attributes are read where they are used. */
const MEMBERS: Readonly<Record<string, Shape>> = {
  ...named(
    text,
    'TableName IndexName AttributeName BillingMode',
    'ConditionExpression FilterExpression KeyConditionExpression ProjectionExpression',
    'UpdateExpression Statement ClientRequestToken ExclusiveStartTableName',
  ),
  ...named(flag, 'ConsistentRead ScanIndexForward Enabled'),
  ...named(whole, 'Limit Segment TotalSegments'),
  ...named(anyMap, 'Key Item ExclusiveStartKey ExpressionAttributeValues'),
  ...named(
    structure,
    'Put Update Delete ConditionCheck Get PutRequest DeleteRequest',
    'Projection TimeToLiveSpecification',
  ),
  ...named(
    listOf(structure),
    'TransactItems Statements KeySchema AttributeDefinitions',
    'GlobalSecondaryIndexes LocalSecondaryIndexes',
  ),
  ExpressionAttributeNames: mapOf(text),
  Keys: listOf(anyMap),
  NonKeyAttributes: listOf(text),
  ReturnConsumedCapacity: oneOf('INDEXES', 'TOTAL', 'NONE'),
  ReturnValues: oneOf('NONE', 'ALL_OLD', 'ALL_NEW', 'UPDATED_OLD', 'UPDATED_NEW'),
  ReturnValuesOnConditionCheckFailure: oneOf('NONE', 'ALL_OLD'),
  AttributeType: oneOf('B', 'N', 'S'),
  KeyType: oneOf('HASH', 'RANGE'),
  ProjectionType: oneOf('ALL', 'INCLUDE', 'KEYS_ONLY'),
  Select: oneOf('ALL_ATTRIBUTES', 'ALL_PROJECTED_ATTRIBUTES', 'SPECIFIC_ATTRIBUTES', 'COUNT'),
  Parameters: anyList,
}

const ITEMS_OF: Readonly<Record<string, Shape>> = {
  BatchGetItem: mapOf(structure),
  BatchWriteItem: mapOf(listOf(structure)),
}

/** The body of a request, without members that are null. @throws Refusal */
export function readRequest(operation: string, body: string): object {
  const request = parse(body)
  if (!isObject(request)) throw invalid('The request is no structure')
  structure(request)
  const { RequestItems } = request
  if (RequestItems !== undefined) ITEMS_OF[operation]?.(RequestItems)
  return request
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    throw new Refusal('SerializationException', 'The request is no JSON')
  }
}

function structure(given: unknown): void {
  anyMap(given)
  const members = given as Record<string, unknown>
  for (const [name, member] of Object.entries(members)) {
    if (member === null) delete members[name]
    else if (Object.hasOwn(MEMBERS, name)) MEMBERS[name]?.(member)
  }
}

function listOf(each: Shape): Shape {
  return (given) => {
    anyList(given)
    for (const [at, one] of (given as readonly unknown[]).entries())
      each(requiredMember(one, String(at + 1)))
  }
}

function mapOf(each: Shape): Shape {
  return (given) => {
    anyMap(given)
    for (const [name, one] of Object.entries(given as object)) each(requiredMember(one, name))
  }
}

function oneOf(...values: readonly string[]): Shape {
  return (given) => {
    text(given)
    if (values.includes(String(given))) return
    const rule = `Member must satisfy enum value set: [${values.join(', ')}]`
    throw breaksRule(`Value '${String(given)}'`, rule)
  }
}

function typed(type: string, is: (given: unknown) => boolean): Shape {
  return (given) => {
    if (is(given)) return
    throw new Refusal('SerializationException', `${kindOf(given)} can not be converted to ${type}`)
  }
}

function named(shape: Shape, ...names: readonly string[]): Readonly<Record<string, Shape>> {
  return Object.fromEntries(names.flatMap((some) => some.split(' ')).map((name) => [name, shape]))
}
