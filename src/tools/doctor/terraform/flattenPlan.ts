import type { Flat } from '../template/deploymentOf.ts'
import { type Resource, asList, own, textOfValue, type Values } from '../template/resolve.ts'
import { attributesOf } from './attributes.ts'
import { type Instance, readPlan } from './instances.ts'
import { translate, type Translated } from './translate.ts'

/**
 * The resources of a plan or a state, as `terraform show -json` prints it, in CloudFormation's words. A plan does not know ARNs yet:
 * its configuration says what refers to what.
 * @param name what its addresses begin with, where several files are read; '' for one
 */
export function flattenPlan(json: unknown, name: string): Flat {
  const plan = readPlan(json, name)
  const managed = plan.filter(({ mode }) => mode === 'managed')
  const resources: Record<string, Resource> = {}
  const additions: Extract<Translated, { into: string }>[] = []
  for (const each of managed.flatMap((instance) => translate(attributesOf(plan, instance)))) {
    if ('into' in each) additions.push(each)
    else resources[each.id] = { Type: each.Type, Properties: withoutUndefined(each.Properties) }
  }
  for (const { into, Properties } of additions) {
    const target = targetOf(resources, into)
    const found = target === undefined ? undefined : resources[target]
    if (target === undefined || found === undefined) continue
    resources[target] = { ...found, Properties: addTo(found.Properties, Properties) }
  }
  return { template: { Resources: resources }, unread: [], regions: regionsOf(managed) }
}

const NAMES = ['QueueName', 'FunctionName', 'RoleName', 'Name', 'BucketName']

/** A state names what it adds to by URL or name. */
function targetOf(resources: Readonly<Record<string, Resource>>, into: string): string | undefined {
  if (own(resources, into) !== undefined) return into
  const name = into.split('/').at(-1)
  return Object.entries(resources).find(([, { Properties }]) =>
    NAMES.some((key) => Properties[key] !== undefined && Properties[key] === name),
  )?.[0]
}

function withoutUndefined(properties: Values): Values {
  return Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== undefined))
}

/** The region that a resource names itself (version 6 of the provider), or the one in its ARN. */
function regionsOf(instances: readonly Instance[]): Map<string, string> {
  return new Map(
    instances.flatMap(({ id, values: { region, arn } }) => {
      const found = typeof region === 'string' ? region : textOfValue(arn).split(':')[3]
      return found === undefined || found === '' ? [] : [[id, found] as const]
    }),
  )
}

/** Adds to the properties of a resource; lists are joined. */
function addTo(properties: Values, more: Values): Values {
  const added: Record<string, unknown> = { ...properties }
  for (const [key, value] of Object.entries(more)) {
    if (value === undefined) continue
    added[key] = Array.isArray(value) ? [...asList(added[key]), ...asList(value)] : value
  }
  return added
}
