import { asList, asValues, textOf, type Values } from '../template/resolve.ts'

/** What a connector lets its source do with its destination, as a policy of the source's role. */
export function expandConnector(
  id: string,
  resource: Values,
  resources: Values,
): (readonly [string, Values])[] {
  return connections(id, resource).flatMap(({ name, source, destinations, permissions }) => {
    const role = roleOf(source, asValues(resources[source]))
    const Statement = destinations.flatMap((destination) => {
      const type = textOf(asValues(resources[destination])['Type'])
      const Action = permissions.flatMap((each) => ACTIONS.get(`${type} ${each}`) ?? [])
      const Resource = { 'Fn::GetAtt': [destination, 'Arn'] }
      return Action.length === 0 ? [] : [{ Effect: 'Allow', Action, Resource }]
    })
    if (Statement.length === 0) return []
    const Properties = { Roles: [role], PolicyDocument: { Statement } }
    return [[name, { Type: 'AWS::IAM::ManagedPolicy', Properties }] as const]
  })
}

interface Connection {
  readonly name: string
  readonly source: string
  readonly destinations: readonly string[]
  readonly permissions: readonly string[]
}

/** A connector is a resource of its own, or is embedded in its source. */
function connections(id: string, { Type, Properties, Connectors }: Values): Connection[] {
  const separate = asValues(Properties)
  const source = textOf(asValues(separate['Source'])['Id'])
  const own =
    Type === 'AWS::Serverless::Connector' ? [connection(`${id}Policy`, source, separate)] : []
  const embedded = Object.entries(asValues(Connectors)).map(([name, each]) =>
    connection(`${id}${name}Policy`, id, asValues(asValues(each)['Properties'])),
  )
  return [...own, ...embedded]
}

function connection(name: string, source: string, properties: Values): Connection {
  const { Destination, Permissions } = properties
  return {
    name,
    source,
    destinations: asList(Destination).map((each) => textOf(asValues(each)['Id'])),
    permissions: asList(Permissions).map(textOf),
  }
}

function roleOf(id: string, { Type, Properties }: Values): unknown {
  const { Role } = asValues(Properties)
  return Type === 'AWS::Serverless::Function' && Role === undefined ? { Ref: `${id}Role` } : Role
}

const TABLE_READ = ['GetItem', 'Query', 'Scan', 'BatchGetItem', 'ConditionCheckItem']
const TABLE_WRITE = ['PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem']

const ACTIONS: ReadonlyMap<string, readonly string[]> = new Map([
  ['AWS::SQS::Queue Read', ['sqs:ReceiveMessage', 'sqs:GetQueueAttributes']],
  [
    'AWS::SQS::Queue Write',
    ['sqs:DeleteMessage', 'sqs:SendMessage', 'sqs:ChangeMessageVisibility', 'sqs:PurgeQueue'],
  ],
  ...['AWS::DynamoDB::Table', 'AWS::Serverless::SimpleTable'].flatMap(
    (type): (readonly [string, readonly string[]])[] => [
      [`${type} Read`, TABLE_READ.map((action) => `dynamodb:${action}`)],
      [`${type} Write`, TABLE_WRITE.map((action) => `dynamodb:${action}`)],
    ],
  ),
  ['AWS::SNS::Topic Write', ['sns:Publish']],
])
