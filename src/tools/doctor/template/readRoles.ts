import type { PolicyStatement, Role } from '../deployment.ts'
import { managedPolicy } from './managedPolicies.ts'
import { isUnknown, readPolicies, readStatements } from './readPolicies.ts'
import { logicalId, resourcesOf, type Template, typeOf } from './resolve.ts'
import { asList, asValues } from './values.ts'

/** Roles with the statements of all their policies. */
export function readRoles(template: Template): Role[] {
  const attached = readPolicies(template)
  return resourcesOf(template, 'AWS::IAM::Role').map(([id, { Policies, ManagedPolicyArns }]) => {
    const inline = asList(Policies).map((policy) =>
      ofDocument(template, `a policy of ${id}`, asValues(policy)['PolicyDocument']),
    )
    const named = (attached.get(id) ?? []).map(({ policy, document }) =>
      ofDocument(template, policy, document),
    )
    const managed = asList(ManagedPolicyArns).map((arn) => ofManaged(template, arn))
    const all = [...inline, ...named, ...managed]
    return {
      id,
      statements: all.flatMap(({ statements }) => statements ?? []),
      unread: all.flatMap(({ policy, statements }) => (statements === undefined ? [policy] : [])),
    }
  })
}

/** undefined: the statements are elsewhere, or known only when they are deployed. */
interface Read {
  readonly policy: string
  readonly statements: readonly PolicyStatement[] | undefined
}

function ofDocument(template: Template, policy: string, document: unknown): Read {
  return {
    policy,
    statements: isUnknown(document) ? undefined : readStatements(template, document),
  }
}

const POLICIES = ['AWS::IAM::ManagedPolicy', 'AWS::IAM::Policy']

function ofManaged(template: Template, arn: unknown): Read {
  const policy = logicalId(template, arn, 'iam')
  if (!POLICIES.includes(typeOf(template, policy) ?? '')) {
    return { policy, statements: managedPolicy(policy) }
  }
  return ofDocument(template, policy, template.Resources[policy]?.Properties['PolicyDocument'])
}
