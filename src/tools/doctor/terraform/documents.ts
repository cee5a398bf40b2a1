import { asList, asValues, textOf, type Values } from '../template/values.ts'
import { type Attributes, attributesOf, texts } from './attributes.ts'
import type { Instance, Plan } from './instances.ts'
import { referredBy } from './references.ts'

/** Makes policies readable: those written as JSON, and those of `aws_iam_policy_document`, which may be known by their arguments only. */
export function documentOf(
  plan: Plan,
  ids: (instance: Instance) => string,
  of: Attributes,
  name: string,
): unknown {
  const written = of.json(name)
  if (typeof written === 'object') return written
  const documents = referredBy(plan, of.instance, of.instance.expressions[name]).filter(
    ({ type }) => type === 'aws_iam_policy_document',
  )
  if (documents.length === 0) return written
  const seen = new Set<Instance>()
  const statements = documents.flatMap((each) => statementsOf(plan, ids, each, seen))
  return { Statement: statements }
}

/** @param seen documents that are in already: one may be named often, in a file also by itself */
function statementsOf(
  plan: Plan,
  ids: (instance: Instance) => string,
  document: Instance,
  seen: Set<Instance>,
): unknown[] {
  if (seen.has(document)) return []
  seen.add(document)
  const of = attributesOf(plan, document, ids)
  const made = asValues(of.json('json'))['Statement']
  if (made !== undefined) return [...asList(made)]
  const sources = ['source_policy_documents', 'override_policy_documents'].flatMap((name) =>
    referredBy(plan, document, document.expressions[name])
      .filter(({ type }) => type === 'aws_iam_policy_document')
      .flatMap((each) => statementsOf(plan, ids, each, seen)),
  )
  return [...sources, ...of.blocks('statement').map(statementOf)]
}

function statementOf(of: Attributes): Values {
  const conditions = of
    .blocks('condition')
    .map((each) => [textOf(each.get('variable')), idsOr(each, 'values')] as const)
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
        .map((each, at) => [`${textOf(each.get('type'))}${at}`, idsOr(each, 'identifiers')]),
    ),
    ...(conditions.length === 0 ? {} : { Condition: { Written: Object.fromEntries(conditions) } }),
  }
}

/**
 * Ids of what it refers to; its values otherwise. A plan does not show what is written around a reference, such as `/index/*`, so that
 * is not judged.
 */
function idsOr(of: Attributes, name: string): readonly string[] {
  const referred = of.all(name)
  return referred.length > 0 ? referred : texts(of.get(name))
}
