import { own, textOf, type Values } from './values.ts'

/** The resources of one or more stacks under ids of their own; their expressions are computed as far as they can be. */
export interface Template {
  readonly Resources: Readonly<Record<string, Resource>>
}

export interface Resource {
  readonly Type: string
  readonly Properties: Values
}

const NAMES = ['QueueName', 'TopicName', 'TableName', 'RoleName', 'FunctionName', 'BucketName']

/** The id that a value points to, by reference, ARN, URL or name; its text otherwise. */
export function logicalId(template: Template, value: unknown): string {
  const text = textOf(value)
  if (Object.hasOwn(template.Resources, text)) return text
  const name = lastPart(text)
  if (Object.hasOwn(template.Resources, name)) return name
  const named = Object.entries(template.Resources).find(([, { Type, Properties }]) =>
    namesOf(Type).some((key) => Properties[key] !== undefined && textOf(Properties[key]) === name),
  )
  return named?.[0] ?? text
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

/** Whether a text has no part that is known only when it is deployed. */
export function isKnown(text: string): boolean {
  return !text.includes('${')
}

export function resourcesOf(
  template: Template,
  type: string,
): readonly (readonly [string, Values])[] {
  return Object.entries(template.Resources)
    .filter(([, { Type }]) => Type === type)
    .map(([id, { Properties }]) => [id, Properties])
}

export function typeOf({ Resources }: Template, id: string): string | undefined {
  return (own(Resources, id) as Resource | undefined)?.Type
}
