import { jsonLogger, type Logger } from '../../../library/base/logger.ts'
import { checkDescription, type CloudDescription } from '../description/description.ts'
import { startEventBridge } from '../engines/eventBridge.ts'
import { startInProcess } from '../engines/inProcessEngine.ts'
import { startMessaging, type Messaging } from '../engines/messaging.ts'
import { toDepth } from '../engines/queueContents.ts'
import { createTables } from '../engines/tables.ts'
import type { Observer, CloudChanged, CloudShape } from '../observe/event.ts'
import { listening, isUp, type Listening, watchDepths } from '../observe/publish.ts'
import { destroyClients, type Endpoints, makeClients } from '../sdk/clients.ts'
import { type Disposers, runAll, stopLater, openCloud, type LocalCloud } from './openCloud.ts'
import { makeInstruments } from './instruments.ts'

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
 * Starts SQS, SNS and S3 (fauxqs) and DynamoDB (an engine of Lineclear's) in this process, on free ports, and creates the queues, topics,
 * tables and buckets of `description`. With LINECLEAR_DYNAMODB_ENDPOINT set, the tables are created in that engine unless they exist, and
 * stay there.
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
  const { queues = {}, topics = {}, buses = {}, tables = {}, buckets = [] } = description
  const needsMessaging = !isEmpty(queues) || !isEmpty(topics) || buckets.length > 0
  const sqs = () => ({ client: clients.sqs, endpoint: endpoints.sqs ?? '' })
  const [messaging, eventBridge, engine] = await Promise.all([
    needsMessaging ? stopLater(disposers, startMessaging()) : undefined,
    isEmpty(buses) ? undefined : stopLater(disposers, startEventBridge(buses, sqs)),
    isEmpty(tables) ? undefined : stopLater(disposers, startDynamodb()),
  ])
  const endpoints: Endpoints = {
    ...(messaging && { sqs: messaging.endpoint, sns: messaging.endpoint }),
    ...(eventBridge && { eventBridge: eventBridge.endpoint }),
    ...(engine && { dynamodb: engine.endpoint }),
    ...(messaging && buckets.length > 0 && { s3: messaging.endpoint }),
  }
  const clients = await makeClients(endpoints)
  disposers.push(() => Promise.resolve(destroyClients(clients)))
  for (const [name, queue] of Object.entries(queues)) messaging?.createQueue(name, queue)
  for (const [name, topic] of Object.entries(topics)) messaging?.createTopic(name, topic)
  for (const name of buckets) messaging?.createBucket(name)
  if (clients.dynamodb !== undefined) await createTables(clients.dynamodb, tables)
  return openCloud(description, {
    endpoints,
    clients,
    disposers,
    instruments: makeInstruments(description, endpoints, disposers),
    look: messaging && (async (queue) => messaging.inspect(queue)),
    lookNow: messaging?.inspect,
    stopped: observeCloud(description, endpoints, messaging, listening(observe, logger)),
  })
}

/** The engine at LINECLEAR_DYNAMODB_ENDPOINT is neither emptied nor stopped. */
async function startDynamodb(): ReturnType<typeof startInProcess> {
  const running = process.env['LINECLEAR_DYNAMODB_ENDPOINT']
  return running ? { endpoint: running, stop: () => Promise.resolve() } : startInProcess()
}

function isEmpty(described: object): boolean {
  return Object.keys(described).length === 0
}

/**
 * Publishes that the cloud has started, and then the depths of its queues.
 * @returns a function that ends it, and publishes that the cloud has stopped
 */
function observeCloud(
  description: CloudDescription,
  endpoints: Endpoints,
  messaging: Pick<Messaging, 'inspect'> | undefined,
  listening: Listening,
): () => void {
  const cloud = shapeOf(description)
  const changed = (state: CloudChanged['state']): CloudChanged => {
    return { type: 'cloud', at: Date.now(), state, endpoints, cloud }
  }
  const started = changed('started')
  const down = isUp(started)
  listening()?.(started)
  const queues = Object.keys(cloud.queues)
  const stop =
    messaging && watchDepths(queues, (queue) => toDepth(messaging.inspect(queue)), listening)
  return () => {
    stop?.()
    down()
    listening()?.(changed('stopped'))
  }
}

function shapeOf({ queues = {}, topics = {}, tables = {} }: CloudDescription): CloudShape {
  return {
    queues: mapValues(queues, ({ deadLetter }) =>
      deadLetter === undefined
        ? {}
        : { deadLetter: deadLetter.queue, maxReceiveCount: deadLetter.maxReceiveCount },
    ),
    topics: mapValues(topics, ({ subscriptions = [] }) => ({
      queues: subscriptions.map(({ queue }) => queue),
    })),
    tables: Object.keys(tables),
  }
}

function mapValues<T, U>(
  record: Readonly<Record<string, T>>,
  change: (value: T) => U,
): Readonly<Record<string, U>> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]))
}
