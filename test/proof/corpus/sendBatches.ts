import { SendMessageBatchCommand } from '@aws-sdk/client-sqs'
import { PublishBatchCommand } from '@aws-sdk/client-sns'
import type { LocalCloud } from 'lineclear/local'
import type { Webhook } from './payloads.ts'

/** SNS takes 256 KiB for all entries of a batch together. */
const MOST_BYTES = 240 * 1024
const MOST_ENTRIES = 10

export type Target = { readonly queue: string } | { readonly topic: string }

/** Each webhook as one message, with its event, its place in the corpus, and as many more as asked for as attributes. */
export async function sendBatches(
  cloud: LocalCloud,
  target: Target,
  webhooks: readonly Webhook[],
  attributes: number,
): Promise<void> {
  for (const batch of inBatches(webhooks, attributes)) {
    const { Failed = [] } = await ('queue' in target
      ? cloud.sqs.send(
          new SendMessageBatchCommand({
            QueueUrl: cloud.queueUrl(target.queue),
            Entries: batch.map(({ body, ...entry }) => ({ ...entry, MessageBody: body })),
          }),
        )
      : cloud.sns.send(
          new PublishBatchCommand({
            TopicArn: cloud.topicArn(target.topic),
            PublishBatchRequestEntries: batch.map(({ body, ...entry }) => ({
              ...entry,
              Message: body,
            })),
          }),
        ))
    if (Failed.length > 0) throw new Error(`not sent: ${JSON.stringify(Failed)}`)
  }
}

interface Entry {
  readonly Id: string
  readonly body: string
  readonly MessageAttributes: Record<string, { DataType: string; StringValue: string }>
}

function inBatches(webhooks: readonly Webhook[], attributes: number): readonly Entry[][] {
  const batches: Entry[][] = []
  let left = 0
  for (const [index, webhook] of webhooks.entries()) {
    const bytes = Buffer.byteLength(webhook.body) + 200
    if (left < bytes || batches.at(-1)?.length === MOST_ENTRIES) {
      batches.push([])
      left = MOST_BYTES
    }
    batches.at(-1)?.push(toEntry(webhook, index, attributes))
    left -= bytes
  }
  return batches
}

function toEntry({ event, body }: Webhook, index: number, attributes: number): Entry {
  return {
    Id: String(index),
    body,
    MessageAttributes: {
      event: { DataType: 'String', StringValue: event },
      place: { DataType: 'Number', StringValue: String(index) },
      ...Object.fromEntries(
        Array.from({ length: attributes - 2 }, (_, nth) => [
          `more-${nth}`,
          { DataType: 'String', StringValue: 'x' },
        ]),
      ),
    },
  }
}
