import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { SNSClient } from '@aws-sdk/client-sns'
import type { SQSClient } from '@aws-sdk/client-sqs'
import { jsonLogger, type Logger } from '../../../logger.ts'
import { localQueueArn, queueUrlAt, REGION, localTopicArn } from '../description/arn.ts'
import { runAll, stopAll, stopLater, type Disposers } from './disposers.ts'
import { checkDescription } from '../description/checkDescription.ts'
import { destroyClients, environmentOf, makeClients, type Endpoints } from '../sdk/clients.ts'
import { requireStarted, keyNamesOf, requireDescribed } from '../description/described.ts'
import type { CloudDescription } from '../description/description.ts'
import { startDynamodb } from '../engines/dynamodbEngine.ts'
import { instrument } from '../sdk/instrument.ts'
import { makeInstruments } from './instruments.ts'
import { observeCloud } from './observeCloud.ts'
import type { Observer } from '../observe/event.ts'
import { listening } from '../observe/publish.ts'
import { startMessaging, type Depth, type QueueContents } from '../engines/messaging.ts'
import type { Instrumentable } from '../sdk/sdkMiddleware.ts'
import { createTables } from '../engines/tables.ts'
import { snapshotOf, type TableSnapshot } from '../engines/tableSnapshot.ts'

/** SQS, SNS, DynamoDB and S3 on this machine. Only the services that the description needs are started. */
export interface LocalCloud extends AsyncDisposable {
  readonly region: string
  readonly endpoints: Endpoints
  /** Environment variables (region, credentials, endpoints) for another process, or for clients that are made without options. */
  readonly environment: Readonly<Record<string, string>>
  /** Instrumented SDK clients. @throws ConfigError when the description has nothing of the service */
  readonly sqs: SQSClient
  readonly sns: SNSClient
  readonly dynamodb: DynamoDBClient
  /** @throws ConfigError when the description does not have the queue */
  queueUrl(name: string): string
  queueArn(name: string): string
  topicArn(name: string): string
  /** The messages in the queue now. Reading them changes nothing. */
  inspectQueue(name: string): QueueContents
  /** How many messages the queue holds now. */
  queueDepth(name: string): Promise<Depth>
  /**
   * Remembers the content of a table, to restore it later: shows how your consumers behave after a restore from a backup.
   * @throws ConfigError when the description does not have the table
   */
  snapshotTable(name: string): Promise<TableSnapshot>
  /**
   * Prepares a client of your own: it validates requests as AWS does, restores attributes that the engines lose, and injects the
   * faults of a mapping. Returns the same client.
   */
  instrument<Client extends Instrumentable>(client: Client): Client
  /** Registers a function that `stop` calls before it stops the engines. */
  onStop(cleanUp: () => Promise<void>): void
  /** Stops the mappings, then the engines. All data are lost. May be called again. */
  stop(): Promise<void>
}

/** Options of `startLocalCloud` beside the description. */
export interface CloudOptions {
  /** Default: JSON lines of warnings and errors on standard output. */
  readonly logger?: Logger
  /**
   * Called with the live events of the cloud: `cloud` at its start and stop, `depth` of each queue, ten times a second at most.
   * `observeLocalClouds` sees those of all clouds and mappings. Default: none.
   */
  readonly observe?: Observer
}

/**
 * Starts fauxqs (SQS, SNS and S3) in this process and dynoxide (DynamoDB) beside it, on free ports, and creates the queues,
 * topics, tables and buckets of `description`. Both end with this process, however it ends. With LINECLEAR_DYNAMODB_ENDPOINT set, the tables
 * are created in that engine unless they exist, and stay there.
 * @throws ConfigError when the description is wrong or an engine is not installed
 * @example
 * await using cloud = await startLocalCloud({
 *   queues: { orders: { visibilityTimeout: 60, deadLetter: { queue: 'dead', maxReceiveCount: 10 } }, dead: {} },
 *   tables: { lineclear: tableDefinition(), stock: { hash: 'sku' } },
 * })
 * const store = dynamoDbStore({ tableName: 'lineclear', client: cloud.dynamodb })
 */
