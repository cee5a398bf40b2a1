import type { SNSClient } from '@aws-sdk/client-sns'
import type { SQSClient } from '@aws-sdk/client-sqs'
import { sizeOf } from '../envelope/outgoing.ts'
import { inBatches } from './batchOf.ts'
import type { Hidden, Messenger, Outbound } from './messenger.ts'
import { queueUrlOf } from './queueUrl.ts'

export interface MessengerClients {
  readonly sqs?: SQSClient | undefined
  readonly sns?: SNSClient | undefined
}

/** The clients are loaded at the first message: a consumer that sends nothing does not pay for their start-up. */
export function awsMessenger(clients: MessengerClients): Messenger {
  const sqs = lazily(async () => {
    const sdk = await sqsSdk()
    return { sdk, client: clients.sqs ?? new sdk.SQSClient(OWN_ENDPOINT) }
  })
  const sns = lazily(async () => {
    const sdk = await snsSdk()
    return { sdk, client: clients.sns ?? new sdk.SNSClient() }
  })
  return {
    send: (queueUrl, messages) =>
      inBatches(messages.map(sqsEntry), entrySize, async (Entries) => {
        const { sdk, client } = await sqs()
        return client.send(
          new sdk.SendMessageBatchCommand({ QueueUrl: queueUrl, Entries: [...Entries] }),
        )
      }),
    publish: (topicArn, messages) =>
      inBatches(messages.map(snsEntry), entrySize, async (entries) => {
        const { sdk, client } = await sns()
        return client.send(
          new sdk.PublishBatchCommand({
            TopicArn: topicArn,
            PublishBatchRequestEntries: [...entries],
          }),
        )
      }),
    hide: (queueUrl, messages) =>
      inBatches(messages.map(hideEntry), none, async (Entries) => {
        const { sdk, client } = await sqs()
        return client.send(
          new sdk.ChangeMessageVisibilityBatchCommand({
            QueueUrl: queueUrl,
            Entries: [...Entries],
          }),
        )
      }),
    remove: (queueUrl, receiptHandles) =>
      inBatches(
        receiptHandles.map((ReceiptHandle) => ({ ReceiptHandle })),
        none,
        async (Entries) => {
          const { sdk, client } = await sqs()
          return client.send(
            new sdk.DeleteMessageBatchCommand({ QueueUrl: queueUrl, Entries: [...Entries] }),
          )
        },
      ),
    async deadLetterQueueOf(queueUrl) {
      const { sdk, client } = await sqs()
      const { Attributes } = await client.send(
        new sdk.GetQueueAttributesCommand({
          QueueUrl: queueUrl,
          AttributeNames: ['RedrivePolicy'],
        }),
      )
      return deadLetterUrl(Attributes?.['RedrivePolicy'], queueUrl)
    },
  }
}

export const sqsSdk: () => Promise<typeof import('@aws-sdk/client-sqs')> = lazily(
  () => import('@aws-sdk/client-sqs'),
)
export const snsSdk: () => Promise<typeof import('@aws-sdk/client-sns')> = lazily(
  () => import('@aws-sdk/client-sns'),
)

/** Else AWS_ENDPOINT_URL_SQS would be passed over for the host in the queue's URL. */
const OWN_ENDPOINT = { useQueueUrlAsEndpoint: false }

function lazily<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => (made ??= make())
}

function sqsEntry(message: Outbound) {
  return {
    MessageBody: message.body,
    MessageAttributes: message.attributes,
    ...(message.delaySeconds === undefined ? {} : { DelaySeconds: message.delaySeconds }),
    ...orderOf(message),
  }
}

function snsEntry(message: Outbound) {
  return { Message: message.body, MessageAttributes: message.attributes, ...orderOf(message) }
}

function orderOf(message: Outbound): { MessageGroupId?: string; MessageDeduplicationId?: string } {
  return {
    ...(message.groupId === undefined ? {} : { MessageGroupId: message.groupId }),
    ...(message.deduplicationId === undefined
      ? {}
      : { MessageDeduplicationId: message.deduplicationId }),
  }
}

function hideEntry({ receiptHandle, seconds }: Hidden) {
  return { ReceiptHandle: receiptHandle, VisibilityTimeout: seconds }
}

function entrySize(entry: {
  MessageBody?: string
  Message?: string
  MessageAttributes: Outbound['attributes']
}): number {
  return sizeOf({
    body: entry.MessageBody ?? entry.Message ?? '',
    attributes: entry.MessageAttributes,
  })
}

function none(): number {
  return 0
}

function deadLetterUrl(policy: string | undefined, queueUrl: string): string | undefined {
  if (policy === undefined || policy === '') return undefined
  const parsed: unknown = JSON.parse(policy)
  if (typeof parsed !== 'object' || parsed === null || !('deadLetterTargetArn' in parsed)) {
    return undefined
  }
  const arn = parsed.deadLetterTargetArn
  return typeof arn === 'string' ? queueUrlOf(arn, queueUrl) : undefined
}
