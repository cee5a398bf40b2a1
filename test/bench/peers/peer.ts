import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda'

export type Handler = (event: SQSEvent, context: Context) => Promise<SQSBatchResponse>
export type Work = (payload: unknown) => unknown

export interface PeerOptions {
  readonly client: () => DynamoDBClient
  /** What is to happen once for each message. */
  readonly work: Work
  /** Where the request's identity is: in the record (default), or in `orderId` of the payload. */
  readonly identity?: 'record' | 'payload'
  /** Handlers at once, where the peer knows such a limit. */
  readonly concurrency?: number
  /** Says nothing on the log, where the peer says anything. */
  readonly quiet?: boolean
}

/** One way of running a batch so that each message is worked on once. */
export type Peer = (options: PeerOptions) => Handler
