import { type Resource, asValues, type Values } from './resolve.ts'

/** A template, as it is written. */
export interface SourceTemplate {
  readonly value: unknown
  readonly region?: string
  /** Templates of its nested stacks, by logical name. */
  readonly nested?: Readonly<Record<string, SourceTemplate>>
}

/** A stack: a template whose parameters have values. */
export interface Stack {
  readonly prefix: string
  readonly region: string | undefined
  readonly resources: Readonly<Record<string, Resource & { readonly condition?: string }>>
  readonly parameters: Readonly<Record<string, Values>>
  readonly given: Values
  readonly mappings: Values
  readonly conditions: Values
  readonly outputs: Readonly<Record<string, Values>>
  readonly nested: Readonly<Record<string, Stack>>
  /** The stack that it is nested in, and its name there. */
  readonly parent?: { readonly stack: Stack; readonly as: string }
}

/**
 * @param name distinguishes its resources from those of other templates; '' for a single one
 * @param given values of its parameters
 * @param expand turns a template of SAM into one of CloudFormation
 */
export function templateStack(
  source: SourceTemplate,
  name: string,
  given: Values,
  expand: (body: Values) => Values,
  parent?: Stack['parent'],
): Stack {
  const body = expand(asValues(source.value))
  const nested: Record<string, Stack> = {}
  const prefix = name === '' ? '' : `${name}.`
  const stack: Stack = {
    prefix,
    region: source.region,
    resources: resourcesOf(body),
    parameters: asValues(body['Parameters']) as Stack['parameters'],
    given,
    mappings: asValues(body['Mappings']),
    conditions: asValues(body['Conditions']),
    outputs: asValues(body['Outputs']) as Stack['outputs'],
    nested,
    ...(parent === undefined ? {} : { parent }),
  }
  for (const [as, each] of Object.entries(source.nested ?? {})) {
    nested[as] = templateStack(each, prefix + as, {}, expand, { stack, as })
  }
  return stack
}

function resourcesOf(body: Values): Stack['resources'] {
  const entries = Object.entries(asValues(body['Resources'])).map(([id, resource]) => {
    const { Type, Properties, Condition } = asValues(resource)
    const condition = typeof Condition === 'string' ? { condition: Condition } : {}
    return [id, { Type: String(Type), Properties: asValues(Properties), ...condition }] as const
  })
  return Object.fromEntries(entries)
}

export function withNested(stack: Stack): Stack[] {
  return [stack, ...Object.values(stack.nested).flatMap(withNested)]
}