export async function startLocalCloud(
  description: CloudDescription,
  options: CloudOptions = {},
): Promise<LocalCloud> {
  checkDescription(description)
  const disposers: Disposers = []
  try {
    return await start(description, options, disposers)
  } catch (error) {
    await runAll(disposers)
    throw error
  }
}

async function start(
  description: CloudDescription,
  { logger = jsonLogger('WARN'), observe }: CloudOptions,
  disposers: Disposers,
): Promise<LocalCloud> {
  const { queues = {}, topics = {}, tables = {}, buckets = [] } = description
  const needsMessaging = !isEmpty(queues) || !isEmpty(topics) || buckets.length > 0
  const [messaging, engine] = await Promise.all([
    needsMessaging ? stopLater(disposers, startMessaging()) : undefined,
    isEmpty(tables) ? undefined : stopLater(disposers, startDynamodb(logger)),
  ])
  const endpoints: Endpoints = {
    ...(messaging && { sqs: messaging.endpoint, sns: messaging.endpoint }),
    ...(engine && { dynamodb: engine.endpoint }),
    ...(messaging && buckets.length > 0 && { s3: messaging.endpoint }),
  }
  const clients = await makeClients(endpoints)
  disposers.push(() => Promise.resolve(destroyClients(clients)))
  for (const [name, queue] of Object.entries(queues)) messaging?.createQueue(name, queue)
  for (const [name, topic] of Object.entries(topics)) messaging?.createTopic(name, topic)
  for (const name of buckets) messaging?.createBucket(name)
  if (clients.dynamodb !== undefined) await createTables(clients.dynamodb, tables)
  const instruments = makeInstruments(description, messaging, endpoints, disposers)
  const instrumented = <Client extends Instrumentable>(client: Client): Client =>
    instrument(client, instruments)
  for (const client of Object.values(clients)) if (client !== undefined) instrumented(client)
  let stopping: Promise<void> | undefined
  const consumers: Disposers = []
  const stopObserved = observeCloud(description, endpoints, messaging, listening(observe, logger))
  const stop = (): Promise<void> =>
    (stopping ??= stopAll(consumers, disposers).finally(stopObserved))
  const asked = { queues, topics }
  return {
    region: REGION,
    endpoints,
    environment: environmentOf(endpoints),
    get sqs() {
      return requireStarted('sqs', 'queues', clients.sqs)
    },
    get sns() {
      return requireStarted('sns', 'topics', clients.sns)
    },
    get dynamodb() {
      return requireStarted('dynamodb', 'tables', clients.dynamodb)
    },
    queueUrl: (name) => queueUrlAt(endpoints.sqs ?? '', requireDescribed(asked, 'queues', name)),
    queueArn: (name) => localQueueArn(requireDescribed(asked, 'queues', name)),
    topicArn: (name) => localTopicArn(requireDescribed(asked, 'topics', name)),
    inspectQueue: (name) =>
      requireStarted('inspectQueue', 'queues', messaging).inspect(
        requireDescribed(asked, 'queues', name),
      ),
    queueDepth: async (name) =>
      requireStarted('queueDepth', 'queues', messaging).depth(
        requireDescribed(asked, 'queues', name),
      ),
    snapshotTable: async (name) => {
      const table = requireDescribed({ ...asked, tables }, 'tables', name)
      const client = requireStarted('snapshotTable', 'tables', clients.dynamodb)
      return snapshotOf(client, table, keyNamesOf(description)(table) ?? [])
    },
    instrument: instrumented,
    onStop: (cleanUp) => void consumers.push(cleanUp),
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

function isEmpty(described: object): boolean {
  return Object.keys(described).length === 0
}
