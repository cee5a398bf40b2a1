import { asList, asValues, textOfValue, type Values } from '../template/resolve.ts'
import { expandEvent, type Resources, type SamEvent } from './expandEvent.ts'

/** The function, its implicit role, and what its events make. */
export function expandFunction(id: string, properties: Values): Resources {
  const { Events, Role, Policies, DeadLetterQueue, CapacityProviderConfig, VpcConfig } = properties
  const events = Object.entries(asValues(Events)).map(([name, event]): SamEvent => ({
    function: id,
    name,
    type: textOfValue(asValues(event)['Type']),
    properties: asValues(asValues(event)['Properties']),
  }))
  const role = `${id}Role`
  const policies = [
    ...asList(Policies),
    ...(events.some(({ type }) => type === 'SQS' || type === 'SNS') ? [POLLER] : []),
    ...(VpcConfig === undefined ? [] : [NETWORK]),
    ...deadLetterPolicies(asValues(DeadLetterQueue)),
  ]
  return {
    [id]: {
      Type: 'AWS::Lambda::Function',
      Properties: {
        ...properties,
        Role: Role === undefined ? { 'Fn::GetAtt': [role, 'Arn'] } : Role,
        DeadLetterConfig: { TargetArn: asValues(DeadLetterQueue)['TargetArn'] },
        CapacityProviderConfig: { [MANAGED]: CapacityProviderConfig },
      },
    },
    ...(Role === undefined ? { [role]: roleOf(policies) } : {}),
    ...Object.fromEntries(events.flatMap((each) => Object.entries(expandEvent(each)))),
  }
}

/** The transform puts what SAM takes one level deeper. */
const MANAGED = 'LambdaManagedInstancesCapacityProviderConfig'

/** The transform adds this policy of AWS to the role of a function that consumes a queue. */
const POLLER = 'AWSLambdaSQSQueueExecutionRole'
/** And this one to that of a function in a VPC. */
const NETWORK = 'AWSLambdaVPCAccessExecutionRole'

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

interface SamPolicy {
  readonly managed?: unknown
  readonly document?: unknown
}

/**
 * An entry of a function's `Policies`: the name or ARN of a policy of AWS, a document with statements, or a policy template. Templates
 * for services that no rule examines grant nothing here.
 * https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/serverless-policy-template-list.html
 */
function policyOf(policy: unknown): SamPolicy {
  if (typeof policy === 'string') return { managed: policy }
  const values = asValues(policy)
  if (values['Statement'] !== undefined) return { document: policy }
  const [[name, given] = ['', undefined]] = Object.entries(values)
  if (name === 'Ref' || name.startsWith('Fn::')) return { managed: policy }
  const template = TEMPLATES.get(name)
  if (template === undefined) return {}
  const { actions, of, index } = template
  const Resource = resourcesOf(asValues(given), of, index === true)
  return { document: { Statement: [{ Effect: 'Allow', Action: actions, Resource }] } }
}

interface PolicyTemplate {
  /** The parameter that names the resource. */
  readonly of: string
  readonly actions: readonly string[]
  /** It includes the indexes of the table. */
  readonly index?: true
}

const READ = ['GetItem', 'Scan', 'Query', 'BatchGetItem', 'DescribeTable']
const WRITE = ['PutItem', 'UpdateItem', 'BatchWriteItem']

const TEMPLATES: ReadonlyMap<string, PolicyTemplate> = new Map<string, PolicyTemplate>([
  [
    'SQSPollerPolicy',
    {
      of: 'QueueName',
      actions: prefixed('sqs', [
        'ChangeMessageVisibility',
        'ChangeMessageVisibilityBatch',
        'DeleteMessage',
        'DeleteMessageBatch',
        'GetQueueAttributes',
        'ReceiveMessage',
      ]),
    },
  ],
  ['SQSSendMessagePolicy', { of: 'QueueName', actions: ['sqs:SendMessage'] }],
  ['DynamoDBCrudPolicy', table([...READ, ...WRITE, 'DeleteItem', 'ConditionCheckItem'])],
  ['DynamoDBReadPolicy', table(READ)],
  ['DynamoDBWritePolicy', table(WRITE)],
  ['DynamoDBReconfigurePolicy', table(['UpdateTable'])],
  ['SNSPublishMessagePolicy', { of: 'TopicName', actions: ['sns:Publish'] }],
])

function table(actions: readonly string[]): PolicyTemplate {
  return { of: 'TableName', actions: prefixed('dynamodb', actions), index: true }
}

function prefixed(service: string, actions: readonly string[]): string[] {
  return actions.map((action) => `${service}:${action}`)
}

function resourcesOf(given: Values, of: string, index: boolean): unknown[] {
  const name = given[of]
  if (!index) return [name]
  const all =
    typeof name === 'string'
      ? `${textOfValue(name)}/index/*`
      : { 'Fn::Join': ['', [name, '/index/*']] }
  return [name, all]
}

/** What a connector allows is no policy of the template: of the role of its source it cannot be said what is missing. */
export function policiesOfConnectors(
  id: string,
  { Type, Properties, Connectors }: Values,
): (readonly [string, Values])[] {
  const source = textOfValue(asValues(asValues(Properties)['Source'])['Id'])
  const own = Type === 'AWS::Serverless::Connector' ? [[id, source] as const] : []
  const embedded = Object.keys(asValues(Connectors)).map((name) => [`${id}${name}`, id] as const)
  return [...own, ...embedded].map(([name, of]) => {
    const policy = { Roles: [`${of}Role`], PolicyDocument: '${connector}' }
    return [`${name}Policy`, { Type: 'AWS::IAM::ManagedPolicy', Properties: policy }]
  })
}
