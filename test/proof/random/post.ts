import type { SQSClient } from '@aws-sdk/client-sqs'
import { outbound } from '../../../src/testing/queues/commands.ts'
import type { Entry } from '../../../src/testing/queues/refusals.ts'
import { deadLettersOf, nameIn, queueArnOf } from '../../../src/testing/queues/arns.ts'
import { hide, openQueue, put, type Queue, remove } from '../../../src/testing/queues/sqs.ts'

/** Queues without a service, whose time is that of the history. */
export interface Post {
  readonly client: Pick<SQSClient, 'send'>
  queue(name: string): Queue
  all(): readonly (readonly [string, Queue])[]
}

interface Command {
  readonly input: { readonly QueueUrl: string; readonly Entries?: readonly Entry[] }
}

export function openPost(now: () => number): Post {
  const queues = new Map<string, Queue>()

  function queue(name: string): Queue {
    const known = queues.get(name) ?? openQueue(name.endsWith('.fifo'))
    queues.set(name, known)
    return known
  }

  const commands: Readonly<Record<string, (queue: Queue, entry: Entry) => void>> = {
    SendMessageBatchCommand(to, entry) {
      put(to, outbound(entry), now())
    },
    ChangeMessageVisibilityBatchCommand(of, { ReceiptHandle = '', VisibilityTimeout = 0 }) {
      hide(of, ReceiptHandle, now() + VisibilityTimeout * 1_000)
    },
    DeleteMessageBatchCommand(from, { ReceiptHandle = '' }) {
      remove(from, ReceiptHandle)
    },
  }

  async function send(command: Command): Promise<unknown> {
    const { name } = command.constructor
    const { QueueUrl, Entries = [] } = command.input
    const place = nameIn(QueueUrl)
    if (name === 'GetQueueAttributesCommand') {
      const deadLetterTargetArn = queueArnOf(deadLettersOf(place))
      return { Attributes: { RedrivePolicy: JSON.stringify({ deadLetterTargetArn }) } }
    }
    const carryOut = commands[name]
    if (carryOut === undefined) throw new Error(`${name} is not modelled`)
    for (const entry of Entries) carryOut(queue(place), entry)
    return { Successful: Entries.map(({ Id }) => ({ Id, MessageId: Id })), Failed: [] }
  }

  // Only these commands are modelled; any other one says so.
  const client = { send } as unknown as Pick<SQSClient, 'send'>
  return { client, queue, all: () => [...queues] }
}
