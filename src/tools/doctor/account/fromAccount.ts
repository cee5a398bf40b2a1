import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb'
import { GetQueueAttributesCommand, GetQueueUrlCommand } from '@aws-sdk/client-sqs'
import type { Deployment, DeploymentPart, UncheckedPart } from '../deployment.ts'
import { deploymentOf } from '../template/deploymentOf.ts'
import { asValues, jsonOf, textOfValue, type Values } from '../template/resolve.ts'
import { type AccountClients, isAvailable, type LambdaReader } from './clients.ts'
import { type DescribedResources, isDenied, regionOf, unseen } from './described.ts'
import { publishersOf } from './publishersOf.ts'

interface AccountOptions {
  /** Name of the framework's table, default `lineclear`. */
  readonly tableName?: string
  /** The queues that are consumed; their dead-letter queues are found. */
  readonly queueUrls: readonly string[]
}

/**
 * Reads what is deployed: queues (`sqs:GetQueueAttributes`, `GetQueueUrl`), the table (`dynamodb:DescribeTable`, `DescribeTimeToLive`,
 * `DescribeContinuousBackups`), with a client of Lambda mappings and functions (`lambda:ListEventSourceMappings`,
 * `GetFunctionConfiguration`, `GetFunctionRecursionConfig`), with one of SNS the subscriptions of the topics that the queues' policies name
 * (`sns:ListSubscriptionsByTopic`, `GetSubscriptionAttributes`). Changes nothing. Roles, alarms, rules and buckets are not read: check the
 * template for these.
 * @throws what the clients throw, other than that they may not look at functions, and what SNS says
 */
export async function fromAccount(
  clients: AccountClients,
  { tableName = 'lineclear', queueUrls }: AccountOptions,
): Promise<Deployment> {
  const [queues, table] = await Promise.all([
    describeQueues(clients.sqs, queueUrls),
    describeTable(clients.dynamodb, tableName),
  ])
  const [consumers, publishers] = await Promise.all([
    consumersOf(clients, queues.resources),
    publishersOf(clients, queues.resources),
  ])
  const all = [queues, table, consumers, publishers]
  const resources = all.flatMap((each) => each.resources)
  const template = { Resources: Object.fromEntries(resources) }
  const regions = new Map(resources.map(([arn]) => [arn, regionOf(arn)]))
  return {
    ...deploymentOf([{ template, regions, unread: [] }], { tableName }),
    from: 'account',
    silentTopics: publishers.silentTopics ?? [],
    unread: all.flatMap((each) => each.unread ?? []),
    unchecked: [...all.flatMap((each) => each.unseen), ...TEMPLATE_ONLY],
  }
}

const TEMPLATE_ONLY = unseen(
  ['roles', 'alarms', 'events'],
  'roles, alarms, rules and buckets can only be read from a template',
)

/** The queues, and the dead-letter queues that they name. */
async function describeQueues(
  sqs: AccountClients['sqs'],
  urls: readonly string[],
): Promise<DescribedResources> {
  const describe = async (QueueUrl: string): Promise<Values> => {
    const command = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] })
    return (await sqs.send(command)).Attributes ?? {}
  }
  const queues = await Promise.all(urls.map(describe))
  const known = new Set(queues.map(({ QueueArn }) => QueueArn))
  const targets = new Set(
    queues.map(({ RedrivePolicy }) => asValues(jsonOf(RedrivePolicy))['deadLetterTargetArn']),
  )
  const missing = [...targets].filter((arn) => typeof arn === 'string' && !known.has(arn))
  const dead = missing.map(async (arn) => {
    const [, , , , QueueOwnerAWSAccountId, QueueName] = textOfValue(arn).split(':')
    const command = new GetQueueUrlCommand({ QueueName, QueueOwnerAWSAccountId })
    return describe((await sqs.send(command)).QueueUrl ?? '')
  })
  const all = [...queues, ...(await Promise.all(dead))]
  return { resources: all.flatMap(queueResources), unseen: [] }
}

function queueResources(attributes: Values): DescribedResources['resources'] {
  const { QueueArn, SqsManagedSseEnabled = 'false', Policy = '{}' } = attributes
  const arn = textOfValue(QueueArn)
  return [
    [arn, { Type: 'AWS::SQS::Queue', Properties: { ...attributes, SqsManagedSseEnabled } }],
    [
      `${arn}.policy`,
      { Type: 'AWS::SQS::QueuePolicy', Properties: { Queues: [arn], PolicyDocument: Policy } },
    ],
  ]
}

