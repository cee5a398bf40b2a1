import { asValues, textOf, type Values } from '../template/values.ts'

interface SamPolicy {
  readonly managed?: unknown
  readonly document?: unknown
}

/**
 * An entry of a function's `Policies`: the name or ARN of a policy of AWS, a document with statements, or a policy template. Templates
 * for services that no rule examines grant nothing here.
 * https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/serverless-policy-template-list.html
 */
export function policyOf(policy: unknown): SamPolicy {
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
    typeof name === 'string' ? `${textOf(name)}/index/*` : { 'Fn::Join': ['', [name, '/index/*']] }
  return [name, all]
}
