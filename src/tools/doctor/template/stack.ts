import { type Resource, asValues, type Values } from './resolve.ts'

/** A template and where it belongs. */
export interface SourceTemplate {
  /** Tells its resources from those of other templates; '' for a single one. */
  readonly name: string
  readonly body: unknown
  readonly region?: string
  /** Values of its parameters. */
  readonly parameters?: Values
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

/** @param expand turns a template of SAM into one of CloudFormation. */
export function stackOf(
  source: SourceTemplate,
  expand: (body: Values) => Values,
  parent?: Stack['parent'],
): Stack {
  const body = expand(asValues(source.body))
  const nested: Record<string, Stack> = {}
  const stack: Stack = {
    prefix: source.name === '' ? '' : `${source.name}.`,
    region: source.region,
    resources: resourcesOf(body),
    parameters: asValues(body['Parameters']) as Stack['parameters'],
    given: asValues(source.parameters),
    mappings: asValues(body['Mappings']),
    conditions: asValues(body['Conditions']),
    outputs: asValues(body['Outputs']) as Stack['outputs'],
    nested,
    ...(parent === undefined ? {} : { parent }),
  }
  for (const [as, each] of Object.entries(source.nested ?? {})) {
    nested[as] = stackOf(each, expand, { stack, as })
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

/** A stack and those nested in it. */
export function withNested(stack: Stack): Stack[] {
  return [stack, ...Object.values(stack.nested).flatMap(withNested)]
}
