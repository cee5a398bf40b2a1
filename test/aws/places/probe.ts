import { setTimeout as sleep } from 'node:timers/promises'
import {
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs'
import type { Answered } from '../checks/desk.ts'
import { OWN_ID } from '../checks/lambda.ts'

/** The source of a function that answers its queue with what the message says. */
export const PROBE = `exports.handler = async ({ Records: [record] }) =>
  JSON.parse(record.body.replaceAll('${OWN_ID}', record.messageId)).answer`

const GIVEN_UP_MS = 180_000
/** Counts of a queue are approximate. */
const EMPTY_LOOKS = 3

/** @param dead gets what was kept, after two receives @param pauseMs between two looks, longer than a message is hidden */
export function answeredBy(
  sqs: SQSClient,
  { queue, dead }: { readonly queue: string; readonly dead: string },
  pauseMs: number,
): Answered {
  const kept = new Set<string | undefined>()
  const collect = async (): Promise<void> => {
    const asked = { QueueUrl: dead, MaxNumberOfMessages: 10, WaitTimeSeconds: 1 }
    const { Messages = [] } = await sqs.send(new ReceiveMessageCommand(asked))
    for (const { MessageId, ReceiptHandle } of Messages) {
      kept.add(MessageId)
      await sqs.send(new DeleteMessageCommand({ QueueUrl: dead, ReceiptHandle }))
    }
  }
  const isEmpty = async (): Promise<boolean> => {
    const AttributeNames = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible']
    const asked = { QueueUrl: queue, AttributeNames: AttributeNames as never }
    const { Attributes = {} } = await sqs.send(new GetQueueAttributesCommand(asked))
    return Object.values(Attributes).every((count) => count === '0')
  }
  return async (answer) => {
    const MessageBody = JSON.stringify({ answer })
    const { MessageId } = await sqs.send(new SendMessageCommand({ QueueUrl: queue, MessageBody }))
    const until = Date.now() + GIVEN_UP_MS
    for (let empty = 0; Date.now() < until; empty = (await isEmpty()) ? empty + 1 : 0) {
      await sleep(pauseMs)
      await collect()
      if (kept.has(MessageId)) return 'kept'
      if (empty >= EMPTY_LOOKS) return 'deleted'
    }
    throw new Error('it neither came to the dead-letter queue nor left its own')
  }
}
