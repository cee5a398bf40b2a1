import { asList, asValues, textOfValue, type Values } from '../template/resolve.ts'
import { expandFunction, policiesOfConnectors } from './expandFunction.ts'

/**
 * The resources that the transform of SAM makes from its own types, as far as rules examine them: functions with their implicit
 * roles, mappings, subscriptions and schedules, and simple tables.
 */
export function expandSam(body: Values): Values {
  const resources = asValues(body['Resources'])
  const globals = asValues(body['Globals'])
  const expanded = Object.entries(resources).flatMap(([id, value]) => {
    const resource = asValues(value)
    const { Condition } = resource
    return Object.entries(expandResource(id, resource, globals)).map(
      ([name, each]) => [name, Condition === undefined ? each : { ...each, Condition }] as const,
    )
  })
  const connectors = Object.entries(resources).flatMap(([id, resource]) =>
    policiesOfConnectors(id, asValues(resource)),
  )
  return { ...body, Resources: Object.fromEntries([...expanded, ...connectors]) }
}

/** @returns what the transform makes of it, itself included */
function expandResource(
  id: string,
  resource: Values,
  globals: Values,
): Readonly<Record<string, Values>> {
  const [, kind = ''] = /^AWS::Serverless::(\w+)$/.exec(textOfValue(resource['Type'])) ?? []
  const properties = withGlobals(asValues(globals[kind]), asValues(resource['Properties']))
  if (kind === 'Function') return expandFunction(id, properties)
  return { [id]: kind === 'SimpleTable' ? simpleTable(properties) : resource }
}

/** Objects are merged, lists are added, and a value of the resource wins. */
function withGlobals(shared: Values, properties: Values): Values {
  const merged: Record<string, unknown> = { ...shared }
  for (const [key, value] of Object.entries(properties)) {
    const before = merged[key]
    if (Array.isArray(before) && Array.isArray(value))
      merged[key] = [...asList(before), ...asList(value)]
    else if (isPlain(before) && isPlain(value)) merged[key] = withGlobals(before, value)
    else merged[key] = value
  }
  return merged
}

function isPlain(value: unknown): value is Values {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  return !Object.keys(value).some((key) => key === 'Ref' || key.startsWith('Fn::'))
}

function simpleTable(properties: Values): Values {
  const { PrimaryKey, ProvisionedThroughput } = properties
  const { Name = 'id' } = asValues(PrimaryKey)
  return {
    Type: 'AWS::DynamoDB::Table',
    Properties: {
      ...properties,
      KeySchema: asList(Name).map((AttributeName) => ({ AttributeName, KeyType: 'HASH' })),
      ...(ProvisionedThroughput === undefined ? { BillingMode: 'PAY_PER_REQUEST' } : {}),
    },
  }
}
