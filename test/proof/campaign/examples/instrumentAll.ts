import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { S3Client } from '@aws-sdk/client-s3'
import { SNSClient } from '@aws-sdk/client-sns'
import { SQSClient } from '@aws-sdk/client-sqs'
import type { LocalCloud } from '../../../../src/testing/local/index.ts'

type Sdk = DynamoDBClient | S3Client | SNSClient | SQSClient

/**
 * The examples make their clients themselves, as users do: faults reach each one from its first call on, until disposed. Clients
 * with an endpoint of their own are those of other clouds in the process, whose tables this cloud would refuse.
 */
export function instrumentAll(cloud: LocalCloud): Disposable {
  const prototypes = [DynamoDBClient, S3Client, SNSClient, SQSClient].map(
    ({ prototype }) => prototype,
  )
  for (const prototype of prototypes) {
    const send: unknown = Reflect.get(prototype, 'send')
    if (typeof send !== 'function') throw new Error('the SDK has changed: its clients have no send')
    const value = function (this: Sdk, ...args: readonly unknown[]): unknown {
      const client = this.config.isCustomEndpoint === true ? this : cloud.instrument(this)
      return Reflect.apply(send, client, args)
    }
    Object.defineProperty(prototype, 'send', { value, configurable: true })
  }
  return {
    [Symbol.dispose]: () => {
      for (const prototype of prototypes) Reflect.deleteProperty(prototype, 'send')
    },
  }
}
