import { type MessageAttributeValue, SendMessageBatchCommand } from '@aws-sdk/client-sqs'
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda'
import type { SqsHandler } from '../../../src/library/entries/consumer/recordHandler.ts'
import type { LocalCloud } from '../../../src/testing/local/index.ts'
import { lambdaContext } from '../../deliver/lambdaContext.ts'

/** Every message that was ever delivered, by its id: a queue may redeliver each at any time. */
export interface Delivered {
  /** The same handler, whose messages are kept. */
  keep(queue: string, handler: SqsHandler): SqsHandler
  /** Sends all of them again, as new messages with what they carry. @returns how many */
  sendAgain(cloud: LocalCloud): Promise<number>
  /** Redelivers all of them, as the same messages, to the handlers that had them. @returns how many */
  bringAgain(): Promise<number>
}

interface Kept {
  readonly queue: string
  readonly record: SQSRecord
  readonly handler: SqsHandler
}

const ENTRIES = 10

export function delivered(): Delivered {
  const kept = new Map<string, Kept>()
  return {
    keep:
      (queue, handler) =>
      (event, context): Promise<SQSBatchResponse> => {
        for (const record of recordsOf(event))
          kept.set(record.messageId, { queue, record, handler })
        return handler(event, context)
      },
    async sendAgain(cloud) {
      const all = [...kept.values()]
      for (const [queue, some] of batchesOf(all)) await send(cloud, queue, some)
      return all.length
    },
    async bringAgain() {
      const all = [...kept.values()]
      for (const [, some] of batchesOf(all)) await bring(some)
      return all.length
    },
  }
}

function recordsOf({ Records }: SQSEvent): readonly SQSRecord[] {
  return structuredClone(Records)
}

function* batchesOf(all: readonly Kept[]): Generator<readonly [string, readonly Kept[]]> {
  for (const [queue, some] of Map.groupBy(all, (each) => each.queue)) {
    for (let from = 0; from < some.length; from += ENTRIES) {
      yield [queue, some.slice(from, from + ENTRIES)]
    }
  }
}

/** A request that has ended is acknowledged, whenever it is redelivered. */
async function bring(some: readonly Kept[]): Promise<void> {
  const [first] = some
  const Records = some.map(({ record }) => record)
  const answer = await first?.handler({ Records }, lambdaContext())
  const left = answer?.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier) ?? []
  if (left.length > 0) {
    throw new Error(`on ${first?.queue}, not acknowledged when they came again: ${left.join()}`)
  }
}

async function send(cloud: LocalCloud, queue: string, some: readonly Kept[]): Promise<void> {
  const answer = await cloud.sqs.send(
    new SendMessageBatchCommand({
      QueueUrl: cloud.queueUrl(queue),
      Entries: some.map(({ record }, index) => ({
        Id: String(index),
        MessageBody: record.body,
        MessageAttributes: attributesOf(record),
      })),
    }),
  )
  if ((answer.Failed ?? []).length > 0) throw new Error('a message was not accepted again')
}

function attributesOf({ messageAttributes }: SQSRecord): Record<string, MessageAttributeValue> {
  const texts = Object.entries(messageAttributes).map(
    ([name, { dataType, stringValue }]) =>
      [name, { DataType: dataType, StringValue: stringValue }] as const,
  )
  return Object.fromEntries(texts)
}
