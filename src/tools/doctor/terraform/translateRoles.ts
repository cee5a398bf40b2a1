import { textOf } from '../template/values.ts'
import { type Attributes, texts } from './attributes.ts'
import type { Translated, Translation } from './translation.ts'

export function role({ id, of, document }: Translation): readonly Translated[] {
  const inline = of.blocks('inline_policy').filter((each) => each.get('policy') !== undefined)
  return [
    {
      id,
      Type: 'AWS::IAM::Role',
      Properties: {
        RoleName: of.get('name'),
        ManagedPolicyArns: of.get('managed_policy_arns'),
        Policies: inline.map((each) => ({ PolicyDocument: document('policy', each) })),
      },
    },
  ]
}

export function rolePolicy({ id, of, document }: Translation): readonly Translated[] {
  const Properties = { Roles: [of.to('role')], PolicyDocument: document('policy') }
  return [{ id, Type: 'AWS::IAM::Policy', Properties }]
}

export function attachment({ id, of, document, other }: Translation): readonly Translated[] {
  const policy = textOf(of.to('policy_arn'))
  const roles = of.instance.type === 'aws_iam_policy_attachment' ? rolesOf(of) : [of.to('role')]
  const own = other(policy)
  if (own?.instance.type === 'aws_iam_policy') {
    const Properties = { Roles: roles, PolicyDocument: document('policy', own) }
    return [{ id, Type: 'AWS::IAM::Policy', Properties }]
  }
  return roles.map((each) => ({
    into: textOf(each),
    Properties: { ManagedPolicyArns: [policy] },
  }))
}

function rolesOf(of: Attributes): readonly string[] {
  const referred = of.all('roles')
  return referred.length > 0 ? referred : texts(of.get('roles'))
}
