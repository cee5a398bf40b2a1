import type { Statement } from '../deployment.ts'
import { idOf, listOf, resourcesOf, type Template, textOf, valuesOf } from './resolve.ts'

/** The statements of `AWS::IAM::Policy` and `ManagedPolicy`, by role. */
export function readPolicies(template: Template): Map<string, Statement[]> {
  const found = new Map<string, Statement[]>()
  const policies = ['AWS::IAM::Policy', 'AWS::IAM::ManagedPolicy'].flatMap((type) =>
    resourcesOf(template, type),
  )
  for (const [, { Roles, PolicyDocument }] of policies) {
    add(found, listOf(Roles), template, PolicyDocument)
  }
  return found
}

/** The statements of `AWS::SQS::QueuePolicy`, by queue. */
export function readQueuePolicies(template: Template): Map<string, Statement[]> {
  const found = new Map<string, Statement[]>()
  for (const [, { Queues, PolicyDocument }] of resourcesOf(template, 'AWS::SQS::QueuePolicy')) {
    add(found, listOf(Queues), template, PolicyDocument)
  }
  return found
}

function add(
  found: Map<string, Statement[]>,
  owners: readonly unknown[],
  template: Template,
  document: unknown,
): void {
  for (const owner of owners) {
    const id = idOf(template, owner)
    found.set(id, [...(found.get(id) ?? []), ...readStatements(template, document)])
  }
}

/** @param document a policy; in a template its ARNs may be expressions. */
export function readStatements(template: Template, document: unknown): Statement[] {
  return listOf(valuesOf(document)['Statement']).map((value) => {
    const { Effect, Action, Resource, Principal, Condition } = valuesOf(value)
    return {
      effect: Effect === 'Deny' ? 'Deny' : 'Allow',
      actions: listOf(Action).map(String),
      resources: listOf(Resource).map((resource) => resourceOf(template, resource)),
      principals: principalsOf(Principal),
      sourceArns: sourceArnsOf(template, Condition),
    }
  })
}

function principalsOf(principal: unknown): string[] {
  if (typeof principal === 'string') return [principal]
  return Object.values(valuesOf(principal)).flatMap((names) => listOf(names).map(String))
}

function sourceArnsOf(template: Template, condition: unknown): string[] {
  return Object.values(valuesOf(condition))
    .flatMap((test) => Object.entries(valuesOf(test)))
    .filter(([key]) => key.toLowerCase() === 'aws:sourcearn')
    .flatMap(([, values]) => listOf(values).map((value) => idOf(template, value)))
}

/** `<id>/index/<name>` for an index of a table. */
function resourceOf(template: Template, value: unknown): string {
  const text = textOf(template, value)
  const [table = '', index] = text.split('/index/')
  if (index === undefined) return idOf(template, value)
  return `${idOf(template, table)}/index/${index}`
}
