import type { SQSClient } from '@aws-sdk/client-sqs'
import { deadLettersOf, nameIn, queueArnOf, queueUrlOf } from '../../../src/testing/queues/arns.ts'
import { type Letter, put, type Queue, receive, remove } from '../../../src/testing/queues/sqs.ts'
import { openPost, type Post } from '../random/post.ts'

/** The queue from which SQS itself has moved a message. Ids are told apart within one queue only. */
export type Moved = Map<Letter, string>

/** The post, as operators use it too: they also receive, and ask which queues a dead-letter queue serves. */
export function openOffice(now: () => number) {
  const post = openPost(now)
  const moved: Moved = new Map()
  const send = async (command: Parameters<SQSClient['send']>[0]): Promise<unknown> => {
    const input = command.input as { readonly QueueUrl?: string; readonly QueueName?: string }
    const place = input.QueueName ?? nameIn(input.QueueUrl ?? '')
    switch (command.constructor.name) {
      case 'GetQueueUrlCommand':
        return { QueueUrl: queueUrlOf(place) }
      case 'ListDeadLetterSourceQueuesCommand':
        return { queueUrls: sourcesOf(post, place).map(queueUrlOf) }
      case 'ReceiveMessageCommand':
        return { Messages: receiveAll(post.queue(place), place, now(), moved) }
      case 'GetQueueAttributesCommand':
        if (place === deadLettersOf(place)) {
          const { length } = post.queue(place).letters
          return {
            Attributes: { QueueArn: queueArnOf(place), ApproximateNumberOfMessages: length },
          }
        }
    }
    return post.client.send(command as never)
  }
  // Only these commands are modelled; any other one says so.
  return { ...post, moved, sqs: { send } as unknown as SQSClient }
}

export type Office = ReturnType<typeof openOffice>

function sourcesOf(post: Post, dead: string): string[] {
  const names = post.all().map(([name]) => name)
  return names.filter((name) => name !== dead && deadLettersOf(name) === dead)
}

function receiveAll(queue: Queue, name: string, now: number, moved: Moved): unknown[] {
  const visible = queue.letters.filter(({ visibleAt }) => visibleAt <= now)
  return visible.slice(0, 10).map((letter) => {
    const record = receive(queue, letter, now, queueArnOf(name))
    const source = moved.get(letter)
    return {
      MessageId: record.messageId,
      ReceiptHandle: record.receiptHandle,
      Body: record.body,
      MD5OfBody: record.md5OfBody,
      Attributes: {
        ...record.attributes,
        ...(source === undefined ? {} : { DeadLetterQueueSourceArn: queueArnOf(source) }),
      },
      MessageAttributes: letter.message.attributes,
    }
  })
}

/** After too many receipts SQS moves a message itself, with its id and attributes. */
export function moveBySqs(
  { post, moved }: { post: Post; moved: Moved },
  from: string,
  letter: Letter,
): void {
  const dead = post.queue(deadLettersOf(from))
  remove(post.queue(from), letter.id)
  const kept = { ...letter, visibleAt: 0, receives: 0 }
  dead.letters.push(kept)
  moved.set(kept, from)
}

/** As the redrive of SQS does: new messages with the same body, attributes, group and deduplication id. */
export function sendNatively(to: Queue, { message }: Letter, now: number): void {
  put(to, message, now)
}
