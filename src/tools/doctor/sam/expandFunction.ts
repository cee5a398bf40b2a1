import { asList, asValues, textOf, type Values } from '../template/values.ts'
import { expandEvent } from './expandEvent.ts'
import { policyOf } from './policyTemplates.ts'

type Resources = Readonly<Record<string, Values>>

/** The function, its implicit role, and what its events make. */
export function expandFunction(id: string, properties: Values): Resources {
  const { Events, Role, Policies, DeadLetterQueue, CapacityProviderConfig } = properties
  const events = Object.entries(asValues(Events)).map(([name, event]) => ({
    name,
    type: textOf(asValues(event)['Type']),
    properties: asValues(asValues(event)['Properties']),
  }))
  const made = events.map(({ name, type, properties: of }) =>
    expandEvent({ function: id, name, type, properties: of }),
  )
  const role = `${id}Role`
  const policies = [
    ...asList(Policies),
    ...(events.some(({ type }) => type === 'SQS' || type === 'SNS') ? [POLLER] : []),
    ...deadLetterPolicies(asValues(DeadLetterQueue)),
  ]
  return {
    [id]: {
      Type: 'AWS::Lambda::Function',
      Properties: {
        ...properties,
        ...(Role === undefined ? { Role: { 'Fn::GetAtt': [role, 'Arn'] } } : {}),
        ...(DeadLetterQueue === undefined
          ? {}
          : { DeadLetterConfig: { TargetArn: asValues(DeadLetterQueue)['TargetArn'] } }),
        ...(CapacityProviderConfig === undefined
          ? {}
          : { CapacityProviderConfig: { [MANAGED]: CapacityProviderConfig } }),
      },
    },
    ...(Role === undefined ? { [role]: roleOf(policies) } : {}),
    ...Object.fromEntries(made.flatMap((each) => Object.entries(each))),
  }
}

/** The transform puts what SAM takes one level deeper. */
const MANAGED = 'LambdaManagedInstancesCapacityProviderConfig'

/** The transform adds this policy of AWS to the role of a function that consumes a queue. */
const POLLER = 'AWSLambdaSQSQueueExecutionRole'

function deadLetterPolicies({ Type, TargetArn }: Values): unknown[] {
  if (TargetArn === undefined) return []
  const Action = Type === 'SNS' ? 'sns:Publish' : 'sqs:SendMessage'
  return [{ Statement: [{ Effect: 'Allow', Action, Resource: TargetArn }] }]
}

function roleOf(policies: readonly unknown[]): Values {
  const read = policies.map(policyOf)
  return {
    Type: 'AWS::IAM::Role',
    Properties: {
      ManagedPolicyArns: [
        'AWSLambdaBasicExecutionRole',
        ...read.flatMap(({ managed }) => (managed === undefined ? [] : [managed])),
      ],
      Policies: read.flatMap(({ document }) =>
        document === undefined ? [] : [{ PolicyDocument: document }],
      ),
    },
  }
}
