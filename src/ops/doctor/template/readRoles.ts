import type { Role } from '../deployment.ts'
import { managedPolicy } from './managedPolicies.ts'
import { readPolicies, readStatements } from './readPolicies.ts'
import { logicalId, resourcesOf, type Template, typeOf } from './resolve.ts'
import { asList, asValues, type Values } from './values.ts'

/** Roles with the statements of all their policies. */
export function readRoles(template: Template): Role[] {
  const attached = readPolicies(template)
  return resourcesOf(template, 'AWS::IAM::Role').map(([id, role]) => {
    const managed = readManaged(template, role)
    const inline = asList(role['Policies']).flatMap((policy) =>
      readStatements(template, asValues(policy)['PolicyDocument']),
    )
    return {
      id,
      statements: [...inline, ...(attached.get(id) ?? []), ...managed.statements],
      unread: managed.unread,
    }
  })
}

const POLICIES = ['AWS::IAM::ManagedPolicy', 'AWS::IAM::Policy']

function readManaged(
  template: Template,
  { ManagedPolicyArns }: Values,
): Pick<Role, 'statements' | 'unread'> {
  const found = asList(ManagedPolicyArns).map((arn) => {
    const policy = logicalId(template, arn)
    if (POLICIES.includes(typeOf(template, policy) ?? '')) {
      const document = template.Resources[policy]?.Properties['PolicyDocument']
      return { policy, statements: readStatements(template, document) }
    }
    return { policy, statements: managedPolicy(policy) }
  })
  return {
    statements: found.flatMap(({ statements }) => statements ?? []),
    unread: found.flatMap(({ policy, statements }) => (statements === undefined ? [policy] : [])),
  }
}
