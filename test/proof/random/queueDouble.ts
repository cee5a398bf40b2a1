import type { SQSClient } from '@aws-sdk/client-sqs'
import { outbound } from '../../../src/testing/queues/commands.ts'
import type { CommandEntry } from '../../../src/testing/queues/refuseEntry.ts'
import {
  deadLetterQueueName,
  lastSegment,
  memoryQueueArn,
} from '../../../src/testing/queues/description.ts'
import {
  hide,
  openSimulatedQueue,
  put,
  type SimulatedQueue,
  remove,
} from '../../../src/testing/queues/simulatedQueue.ts'

/** Queues in memory, with the clock of the history. */
export interface QueueDouble {
  readonly client: Pick<SQSClient, 'send'>
  queue(name: string): SimulatedQueue
  all(): readonly (readonly [string, SimulatedQueue])[]
}

interface Command {
  readonly input: { readonly QueueUrl: string; readonly Entries?: readonly CommandEntry[] }
}

export function openQueueDouble(now: () => number): QueueDouble {
  const queues = new Map<string, SimulatedQueue>()

  function queue(name: string): SimulatedQueue {
    const known = queues.get(name) ?? openSimulatedQueue(name.endsWith('.fifo'))
    queues.set(name, known)
    return known
  }

  const commands: Readonly<Record<string, (queue: SimulatedQueue, entry: CommandEntry) => void>> = {
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
    const place = lastSegment(QueueUrl)
    if (name === 'GetQueueAttributesCommand') {
      const deadLetterTargetArn = memoryQueueArn(deadLetterQueueName(place))
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
