import { setTimeout as sleep } from 'node:timers/promises'
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  StartMessageMoveTaskCommand,
} from '@aws-sdk/client-sqs'
import { type Check, LAXER, nameOf, outcomeOf } from './check.ts'
import type { Desk, Queue } from './desk.ts'

const API = 'https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference'
const GUIDE = 'https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide'
const LIMITS = 'src/library/base/limits'
const MEBIBYTE = 1_048_576

const text = (StringValue: string) => ({ DataType: 'String', StringValue })
const attributes = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, nth) => [`a${nth}`, text('x')]))

type Sent = Omit<ConstructorParameters<typeof SendMessageCommand>[0], 'QueueUrl'>

function send({ clients }: Desk, { url: QueueUrl }: Queue, sent: Sent) {
  return clients.sqs.send(new SendMessageCommand({ QueueUrl, ...sent }))
}

async function sending(desk: Desk, ...sent: readonly Sent[]): Promise<string> {
  const queue = await desk.queue()
  const outcomes: string[] = []
  for (const each of sent) outcomes.push(await outcomeOf(send(desk, queue, each)))
  return outcomes.join(', ')
}

async function sendBatch(desk: Desk, entries: readonly Sent[]) {
  const { url: QueueUrl } = await desk.queue()
  const Entries = entries.map((entry, nth) => ({ Id: String(nth), ...entry }))
  return desk.clients.sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries }))
}

/** A queue whose messages go to `dead` once they have been received. */
async function withDeadLetters(
  desk: Desk,
): Promise<{ readonly queue: Queue; readonly dead: Queue }> {
  const dead = await desk.queue()
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: dead.arn, maxReceiveCount: 1 })
  return { dead, queue: await desk.queue({ VisibilityTimeout: '1', RedrivePolicy }) }
}

/** Sends it, receives it, and waits for it in the other queue. */
async function moved(desk: Desk, sent: Sent) {
  const { queue, dead } = await withDeadLetters(desk)
  const { MessageId } = await send(desk, queue, sent)
  await desk.receive(queue)
  await sleep(1_500)
  // Whoever asks next moves it.
  await desk.receive(queue, 1, 3)
  const [message] = await desk.receive(dead, 1, 20)
  return { queue, dead, MessageId, message }
}

const FIFO = { FifoQueue: 'true', ContentBasedDeduplication: 'true' }

