import type { SQSClient } from '@aws-sdk/client-sqs'
import type { BusClient, SnsClient } from '../../library/protocol/send/messenger.ts'

/** The clients of a simulated cloud, for the option `clients` of every handler. */
export interface MemoryClients {
  readonly sqs: SQSClient
  readonly sns: SnsClient
  readonly eventBridge: BusClient
}
