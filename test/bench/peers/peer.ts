import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda'

export type Handler = (event: SQSEvent, context: Context) => Promise<SQSBatchResponse>

export interface PeerOptions {
  /** What is to happen once for each message. */
  readonly work: (payload: unknown) => unknown
  /** Default: the peer makes its own, from the environment. */
  readonly client?: DynamoDBClient
  /** Where the request's identity is: in the record (default), or in `orderId` of the payload. */
  readonly identity?: 'record' | 'payload'
  /** Handlers at once, where the peer knows such a limit. */
  readonly concurrency?: number
  /** Nothing goes to the log, where anything would. */
  readonly quiet?: boolean
  /** With a circuit breaker that stays off, where the peer has one. */
  readonly circuitBreaker?: boolean
}

/** One way of running a batch so that each message is worked on once. */
export type Peer = (options: PeerOptions) => Handler
