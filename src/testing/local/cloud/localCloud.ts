import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { EventBridgeClient } from '@aws-sdk/client-eventbridge'
import type { SNSClient } from '@aws-sdk/client-sns'
import type { SQSClient } from '@aws-sdk/client-sqs'
import type { Depth, QueueContents } from '../engines/queueContents.ts'
import type { Endpoints } from '../sdk/clients.ts'
import type { Instrumentable } from '../sdk/instrument.ts'

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
