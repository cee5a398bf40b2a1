import { isObject } from '../../../library/base/kindOf.ts'

/** The resources of one or more stacks under ids of their own; their expressions are computed as far as they can be. */
export interface Template {
  readonly Resources: Readonly<Record<string, Resource>>
}

export interface Resource {
  readonly Type: string
  readonly Properties: Values
}

const NAMES = ['QueueName', 'TopicName', 'TableName', 'RoleName', 'FunctionName', 'BucketName']

/**
 * The id that a value points to, by reference, ARN, URL or name; its text otherwise.
 * @param service of a plain name: a queue, its function and its role often have the same one
 */
export function logicalId(template: Template, value: unknown, service?: Service): string {
  const text = textOfValue(value)
  if (Object.hasOwn(template.Resources, text)) return text
  const name = lastPart(text)
  if (Object.hasOwn(template.Resources, name)) return name
  const named = service ?? serviceOf(text)
  // undefined: an ARN of a service whose resources are not read.
  const types = named === undefined ? NAMED : (own(TYPES, named) as RegExp | undefined)
  const found = idsByName(template)
    .get(name)
    ?.find(({ type }) => types?.test(type) === true)
  return found?.id ?? text
}

type Named = readonly { readonly id: string; readonly type: string }[]

/** A template of thousands of resources names most of them by reference: a search for each would take minutes. */
const indexes = new WeakMap<Template['Resources'], ReadonlyMap<string, Named>>()

function idsByName({ Resources }: Template): ReadonlyMap<string, Named> {
  const known = indexes.get(Resources)
  if (known !== undefined) return known
  const index = new Map<string, { id: string; type: string }[]>()
  for (const [id, { Type: type, Properties }] of Object.entries(Resources)) {
    const values = namesOf(type).map((key) => Properties[key])
    for (const name of new Set(values.filter((value) => value !== undefined).map(textOfValue))) {
      const same = index.get(name)
      if (same === undefined) index.set(name, [{ id, type }])
      else same.push({ id, type })
    }
  }
  indexes.set(Resources, index)
  return index
}

type Service = 'sqs' | 'lambda' | 'iam' | 'dynamodb'

/** The types that have a name of their own, by the service in an ARN. Others name what they belong to. */
const TYPES: Readonly<Record<string, RegExp>> = {
  sqs: /^AWS::SQS::Queue$/,
  sns: /^AWS::SNS::Topic$/,
  lambda: /^AWS::Lambda::Function$/,
  dynamodb: /^AWS::DynamoDB::(Global)?Table$/,
  iam: /^AWS::IAM::(Role|ManagedPolicy)$/,
  s3: /^AWS::S3::Bucket$/,
  events: /^AWS::Events::Rule$/,
}

const NAMED = new RegExp(
  Object.values(TYPES)
    .map(({ source }) => source)
    .join('|'),
)

function serviceOf(text: string): string | undefined {
  if (text.startsWith('https://sqs.')) return 'sqs'
  return /^arn:[^:]*:([a-z0-9]+):/.exec(text.replaceAll('{AWS::', '{AWS;;'))?.[1]
}

/** What other types have as `Name` is not in their ARN, or nothing refers to it. */
function namesOf(type: string): readonly string[] {
  return type === 'AWS::Events::Rule' ? ['Name'] : NAMES
}

/** The name at the end of an ARN or URL; in it, the colons of `${AWS::Region}` separate nothing. */
function lastPart(text: string): string {
  const [, name] = /^(?:arn:|https:).*[:/]([^:/]+)$/.exec(text.replaceAll('{AWS::', '{AWS;;')) ?? []
  return name?.replaceAll('{AWS;;', '{AWS::') ?? text
}

export function resourcesOf(
  template: Template,
  type: string,
): readonly (readonly [string, Values])[] {
  return Object.entries(template.Resources)
    .filter(([, { Type }]) => Type === type)
    .map(([id, { Properties }]) => [id, Properties])
}

export function resourceType({ Resources }: Template, id: string): string | undefined {
  return (own(Resources, id) as Resource | undefined)?.Type
}

export type Values = Readonly<Record<string, unknown>>

export function asValues(value: unknown): Values {
  return isObject(value) ? value : {}
}

export function asList(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return []
  return Array.isArray(value) ? value : [value]
}

/** A text, number or boolean as text; JSON for anything else. */
export function textOfValue(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return value === undefined || value === null ? '' : JSON.stringify(value)
}

/** @param fallback when it is absent. A text that is no number is known only when it is deployed: undefined. */
export function numberOf(value: unknown, fallback: number): number | undefined {
  if (value === undefined || value === null) return fallback
  const number = textOfValue(value).trim() === '' ? Number.NaN : Number(textOfValue(value))
  return Number.isNaN(number) ? undefined : number
}

export function isOn(value: unknown): boolean {
  return textOfValue(value) === 'true'
}

/** Not what an object inherits: a file may name a resource or a parameter `constructor`. */
export function own(values: Values, key: string): unknown {
  return Object.hasOwn(values, key) ? values[key] : undefined
}

/** CloudFormation takes a policy as an object, and as a text of JSON. */
export function jsonOf(value: unknown): unknown {
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value)
  } catch {
    return undefined
  }
}