async function consumersOf(
  { lambda = { why: 'no Lambda client was given', cure: 'Give one' } }: AccountClients,
  queues: DescribedResources['resources'],
): Promise<DescribedResources> {
  const parts = ['mappings', 'functions', 'recursion'] as const
  if (!isAvailable(lambda)) {
    return { resources: [], unseen: unseen(parts, lambda.why, lambda.cure) }
  }
  const arns = queues.filter(([, { Type }]) => Type === 'AWS::SQS::Queue').map(([arn]) => arn)
  const mappings = await look(parts, 'lambda:ListEventSourceMappings', async () =>
    Promise.all(arns.map(async (arn) => mappingsOf(lambda, arn))),
  )
  const listed = mappings.found.flat()
  const ids = [
    ...new Set(listed.map(([, { Properties }]) => textOfValue(Properties['FunctionName']))),
  ]
  const [functions, loops] = await Promise.all([
    look(['functions'], 'lambda:GetFunctionConfiguration', async () =>
      Promise.all(
        ids.map(async (FunctionName) => lambda.getFunctionConfiguration({ FunctionName })),
      ),
    ),
    look(['recursion'], 'lambda:GetFunctionRecursionConfig', async () =>
      Promise.all(ids.map(async (id) => loopOf(lambda, id))),
    ),
  ])
  const made = functions.found.map((described, at): DescribedResources['resources'][number] => {
    const Properties = { ...described, RecursiveLoop: loops.found[at] }
    return [ids[at] ?? '', { Type: 'AWS::Lambda::Function', Properties }]
  })
  return {
    resources: [...listed, ...made],
    unseen: [...mappings.unseen, ...functions.unseen, ...loops.unseen],
  }
}

async function look<T>(
  parts: readonly DeploymentPart[],
  action: string,
  read: () => Promise<readonly T[]>,
): Promise<{ readonly found: readonly T[]; readonly unseen: readonly UncheckedPart[] }> {
  try {
    return { found: await read(), unseen: [] }
  } catch (error) {
    if (!isDenied(error)) throw error
    const cure = `Allow ${action}, or give --template`
    return { found: [], unseen: unseen(parts, `${action} is not allowed`, cure) }
  }
}

async function mappingsOf(
  lambda: LambdaReader,
  queue: string,
): Promise<DescribedResources['resources']> {
  const found: object[] = []
  let Marker: string | undefined
  do {
    const from = Marker === undefined ? {} : { Marker }
    const page = await lambda.listEventSourceMappings({ EventSourceArn: queue, ...from })
    found.push(...(page.EventSourceMappings ?? []))
    Marker = page.NextMarker
  } while (Marker !== undefined && Marker !== '')
  return found.map((mapping) => {
    const { UUID, FunctionArn: FunctionName = '', State } = asValues(mapping)
    const Enabled = !textOfValue(State).startsWith('Disabl')
    const Properties = { ...mapping, EventSourceArn: queue, FunctionName, Enabled }
    return [textOfValue(UUID), { Type: 'AWS::Lambda::EventSourceMapping', Properties }]
  })
}

/** The setting belongs to a function, not to its versions and aliases: AWS refuses an ARN with one of them. */
async function loopOf(lambda: LambdaReader, arn: string): Promise<string | undefined> {
  const FunctionName = arn.split(':').slice(0, FUNCTION_PARTS).join(':')
  return (await lambda.getFunctionRecursionConfig({ FunctionName })).RecursiveLoop
}

/** `arn:aws:lambda:region:account:function:name`. */
const FUNCTION_PARTS = 7

/** Nothing when there is no table of that name. */
async function describeTable(
  dynamodb: AccountClients['dynamodb'],
  TableName: string,
): Promise<DescribedResources> {
  const table = await dynamodb
    .send(new DescribeTableCommand({ TableName }))
    .then(({ Table }) => Table, unlessNamed('ResourceNotFoundException'))
  if (table === undefined) return { resources: [], unseen: [] }
  const { TimeToLiveDescription: ttl } = await dynamodb.send(
    new DescribeTimeToLiveCommand({ TableName }),
  )
  // Roles that may read tables often may not read backups, and local engines have none.
  const backups = await dynamodb
    .send(new DescribeContinuousBackupsCommand({ TableName }))
    .catch(unlessNamed('AccessDeniedException', 'UnknownOperationException'))
  const recovery = backups?.ContinuousBackupsDescription?.PointInTimeRecoveryDescription
  const arn = table.TableArn ?? TableName
  const copy = {
    DeletionProtectionEnabled: table.DeletionProtectionEnabled,
    PointInTimeRecoverySpecification: {
      PointInTimeRecoveryEnabled: recovery?.PointInTimeRecoveryStatus === 'ENABLED',
    },
  }
  // DynamoDB lists the other Regions only (DescribeTable, Replicas).
  const others = (table.Replicas ?? []).map(({ RegionName }) => ({ Region: RegionName }))
  const own = regionOf(arn)
  const Properties = {
    ...table,
    ...copy,
    TableName,
    BillingMode: table.BillingModeSummary?.BillingMode,
    TimeToLiveSpecification: {
      AttributeName: ttl?.AttributeName,
      Enabled: ttl?.TimeToLiveStatus?.startsWith('ENABL') === true,
    },
    Replicas: [{ Region: own, ...copy }, ...others.filter(({ Region }) => Region !== own)],
  }
  const cure = 'Allow dynamodb:DescribeContinuousBackups, or give --template'
  const why = 'dynamodb:DescribeContinuousBackups is not allowed, or not supported here'
  return {
    resources: [[arn, { Type: 'AWS::DynamoDB::Table', Properties }]],
    unseen: backups === undefined ? unseen(['recovery'], why, cure) : [],
  }
}

/** @returns takes an error of these names for no answer, and throws others */
function unlessNamed(...names: readonly string[]): (error: unknown) => undefined {
  return (error) => {
    if (error instanceof Error && names.includes(error.name)) return undefined
    throw error
  }
}
