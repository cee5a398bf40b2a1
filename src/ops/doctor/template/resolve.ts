/** The parts of a CloudFormation template that the doctor reads, as JSON. */
export interface Template {
  readonly Resources: Readonly<Record<string, Resource>>
  readonly Parameters?: Readonly<Record<string, { readonly Default?: unknown }>>
}

interface Resource {
  readonly Type: string
  readonly Properties: Values
}

export type Values = Readonly<Record<string, unknown>>

const NAMES = ['QueueName', 'TopicName', 'TableName', 'RoleName', 'FunctionName', 'BucketName']

/** The logical name that a value points to, by `Ref`, `GetAtt`, `Sub`, ARN, URL or name; its text otherwise. */
export function logicalId(template: Template, value: unknown): string {
  const text = resolveText(template, value)
  if (Object.hasOwn(template.Resources, text)) return text
  const name = lastPart(text)
  if (Object.hasOwn(template.Resources, name)) return name
  const named = Object.entries(template.Resources).find(([, { Type, Properties }]) =>
    namesOf(Type).some(
      (key) => Properties[key] !== undefined && resolveText(template, Properties[key]) === name,
    ),
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

/** The text that CloudFormation would insert, with logical names for what exists only after the deployment. */
export function resolveText(template: Template, value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  const [[kind, of] = ['', undefined]] = Object.entries(asValues(value))
  if (kind === 'Ref') return ofParameter(template, String(of))
  if (kind === 'Fn::GetAtt')
    return (Array.isArray(of) ? String(of[0]) : String(of)).split('.')[0] ?? ''
  if (kind === 'Fn::Join') return joined(template, of)
  if (kind === 'Fn::Sub') return substituted(template, of)
  return JSON.stringify(value) ?? ''
}

function ofParameter({ Parameters }: Template, name: string): string {
  const value = Parameters?.[name]?.Default
  return typeof value === 'string' || typeof value === 'number' ? String(value) : name
}

function joined(template: Template, of: unknown): string {
  const [separator, parts] = asList(of)
  return asList(parts)
    .map((part) => resolveText(template, part))
    .join(String(separator))
}

function substituted(template: Template, of: unknown): string {
  const [text, given] = Array.isArray(of) ? [String(of[0]), asValues(of[1])] : [String(of), {}]
  return text.replaceAll(/\$\{([^}]+)\}/g, (whole, name: string) => {
    if (name.startsWith('AWS::')) return whole
    if (name in given) return resolveText(template, given[name])
    return ofParameter(template, name.split('.')[0] ?? '')
  })
}

/** @param fallback when it is absent, or a number only after the deployment. */
export function resolveNumber(template: Template, value: unknown, fallback: number): number {
  const number = value === undefined ? Number.NaN : Number(resolveText(template, value))
  return Number.isNaN(number) ? fallback : number
}

export function isOn(template: Template, value: unknown): boolean {
  return value !== undefined && resolveText(template, value) === 'true'
}

export function asValues(value: unknown): Values {
  return typeof value === 'object' && value !== null ? (value as Values) : {}
}

export function asList(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return []
  return Array.isArray(value) ? value : [value]
}

export function resourcesOf(
  template: Template,
  type: string,
): readonly (readonly [string, Values])[] {
  return Object.entries(template.Resources)
    .filter(([, { Type }]) => Type === type)
    .map(([id, { Properties }]) => [id, Properties])
}
