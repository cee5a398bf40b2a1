import type { DeployedQueue, PolicyStatement, Role } from '../deployment.ts'
import {
  logicalId,
  resourcesOf,
  type Template,
  resourceType,
  asList,
  asValues,
  jsonOf,
  textOfValue,
  type Values,
} from './resolve.ts'

/** The statements of `AWS::SQS::QueuePolicy`, by queue. */
export function readQueuePolicies(
  template: Template,
): ReadonlyMap<string, Pick<DeployedQueue, 'policy' | 'policies'>> {
  const types = ['AWS::SQS::QueuePolicy', 'AWS::SQS::QueueInlinePolicy']
  const found = attachedTo(template, 'sqs', types, ({ Queues, Queue }) => Queues ?? Queue)
  const statementsOf = ({ document }: Attached): readonly PolicyStatement[] =>
    isUnknown(document) ? [PERHAPS] : readStatements(template, document)
  return new Map(
    [...found].map(([queue, attached]) => {
      const policies = attached.map(({ policy }) => policy)
      return [queue, { policy: attached.flatMap(statementsOf), policies }]
    }),
  )
}

/** A policy and the role or queue that it is attached to. */
interface Attached {
  readonly owner: string
  readonly policy: string
  readonly document: unknown
}

/** Policies of these types, by the ids of their owners. */
function attachedTo(
  template: Template,
  service: 'sqs' | 'iam',
  types: readonly string[],
  ownersOf: (policy: Values) => unknown,
): ReadonlyMap<string, readonly Attached[]> {
  const policies = types.flatMap((type) => resourcesOf(template, type))
  const all = policies.flatMap(([policy, properties]) =>
    asList(ownersOf(properties)).map((named): Attached => {
      const owner = logicalId(template, named, service)
      return { owner, policy, document: properties['PolicyDocument'] }
    }),
  )
  return Map.groupBy(all, ({ owner }) => owner)
}

/** A text that is no JSON is known only when it is deployed. */
function isUnknown(document: unknown): boolean {
  return typeof document === 'string' && jsonOf(document) === undefined
}

/** What an unknown policy of a queue may allow: anything. */
const PERHAPS: PolicyStatement = {
  effect: 'Allow',
  actions: ['sqs:*'],
  resources: ['*'],
  principals: ['*'],
  sourceArns: ['${unknown}'],
  isConditional: true,
}

/** @param document a policy; in a template its ARNs may be expressions. */
function readStatements(template: Template, document: unknown): PolicyStatement[] {
  return asList(asValues(jsonOf(document))['Statement']).map((value) => {
    const { Effect, Action, Resource, Principal, Condition } = asValues(value)
    return {
      effect: Effect === 'Deny' ? 'Deny' : 'Allow',
      actions: asList(Action).map(textOfValue),
      resources: asList(Resource).map((resource) => resourceOf(template, resource)),
      principals: principalsOf(Principal),
      sourceArns: sourceArnsOf(template, Condition),
      isConditional: Object.keys(asValues(Condition)).length > 0,
    }
  })
}

function principalsOf(principal: unknown): string[] {
  if (typeof principal === 'string') return [principal]
  return Object.values(asValues(principal)).flatMap((names) => asList(names).map(textOfValue))
}

function sourceArnsOf(template: Template, condition: unknown): string[] {
  return Object.values(asValues(condition))
    .flatMap((test) => Object.entries(asValues(test)))
    .filter(([key]) => key.toLowerCase() === 'aws:sourcearn')
    .flatMap(([, values]) => asList(values).map((value) => logicalId(template, value)))
}

/** `<id>/index/<name>` for an index of a table, `<id>/<key>` for objects of a bucket. */
function resourceOf(template: Template, value: unknown): string {
  const text = textOfValue(value)
  const [table = '', index] = text.split('/index/')
  if (index !== undefined) return `${logicalId(template, table)}/index/${index}`
  const slash = text.indexOf('/')
  const bucket = slash < 0 ? '' : logicalId(template, text.slice(0, slash))
  const isBucket = template.Resources[bucket]?.Type === 'AWS::S3::Bucket'
  return isBucket ? bucket + text.slice(slash) : logicalId(template, value)
}

