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
import { startMessaging, type QueueContents } from '../engines/messaging.ts'
import type { Instrumentable } from '../sdk/sdkMiddleware.ts'
import { createTables } from '../engines/tables.ts'
import { snapshotOf, type TableSnapshot } from '../engines/tableSnapshot.ts'

/** SQS, SNS and DynamoDB on this machine. Only what the description asks for is started. */
export interface LocalCloud extends AsyncDisposable {
  readonly region: string
  readonly endpoints: Endpoints
  /** For another process, or for clients made without options: region, credentials, endpoints. */
  readonly environment: Readonly<Record<string, string>>
  /** SDK clients that went through `instrument`. @throws ConfigError when the description asks for nothing of the service. */
  readonly sqs: SQSClient
  readonly sns: SNSClient
  readonly dynamodb: DynamoDBClient
  /** @throws ConfigError when the description does not know the name. */
  queueUrl(name: string): string
  queueArn(name: string): string
  topicArn(name: string): string
  /** What is in the queue now; looking changes nothing. */
  inspectQueue(name: string): QueueContents
  /**
   * What is in the table now, to come back to: what your consumers do after a restore from a backup.
   * @throws ConfigError when the description does not know the table.
   */
  snapshotTable(name: string): Promise<TableSnapshot>
  /**
   * Makes a client of yours as strict as AWS, gives it back what the engines forget, and lets the faults of a mapping reach it.
   * Returns the same client.
   */
  instrument<Client extends Instrumentable>(client: Client): Client
  /** Runs before the engines stop. */
  onStop(cleanUp: () => Promise<void>): void
  /** Ends consumers, then engines; all data are gone. May be called again. */
  stop(): Promise<void>
}

export interface CloudOptions {
  /** Default: JSON lines of warnings and errors on standard output. */
  readonly logger?: Logger
}

/**
 * Starts fauxqs (SQS and SNS) in this process and dynoxide (DynamoDB) beside it, on free ports, and creates what
 * `description` lists. Nothing outlives this process, however it ends.
 * With LINECLEAR_DYNAMODB_ENDPOINT set, the tables are created in that engine if they are not there, and stay.
 * @throws ConfigError when the description is wrong or an engine is not installed.
 */
export async function startLocalCloud(
  description: CloudDescription,
  options: CloudOptions = {},
): Promise<LocalCloud> {
  checkDescription(description)
  const disposers: Disposers = []
  try {
    return await start(description, options.logger ?? jsonLogger('WARN'), disposers)
  } catch (error) {
    await runAll(disposers)
    throw error
  }
}

async function start(
  description: CloudDescription,
  logger: Logger,
  disposers: Disposers,
): Promise<LocalCloud> {
  const { queues = {}, topics = {}, tables = {} } = description
  const [messaging, engine] = await Promise.all([
    isEmpty(queues) && isEmpty(topics) ? undefined : stopLater(disposers, startMessaging()),
    isEmpty(tables) ? undefined : stopLater(disposers, startDynamodb(logger)),
  ])
  const endpoints: Endpoints = {
    ...(messaging && { sqs: messaging.endpoint, sns: messaging.endpoint }),
    ...(engine && { dynamodb: engine.endpoint }),
  }
  const clients = await makeClients(endpoints)
  disposers.push(() => Promise.resolve(destroyClients(clients)))
  for (const [name, queue] of Object.entries(queues)) messaging?.createQueue(name, queue)
  for (const [name, topic] of Object.entries(topics)) messaging?.createTopic(name, topic)
  if (clients.dynamodb !== undefined) await createTables(clients.dynamodb, tables)
  const instruments = makeInstruments(description, messaging, endpoints, disposers)
  const instrumented = <Client extends Instrumentable>(client: Client): Client =>
    instrument(client, instruments)
  for (const client of Object.values(clients)) if (client !== undefined) instrumented(client)
  let stopping: Promise<void> | undefined
  const consumers: Disposers = []
  const stop = (): Promise<void> => (stopping ??= stopAll(consumers, disposers))
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
