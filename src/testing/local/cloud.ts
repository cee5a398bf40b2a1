import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { SNSClient } from '@aws-sdk/client-sns'
import type { SQSClient } from '@aws-sdk/client-sqs'
import { jsonLogger, type Logger } from '../../logger.ts'
import { queueArnOf, queueUrlAt, REGION, topicArnOf } from './arn.ts'
import { runAll, stopAll, stopLater, type CleanUps } from './disposers.ts'
import { checkDescription } from './checkDescription.ts'
import { destroyClients, environmentOf, makeClients, type Endpoints } from './clients.ts'
import { demand, keyNamesOf, known } from './described.ts'
import type { CloudDescription } from './description.ts'
import { startDynamodb } from './dynamodbEngine.ts'
import { instrument } from './instrument.ts'
import { makeInstruments } from './instruments.ts'
import { startMessaging, type QueueContents } from './messaging.ts'
import type { Instrumentable } from './middleware.ts'
import { createTables } from './tables.ts'
import { snapshotOf, type TableSnapshot } from './tableSnapshot.ts'

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
  const cleanUps: CleanUps = []
  try {
    return await start(description, options.logger ?? jsonLogger('WARN'), cleanUps)
  } catch (error) {
    await runAll(cleanUps)
    throw error
  }
}

async function start(
  description: CloudDescription,
  logger: Logger,
  cleanUps: CleanUps,
): Promise<LocalCloud> {
  const { queues = {}, topics = {}, tables = {} } = description
  const [messaging, engine] = await Promise.all([
    isEmpty(queues) && isEmpty(topics) ? undefined : stopLater(cleanUps, startMessaging()),
    isEmpty(tables) ? undefined : stopLater(cleanUps, startDynamodb(logger)),
  ])
  const endpoints: Endpoints = {
    ...(messaging && { sqs: messaging.endpoint, sns: messaging.endpoint }),
    ...(engine && { dynamodb: engine.endpoint }),
  }
  const clients = await makeClients(endpoints)
  cleanUps.push(() => Promise.resolve(destroyClients(clients)))
  for (const [name, queue] of Object.entries(queues)) messaging?.createQueue(name, queue)
  for (const [name, topic] of Object.entries(topics)) messaging?.createTopic(name, topic)
  if (clients.dynamodb !== undefined) await createTables(clients.dynamodb, tables)
  const instruments = makeInstruments(description, messaging, endpoints, cleanUps)
  const instrumented = <Client extends Instrumentable>(client: Client): Client =>
    instrument(client, instruments)
  for (const client of Object.values(clients)) if (client !== undefined) instrumented(client)
  let stopping: Promise<void> | undefined
  const consumers: CleanUps = []
  const stop = (): Promise<void> => (stopping ??= stopAll(consumers, cleanUps))
  const asked = { queues, topics }
  return {
    region: REGION,
    endpoints,
    environment: environmentOf(endpoints),
    get sqs() {
      return demand('sqs', 'queues', clients.sqs)
    },
    get sns() {
      return demand('sns', 'topics', clients.sns)
    },
    get dynamodb() {
      return demand('dynamodb', 'tables', clients.dynamodb)
    },
    queueUrl: (name) => queueUrlAt(endpoints.sqs ?? '', known(asked, 'queues', name)),
    queueArn: (name) => queueArnOf(known(asked, 'queues', name)),
    topicArn: (name) => topicArnOf(known(asked, 'topics', name)),
    inspectQueue: (name) =>
      demand('inspectQueue', 'queues', messaging).inspect(known(asked, 'queues', name)),
    snapshotTable: async (name) => {
      const table = known({ ...asked, tables }, 'tables', name)
      const client = demand('snapshotTable', 'tables', clients.dynamodb)
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