export function readRoles(template: Template): Role[] {
  const types = ['AWS::IAM::Policy', 'AWS::IAM::ManagedPolicy', 'AWS::IAM::RolePolicy']
  const attached = attachedTo(template, 'iam', types, ({ Roles, RoleName }) => Roles ?? RoleName)
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
  if (!POLICIES.includes(resourceType(template, policy) ?? '')) {
    return { policy, statements: managedPolicy(policy) }
  }
  return ofDocument(template, policy, template.Resources[policy]?.Properties['PolicyDocument'])
}

/** Policies of AWS that grant nothing that a rule examines. */
const WITHOUT_QUEUES = new Set([
  'AWSLambdaBasicExecutionRole',
  'AWSXRayDaemonWriteAccess',
  'AWSXrayWriteOnlyAccess',
  'CloudWatchLambdaInsightsExecutionRolePolicy',
  'CloudWatchLambdaApplicationSignalsExecutionRolePolicy',
  'CloudWatchLogsFullAccess',
  'AmazonS3FullAccess',
  'AmazonS3ReadOnlyAccess',
  'AmazonSSMReadOnlyAccess',
  'AmazonEventBridgeFullAccess',
])

export const NETWORK_ACTIONS: readonly string[] = [
  'ec2:CreateNetworkInterface',
  'ec2:DescribeNetworkInterfaces',
  'ec2:DeleteNetworkInterface',
]

/** https://docs.aws.amazon.com/aws-managed-policy/latest/reference/policy-list.html */
const GRANTS: ReadonlyMap<string, readonly string[]> = new Map([
  [
    'AWSLambdaSQSQueueExecutionRole',
    ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'],
  ],
  ['AWSLambdaVPCAccessExecutionRole', NETWORK_ACTIONS],
  ['AWSLambdaENIManagementAccess', NETWORK_ACTIONS],
  ['AmazonSQSFullAccess', ['sqs:*']],
  [
    'AmazonSQSReadOnlyAccess',
    [
      'sqs:GetQueueAttributes',
      'sqs:GetQueueUrl',
      'sqs:ListDeadLetterSourceQueues',
      'sqs:ListQueues',
    ],
  ],
  ['AmazonSNSFullAccess', ['sns:*']],
  ['AmazonDynamoDBFullAccess', ['dynamodb:*']],
  ['AmazonDynamoDBFullAccess_v2', ['dynamodb:*']],
  [
    'AmazonDynamoDBReadOnlyAccess',
    ['dynamodb:BatchGetItem', 'dynamodb:GetItem', 'dynamodb:Query', 'dynamodb:Scan'],
  ],
  ['AdministratorAccess', ['*']],
  ['PowerUserAccess', ['*']],
])

/**
 * The statements of a policy of AWS, by its name or ARN; undefined: it is another one.
 * A role cannot narrow what an execution role's policy of AWS allows on `*`, so such a statement says who wrote it.
 */
function managedPolicy(nameOrArn: string): readonly PolicyStatement[] | undefined {
  const isOfAws = /^arn:.+:iam::aws:policy\//.test(nameOrArn) || !nameOrArn.includes(':')
  const name = nameOrArn.split('/').at(-1) ?? ''
  if (!isOfAws) return undefined
  if (WITHOUT_QUEUES.has(name)) return []
  const actions = GRANTS.get(name)
  if (actions === undefined) return undefined
  return [
    {
      effect: 'Allow',
      actions,
      resources: ['*'],
      principals: [],
      sourceArns: [],
      isConditional: false,
      ...(name.endsWith('ExecutionRole') ? { author: 'aws' } : {}),
    },
  ]
}
