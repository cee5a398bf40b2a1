import type { SQSClient } from '@aws-sdk/client-sqs'
import {
  deadLetterQueueName,
  lastSegment,
  memoryQueueArn,
  memoryQueueUrl,
} from '../../../src/testing/queues/description.ts'
import {
  type SimulatedMessage,
  put,
  type SimulatedQueue,
  receive,
  remove,
} from '../../../src/testing/queues/simulatedQueue.ts'
import { openQueueDouble, type QueueDouble } from '../random/queueDouble.ts'

/** The queue from which SQS itself has moved a message. Ids are unique within one queue only. */
export type Moved = Map<SimulatedMessage, string>

/** The queue double with what operators also do: receive, and ask which queues a dead-letter queue serves. */
export function openOperatedQueues(now: () => number) {
  const queueDouble = openQueueDouble(now)
  const moved: Moved = new Map()
  const send = async (command: Parameters<SQSClient['send']>[0]): Promise<unknown> => {
    const input = command.input as { readonly QueueUrl?: string; readonly QueueName?: string }
    const place = input.QueueName ?? lastSegment(input.QueueUrl ?? '')
    switch (command.constructor.name) {
      case 'GetQueueUrlCommand':
        return { QueueUrl: memoryQueueUrl(place) }
      case 'ListDeadLetterSourceQueuesCommand':
        return { queueUrls: sourcesOf(queueDouble, place).map(memoryQueueUrl) }
      case 'ReceiveMessageCommand':
        return { Messages: receiveAll(queueDouble.queue(place), place, now(), moved) }
      case 'GetQueueAttributesCommand':
        if (place === deadLetterQueueName(place)) {
          const { length } = queueDouble.queue(place).messages
          return {
            Attributes: { QueueArn: memoryQueueArn(place), ApproximateNumberOfMessages: length },
          }
        }
    }
    return queueDouble.client.send(command as never)
  }
  // Only these commands are modelled; any other one says so.
  return { ...queueDouble, moved, sqs: { send } as unknown as SQSClient }
}

export type OperatedQueues = ReturnType<typeof openOperatedQueues>

function sourcesOf(queueDouble: QueueDouble, dead: string): string[] {
  const names = queueDouble.all().map(([name]) => name)
  return names.filter((name) => name !== dead && deadLetterQueueName(name) === dead)
}

function receiveAll(queue: SimulatedQueue, name: string, now: number, moved: Moved): unknown[] {
  const visible = queue.messages.filter(({ visibleAt }) => visibleAt <= now)
  return visible.slice(0, 10).map((queued) => {
    const record = receive(queue, queued, now, memoryQueueArn(name))
    const source = moved.get(queued)
    return {
      MessageId: record.messageId,
      ReceiptHandle: record.receiptHandle,
      Body: record.body,
      MD5OfBody: record.md5OfBody,
      Attributes: {
        ...record.attributes,
        ...(source === undefined ? {} : { DeadLetterQueueSourceArn: memoryQueueArn(source) }),
      },
      MessageAttributes: queued.message.attributes,
    }
  })
}

/** After too many receipts SQS moves a message itself, with its id and attributes. */
export function moveBySqs(
  { queueDouble, moved }: { queueDouble: QueueDouble; moved: Moved },
  from: string,
  queued: SimulatedMessage,
): void {
  const dead = queueDouble.queue(deadLetterQueueName(from))
  remove(queueDouble.queue(from), queued.id)
  const kept = { ...queued, visibleAt: 0, receives: 0 }
  dead.messages.push(kept)
  moved.set(kept, from)
}

/** As the redrive of SQS does: new messages with the same body, attributes, group and deduplication id. */
export function sendNatively(to: SimulatedQueue, { message }: SimulatedMessage, now: number): void {
  put(to, message, now)
}
