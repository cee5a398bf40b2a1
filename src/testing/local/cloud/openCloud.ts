import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { EventBridgeClient } from '@aws-sdk/client-eventbridge'
import type { SNSClient } from '@aws-sdk/client-sns'
import type { SQSClient } from '@aws-sdk/client-sqs'
import { ConfigError } from '../../../library/base/errors.ts'
import {
  type Depth,
  type QueueContents,
  type InspectedQueue,
  toContents,
  toDepth,
} from '../engines/queueContents.ts'
import { type Endpoints, type LocalClients, environmentOf } from '../sdk/clients.ts'
import { type Instrumentable, instrument, type Instruments } from '../sdk/instrument.ts'
import {
  localBusArn,
  localQueueArn,
  localTopicArn,
  queueUrlAt,
  LOCAL_REGION,
  type CloudDescription,
  requireDescribed,
  requireStarted,
} from '../description/description.ts'
import { instrumentAll } from '../sdk/instrumentAll.ts'

/** What a cloud is made of, whether its engines run here or in another process. */
interface CloudParts {
  readonly endpoints: Endpoints
  readonly clients: LocalClients
  readonly instruments: Instruments
  /** Stop what was started, the last one first. */
  readonly disposers: Disposers
  /** How queues are looked into. undefined: there are none. */
  readonly look: ((queue: string) => Promise<InspectedQueue | undefined>) | undefined
  /** In the process of the engine, at once. */
  readonly lookNow?: ((queue: string) => InspectedQueue | undefined) | undefined
  /** Called when all of it has stopped. */
  stopped(): void
}

export function openCloud(description: CloudDescription, parts: CloudParts): LocalCloud {
  const { endpoints, clients, instruments, disposers } = parts
  const { queues = {}, topics = {}, buses = {} } = description
  const asked = { queues, topics, buses }
  const known = new WeakSet<object>()
  const instrumented = <Client extends Instrumentable>(client: Client): Client => {
    if (known.has(client)) return client
    known.add(client)
    return instrument(client, instruments)
  }
  for (const client of Object.values(clients)) if (client !== undefined) instrumented(client)
  const consumers: Disposers = []
  let stopping: Promise<void> | undefined
  const stop = (): Promise<void> =>
    (stopping ??= stopAll(consumers, disposers).finally(parts.stopped))
  const look = async (name: string): Promise<InspectedQueue | undefined> => {
    requireDescribed(asked, 'queues', name)
    return requireStarted('inspectQueue', 'queues', parts.look)(name)
  }
  return {
    region: LOCAL_REGION,
    endpoints,
    environment: environmentOf(endpoints),
    get sqs() {
      return requireStarted('sqs', 'queues', clients.sqs)
    },
    get sns() {
      return requireStarted('sns', 'topics', clients.sns)
    },
    get eventBridge() {
      return requireStarted('eventBridge', 'buses', clients.eventBridge)
    },
    get dynamodb() {
      return requireStarted('dynamodb', 'tables', clients.dynamodb)
    },
    queueUrl: (name) => queueUrlAt(endpoints.sqs ?? '', requireDescribed(asked, 'queues', name)),
    queueArn: (name) => localQueueArn(requireDescribed(asked, 'queues', name)),
    topicArn: (name) => localTopicArn(requireDescribed(asked, 'topics', name)),
    busArn: (name) => localBusArn(requireDescribed(asked, 'buses', name)),
    inspectQueue: (name) => {
      requireDescribed(asked, 'queues', name)
      requireStarted('inspectQueue', 'queues', parts.look)
      if (parts.lookNow !== undefined) return toContents(parts.lookNow(name))
      throw new ConfigError(
        'inspectQueue: this cloud runs in another process: use await cloud.queueContents(name)',
      )
    },
    queueContents: async (name) => toContents(await look(name)),
    queueDepth: async (name) => toDepth(await look(name)),
    instrument: instrumented,
    instrumentAll: async (from) => {
      const undo = await instrumentAll(instruments, known, endpoints, from)
      disposers.push(async () => undo())
    },
    onStop: (cleanUp) => void consumers.push(cleanUp),
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

/** Functions that stop what was started, in the order of the starts. */
export type Disposers = (() => Promise<void>)[]

/** Stops it even if another start fails while this one is still in progress. */
export function stopLater<Started extends { stop(): Promise<void> }>(
  disposers: Disposers,
  starting: Promise<Started>,
): Promise<Started> {
  disposers.push(() =>
    starting.then(
      (started) => started.stop(),
      () => {},
    ),
  )
  return starting
}

/** Runs each function once, the last one first. */
export async function runAll(disposers: Disposers): Promise<void> {
  for (let cleanUp = disposers.pop(); cleanUp !== undefined; cleanUp = disposers.pop())
    await cleanUp()
}

/** Stops the consumers together, then the engines. If a consumer cannot be stopped, the engines still are, and then it throws. */
async function stopAll(consumers: Disposers, engines: Disposers): Promise<void> {
  const stopped = await Promise.allSettled(consumers.map((stop) => stop()))
  await runAll(engines)
  const failed = stopped.find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') throw failed.reason
}

/** SQS, SNS, DynamoDB and S3 on this machine. Only the services that the description needs are started. */
export interface LocalCloud extends AsyncDisposable {
  readonly region: string
  readonly endpoints: Endpoints
  /** Environment variables (region, credentials, endpoints) for another process, or for clients that are made without options. */
  readonly environment: Readonly<Record<string, string>>
  /** Instrumented SDK clients. @throws ConfigError when the description has nothing of the service */
  readonly sqs: SQSClient
  readonly sns: SNSClient
  readonly eventBridge: EventBridgeClient
  readonly dynamodb: DynamoDBClient
  /** @throws ConfigError when the description does not have the queue */
  queueUrl(name: string): string
  queueArn(name: string): string
  topicArn(name: string): string
  busArn(name: string): string
  /**
   * The messages in the queue now. Reading them changes nothing.
   * @throws ConfigError in a joined cloud: use `queueContents`
   */
  inspectQueue(name: string): QueueContents
  /** As `inspectQueue`, also in a joined cloud. */
  queueContents(name: string): Promise<QueueContents>
  /** How many messages the queue holds now. */
  queueDepth(name: string): Promise<Depth>
  /**
   * Prepares a client of your own: it validates requests as AWS does, restores attributes that the engines lose, and injects the
   * faults of a mapping. Returns the same client.
   */
  instrument<Client extends Instrumentable>(client: Client): Client
  /**
   * Does so with each SDK client for SQS, SNS, DynamoDB and S3 that this process makes, however it was made, from its first call on:
   * such as the clients of a handler that takes none. A client that calls other endpoints than those of this cloud is left as it is.
   * Ends with `stop`. It finds the SDK packages that Lineclear loads, and those that `from` loads.
   * @param from a file, as a path or URL: that of a handler in a folder with packages of its own. Default: the working directory
   */
  instrumentAll(from?: string | URL): Promise<void>
  /** Registers a function that `stop` calls before it stops the engines. */
  onStop(cleanUp: () => Promise<void>): void
  /** Stops the mappings, then the engines, and all data are lost; a joined cloud is only left. May be called again. */
  stop(): Promise<void>
}