export const SQS_CHECKS: readonly Check[] = [
  {
    name: 'a message of 1 MiB, and of one byte more',
    expected: 'accepted, InvalidParameterValue',
    source: `${GUIDE}/quotas-messages.html`,
    reliesOn: LIMITS,
    run: (desk) =>
      sending(
        desk,
        { MessageBody: 'x'.repeat(MEBIBYTE) },
        { MessageBody: 'x'.repeat(MEBIBYTE + 1) },
      ),
  },
  {
    name: 'a batch of more than 1 MiB together',
    expected: 'BatchRequestTooLong',
    source: `${API}/API_SendMessageBatch.html`,
    reliesOn: 'src/library/adapters/send',
    run: async (desk) => {
      const MessageBody = 'x'.repeat(MEBIBYTE / 2 + 1)
      return outcomeOf(sendBatch(desk, [{ MessageBody }, { MessageBody }]))
    },
  },
  {
    name: 'ten message attributes, and eleven',
    expected: 'accepted, InvalidParameterValue',
    source: `${GUIDE}/quotas-messages.html`,
    reliesOn: LIMITS,
    otherwise: { ministack: ['accepted, accepted', LAXER] },
    run: (desk) =>
      sending(
        desk,
        { MessageBody: 'x', MessageAttributes: attributes(10) },
        { MessageBody: 'x', MessageAttributes: attributes(11) },
      ),
  },
  {
    name: 'a delay of 900 s, and of 901 s',
    expected: 'accepted, InvalidParameterValue',
    source: `${API}/API_SendMessage.html`,
    reliesOn: 'src/library/features/delay',
    otherwise: { ministack: ['accepted, accepted', LAXER] },
    run: (desk) =>
      sending(
        desk,
        { MessageBody: 'x', DelaySeconds: 900 },
        { MessageBody: 'x', DelaySeconds: 901 },
      ),
  },
  {
    name: 'characters beyond the first plane, and control characters',
    expected: 'accepted, InvalidMessageContents',
    source: `${API}/API_SendMessage.html`,
    reliesOn: 'src/library/base/limits',
    run: (desk) => sending(desk, { MessageBody: 'a 🚲' }, { MessageBody: 'a \u0000' }),
  },
  {
    name: 'one entry of a batch is refused',
    expected: '0 accepted; 1 InvalidParameterValue, by the sender',
    source: `${API}/API_BatchResultErrorEntry.html`,
    reliesOn: 'src/library/adapters/send',
    otherwise: { ministack: ['0 accepted; 1 accepted', LAXER] },
    run: async (desk) => {
      const entries = [{ MessageBody: 'x' }, { MessageBody: 'x', DelaySeconds: 901 }]
      const { Successful = [], Failed = [] } = await sendBatch(desk, entries)
      const accepted = Successful.map(({ Id }) => `${Id} accepted`)
      const failed = Failed.map(
        ({ Id, Code, SenderFault }) =>
          `${Id} ${nameOf(Code)}${SenderFault === true ? ', by the sender' : ''}`,
      )
      return [...accepted, ...failed].join('; ')
    },
  },
  {
    name: 'attributes that nobody asked for',
    expected: 'withheld',
    source: `${API}/API_ReceiveMessage.html`,
    reliesOn: 'src/tools/operator/dlq',
    run: async (desk) => {
      const queue = await desk.queue()
      await send(desk, queue, { MessageBody: 'x', MessageAttributes: attributes(1) })
      const asked = { QueueUrl: queue.url, WaitTimeSeconds: 5 }
      const { Messages = [] } = await desk.clients.sqs.send(new ReceiveMessageCommand(asked))
      return Messages[0]?.MessageAttributes === undefined ? 'withheld' : 'given'
    },
  },
  {
    name: 'the tenant of a fair queue, also after a move to the dead-letter queue',
    expected: 'tenant',
    source: `${GUIDE}/sqs-fair-queues.html`,
    reliesOn: 'src/library/adapters/send',
    run: async (desk) => {
      const { message } = await moved(desk, { MessageBody: 'x', MessageGroupId: 'tenant' })
      return message?.Attributes?.['MessageGroupId'] ?? 'none'
    },
  },
  {
    name: 'the move to a dead-letter queue by the receive count',
    expected: 'the same id, its attributes, its source, received 2 times',
    source: `${GUIDE}/sqs-dead-letter-queues.html`,
    reliesOn: 'src/tools/operator/dlq',
    otherwise: {
      local: [
        'the same id, its attributes, its source, received 3 times',
        'fauxqs counts the move as a receive; nothing of ours reads the count of a dead letter but to show it',
      ],
    },
    run: async (desk) => {
      const { MessageId, message, queue } = await moved(desk, {
        MessageBody: 'x',
        MessageAttributes: attributes(1),
      })
      const { ApproximateReceiveCount: count, DeadLetterQueueSourceArn: source } =
        message?.Attributes ?? {}
      return [
        message?.MessageId === MessageId ? 'the same id' : 'another id',
        message?.MessageAttributes?.['a0'] ? 'its attributes' : 'no attributes',
        source === queue.arn ? 'its source' : 'no source',
        `received ${count} times`,
      ].join(', ')
    },
  },
  {
    name: 'the redrive of SQS itself',
    expected: 'another id',
    source: `${GUIDE}/sqs-configure-dead-letter-queue-redrive.html`,
    reliesOn: 'src/tools/operator/dlq',
    otherwise: {
      local: [null, 'fauxqs 2.4.1 has no such request; lineclear dlq redrive receives and sends'],
      ministack: [null, 'it has no such request; lineclear dlq redrive receives and sends'],
    },
    run: async (desk) => {
      const { queue, dead, MessageId, message } = await moved(desk, { MessageBody: 'x' })
      const { ReceiptHandle } = message ?? {}
      const { sqs } = desk.clients
      const asked = { QueueUrl: dead.url, ReceiptHandle, VisibilityTimeout: 0 }
      await sqs.send(new ChangeMessageVisibilityCommand(asked))
      await sqs.send(new StartMessageMoveTaskCommand({ SourceArn: dead.arn }))
      const [again] = await desk.receive(queue, 1, 60)
      if (again === undefined) return 'nothing came'
      return again.MessageId === MessageId ? 'the same id' : 'another id'
    },
  },
  {
    name: 'hiding a message that was deleted',
    expected: 'InvalidParameterValue: Message does not exist',
    source: undefined,
    reliesOn: 'src/library/adapters/send',
    otherwise: {
      ministack: [
        'ReceiptHandleIsInvalid',
        'a name of the API reference; `src/library/adapters/send` reads all',
      ],
    },
    run: async (desk) => {
      const { url: QueueUrl, ...queue } = await desk.queue()
      await send(desk, { url: QueueUrl, ...queue }, { MessageBody: 'x' })
      const [message] = await desk.receive({ url: QueueUrl, ...queue })
      const handle = { QueueUrl, ReceiptHandle: message?.ReceiptHandle }
      await desk.clients.sqs.send(new DeleteMessageCommand(handle))
      return desk.clients.sqs
        .send(new ChangeMessageVisibilityCommand({ ...handle, VisibilityTimeout: 5 }))
        .then(
          () => 'accepted',
          (error: Error) => {
            const said = /message does not exist/i.exec(error.message)?.[0]
            return nameOf(error.name) + (said === undefined ? '' : `: ${said}`)
          },
        )
    },
  },
  {
    name: 'the first receive stays that of the first one',
    expected: 'the same time, received 1 and 2 times',
    source: `${API}/API_ReceiveMessage.html`,
    reliesOn: 'src/library/run/deliver',
    run: async (desk) => {
      const queue = await desk.queue({ VisibilityTimeout: '1' })
      await send(desk, queue, { MessageBody: 'x' })
      const [first] = await desk.receive(queue)
      await sleep(1_500)
      const [second] = await desk.receive(queue)
      const timeOf = (message: typeof first): string | undefined =>
        message?.Attributes?.['ApproximateFirstReceiveTimestamp']
      const isSame = timeOf(first) !== undefined && timeOf(first) === timeOf(second)
      const counts = [first, second].map((each) => each?.Attributes?.['ApproximateReceiveCount'])
      return `${isSame ? 'the same time' : 'another time'}, received ${counts.join(' and ')} times`
    },
  },
  {
    name: 'the trace header of a message comes with it',
    expected: 'the same',
    source: `${GUIDE}/sqs-message-metadata.html`,
    reliesOn: 'src/library/adapters/send',
    run: async (desk) => {
      const queue = await desk.queue()
      const header = 'Root=1-5759e988-bd862e3fe1be46a994272793;Sampled=0'
      const MessageSystemAttributes = { AWSTraceHeader: text(header) }
      await send(desk, queue, { MessageBody: 'x', MessageSystemAttributes })
      const [message] = await desk.receive(queue)
      const got = message?.Attributes?.['AWSTraceHeader']
      return got === header ? 'the same' : String(got)
    },
  },
  {
    name: 'a FIFO queue compares bodies for duplicates, not attributes',
    expected: '1 of 2 messages',
    source: `${GUIDE}/using-messagededuplicationid-property.html`,
    reliesOn: 'src/library/protocol/record/envelope',
    run: async (desk) => {
      const queue = await desk.queue(FIFO)
      for (const count of [1, 2]) {
        const MessageAttributes = attributes(count)
        await send(desk, queue, { MessageBody: 'x', MessageGroupId: 'g', MessageAttributes })
      }
      return `${(await desk.receive(queue, 2, 3)).length} of 2 messages`
    },
  },
  {
    name: 'a FIFO queue takes no delay of a message',
    expected: 'InvalidParameterValue',
    source: `${API}/API_SendMessage.html`,
    reliesOn: 'src/library/adapters/send',
    run: async (desk) => {
      const sent = { MessageBody: 'x', MessageGroupId: 'g', DelaySeconds: 5 }
      return outcomeOf(send(desk, await desk.queue(FIFO), sent))
    },
  },
  {
    name: 'a group of a FIFO queue waits while one of its messages is hidden',
    expected: 'one, then none',
    source: `${GUIDE}/FIFO-queues-understanding-logic.html`,
    reliesOn: LIMITS,
    run: async (desk) => {
      const queue = await desk.queue(FIFO)
      for (const MessageBody of ['1', '2']) {
        await send(desk, queue, { MessageBody, MessageGroupId: 'g' })
      }
      const first = await desk.receive(queue)
      const second = await desk.receive(queue, 1, 2)
      const how = (count: number): string => (count === 0 ? 'none' : 'one')
      return `${how(first.length)}, then ${how(second.length)}`
    },
  },
]
