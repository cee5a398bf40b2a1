import { asList, asValues, own, textOf, type Values } from '../template/values.ts'
import type { Instance, Plan } from './instances.ts'
import { referredBy } from './references.ts'

/** The attributes of one resource: known values, ids of what they refer to, or `${…}` where neither is known. */
export interface Attributes {
  readonly instance: Instance
  /** The value; undefined: it is not set. */
  get(name: string): unknown
  /** The id of the resource that it refers to, or its value. */
  to(name: string): unknown
  /** The ids of all resources that it refers to. */
  all(name: string): readonly string[]
  /** The first block of that name. */
  block(name: string): Attributes | undefined
  blocks(name: string): readonly Attributes[]
  /** A policy, or another document of JSON; a text `${…}` if it is known only when it is deployed. */
  json(name: string): unknown
}

export function attributesOf(
  plan: Plan,
  instance: Instance,
  ids: (instance: Instance) => string,
  values: Values = instance.values,
  expressions: Values = instance.expressions,
): Attributes {
  const known = (name: string): unknown => {
    const value = values[name]
    return value === null || value === '' ? undefined : value
  }
  const unknown = (name: string): string => `\${${instance.address}.${name}}`
  const get = (name: string): unknown => {
    const expression = own(expressions, name)
    return (
      known(name) ??
      asValues(expression)['constant_value'] ??
      (hasReferences(expression) ? unknown(name) : undefined)
    )
  }
  const referred = (name: string): Instance[] => referredBy(plan, instance, own(expressions, name))
  const blocks = (name: string): Attributes[] => {
    const read = asList(known(name)).map(asValues)
    const written = asList(own(expressions, name)).map(asValues)
    const length = Math.max(read.length, written.some(isBlock) ? written.length : 0)
    return Array.from({ length }, (_, at) =>
      attributesOf(plan, instance, ids, read[at] ?? {}, written[at] ?? {}),
    )
  }
  return {
    instance,
    get,
    to: (name) => {
      const managed = referred(name).find(({ mode }) => mode === 'managed')
      if (managed !== undefined) return ids(managed)
      const [data] = referred(name)
      return (
        known(name) ??
        asValues(own(expressions, name))['constant_value'] ??
        dataValue(data) ??
        get(name)
      )
    },
    all: (name) =>
      referred(name)
        .filter(({ mode }) => mode === 'managed')
        .map(ids),
    block: (name) => blocks(name)[0],
    blocks,
    json: (name) => {
      const value = get(name)
      return typeof value === 'string' ? parsed(value) : value
    },
  }
}

function isBlock(expression: Values): boolean {
  return !('references' in expression || 'constant_value' in expression)
}

function hasReferences(expression: unknown): boolean {
  return asList(asValues(expression)['references']).length > 0
}

/** What a data source found: the ARN of a resource that is made elsewhere. */
function dataValue(data: Instance | undefined): unknown {
  const { arn, id } = data?.values ?? {}
  return typeof arn === 'string' ? arn : id
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** An attribute's list of texts. */
export function texts(value: unknown): string[] {
  return asList(value).map(textOf)
}
