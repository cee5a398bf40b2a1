import { asList, asValues, jsonOf, own, textOfValue, type Values } from '../template/resolve.ts'
import type { Instance, TerraformPlan } from './instances.ts'
import { referredBy } from './references.ts'

/** The attributes of one resource: known values, ids of what they refer to, or `${…}` where neither is known. */
export interface ResourceAttributes {
  readonly instance: Instance
  /** The value; undefined: it is not set. */
  get(name: string): unknown
  /** The id of the resource that it refers to, or its value. */
  to(name: string): unknown
  /** The ids of all resources that it refers to. */
  all(name: string): readonly string[]
  /** The first block of that name. */
  block(name: string): ResourceAttributes | undefined
  blocks(name: string): readonly ResourceAttributes[]
  /** A policy, or another document of JSON; a text `${…}` if it is known only when it is deployed. */
  json(name: string): unknown
  /** A policy, also one that an `aws_iam_policy_document` makes, of which a plan may know the arguments only. */
  document(name: string): unknown
  /** The attributes of another resource, by its id or ARN. */
  other(id: string): ResourceAttributes | undefined
}

export function attributesOf(
  plan: TerraformPlan,
  instance: Instance,
  values: Values = instance.values,
  expressions: Values = instance.expressions,
): ResourceAttributes {
  const known = (name: string): unknown => {
    const value = values[name]
    return value === null || value === '' ? undefined : value
  }
  const stated = (name: string): unknown =>
    known(name) ?? asValues(own(expressions, name))['constant_value']
  const get = (name: string): unknown => {
    const unknown = hasReferences(own(expressions, name))
      ? `\${${instance.address}.${name}}`
      : undefined
    return stated(name) ?? unknown
  }
  const referred = (name: string): Instance[] => referredBy(plan, instance, own(expressions, name))
  const blocks = (name: string): ResourceAttributes[] => {
    const read = asList(known(name)).map(asValues)
    const written = asList(own(expressions, name)).map(asValues)
    const length = Math.max(read.length, written.some(isBlock) ? written.length : 0)
    return Array.from({ length }, (_, at) =>
      attributesOf(plan, instance, read[at] ?? {}, written[at] ?? {}),
    )
  }
  const of: ResourceAttributes = {
    instance,
    get,
    to: (name) => {
      const all = referred(name)
      const managed = all.find(({ mode }) => mode === 'managed')
      return managed?.id ?? stated(name) ?? dataValue(all[0]) ?? get(name)
    },
    all: (name) =>
      referred(name)
        .filter(({ mode }) => mode === 'managed')
        .map(({ id }) => id),
    block: (name) => blocks(name)[0],
    blocks,
    json: (name) => {
      const value = get(name)
      return jsonOf(value) ?? value
    },
    document: (name) => documentOf(plan, of, name),
    other: (id) => otherOf(plan, id),
  }
  return of
}

function otherOf(plan: TerraformPlan, wanted: string): ResourceAttributes | undefined {
  const found = plan.find(
    ({ id, values }) => id === wanted || (wanted !== '' && values['arn'] === wanted),
  )
  return found && attributesOf(plan, found)
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

export function texts(value: unknown): string[] {
  return asList(value).map(textOfValue)
}

function documentOf(plan: TerraformPlan, of: ResourceAttributes, name: string): unknown {
  const written = of.json(name)
  if (typeof written === 'object') return written
  const documents = documentsIn(plan, of.instance, name)
  if (documents.length === 0) return written
  const seen = new Set<Instance>()
  const statements = documents.flatMap((each) => statementsOf(plan, each, seen))
  return { Statement: statements }
}

function documentsIn(plan: TerraformPlan, instance: Instance, name: string): readonly Instance[] {
  const referred = referredBy(plan, instance, instance.expressions[name])
  return referred.filter(({ type }) => type === 'aws_iam_policy_document')
}

/** @param seen documents that are in already: one may be named often, in a file also by itself */
function statementsOf(plan: TerraformPlan, document: Instance, seen: Set<Instance>): unknown[] {
  if (seen.has(document)) return []
  seen.add(document)
  const of = attributesOf(plan, document)
  const made = asValues(of.json('json'))['Statement']
  if (made !== undefined) return [...asList(made)]
  const sources = ['source_policy_documents', 'override_policy_documents'].flatMap((name) =>
    documentsIn(plan, document, name).flatMap((each) => statementsOf(plan, each, seen)),
  )
  return [...sources, ...of.blocks('statement').map(statementOf)]
}

function statementOf(of: ResourceAttributes): Values {
  const conditions = of
    .blocks('condition')
    .map((each) => [textOfValue(each.get('variable')), idsOr(each, 'values')] as const)
  return {
    Effect: of.get('effect') ?? 'Allow',
    Action: of.get('actions'),
    Resource: [
      ...idsOr(of, 'resources'),
      ...of.all('resources').map((id) => `${id}/index/byStatus`),
    ],
    Principal: Object.fromEntries(
      of
        .blocks('principals')
        .map((each, at) => [`${textOfValue(each.get('type'))}${at}`, idsOr(each, 'identifiers')]),
    ),
    ...(conditions.length === 0 ? {} : { Condition: { Written: Object.fromEntries(conditions) } }),
  }
}

/**
 * Ids of what it refers to; its values otherwise. A plan does not show what is written around a reference, such as `/index/*`, so that
 * is not judged.
 */
function idsOr(of: ResourceAttributes, name: string): readonly string[] {
  const referred = of.all(name)
  return referred.length > 0 ? referred : texts(of.get(name))
}
