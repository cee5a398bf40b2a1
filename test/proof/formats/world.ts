import {
  type GetQueueAttributesCommand,
  type MessageAttributeValue,
  SendMessageBatchCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs'
import type { SQSRecord } from 'aws-lambda'
import type * as main from '../../../src/library/index.ts'
import type { SqsHandler } from '../../../src/library/entries/consumer/recordHandler.ts'
import type { Item, StoreKey } from '../../../src/library/protocol/store/store.ts'
import type { sweepHandler } from '../../../src/library/entries/sweeper/sweepHandler.ts'
import type { fakeClock, memoryStore } from '../../../src/testing/index.ts'
import { lambdaContext } from '../../deliver/lambdaContext.ts'
import { quietLogger } from '../../deliver/quietLogger.ts'

/** A version of Lineclear, as far as the lives use it. */
export type Library = Pick<
  typeof main,
  'recordHandler' | 'defineFlow' | 'storedDelays' | 'idempotent' | 'TerminalError'
> & {
  readonly memoryStore: typeof memoryStore
  readonly fakeClock: typeof fakeClock
  readonly sweepHandler: typeof sweepHandler
}

export interface Sent {
  readonly queue: string
  readonly body: string
  readonly attributes: Readonly<Record<string, string>>
}

/** What a version has left behind: its items, whose sets are lists here, and the messages that no one has received. */
export interface Left {
  readonly items: readonly Readonly<Record<string, unknown>>[]
  readonly messages: readonly Sent[]
}

const BEGAN = 1_800_000_000_000
const ACCOUNT = '123456789012'
const REDRIVE_POLICY = JSON.stringify({
  deadLetterTargetArn: `arn:aws:sqs:eu-west-1:${ACCOUNT}:dead`,
  maxReceiveCount: 1_000,
})

export const urlOf = (queue: string): string =>
  `https://sqs.eu-west-1.amazonaws.com/${ACCOUNT}/${queue}`

/** A table, queues, and a clock that stands still. */
export async function openWorld(library: Library, before?: Left) {
  const clock = library.fakeClock(BEGAN)
  const store = library.memoryStore({ clock: { now: clock.now, sleep: async () => {} } })
  const queued: Sent[] = [...(before?.messages ?? [])]
  if (before !== undefined) await store.create(before.items.map(toItem))
  const sqs = {
    async send(command: GetQueueAttributesCommand | SendMessageBatchCommand) {
      if (!(command instanceof SendMessageBatchCommand))
        return { Attributes: { RedrivePolicy: REDRIVE_POLICY } }
      const { QueueUrl = '', Entries = [] } = command.input
      const queue = QueueUrl.slice(QueueUrl.lastIndexOf('/') + 1)
      for (const { MessageBody: body = '', MessageAttributes = {} } of Entries)
        queued.push({ queue, body, attributes: textsOf(MessageAttributes) })
      return { Successful: Entries.map(({ Id }) => ({ Id, MessageId: `m-${queued.length}` })) }
    },
  }
  return {
    advance: clock.advance,
    /** Outside calls, by name. */
    calls: [] as string[],
    options: {
      store,
      clock: { now: clock.now, sleep: async () => {} },
      logger: quietLogger(),
      clients: { sqs: sqs as object as SQSClient },
    },
    put: (queue: string, payload: unknown, attributes: Sent['attributes'] = {}) => {
      queued.push({ queue, body: JSON.stringify(payload), attributes })
    },
    /** Delivers all of a queue to a consumer of `to`. @returns how many came back */
    async deliver(queue: string, handler: SqsHandler, to = queue): Promise<number> {
      const messages = queued.filter((message) => message.queue === queue)
      for (const message of messages) queued.splice(queued.indexOf(message), 1)
      const Records = messages.map((message, nth) => toRecord(message, `m-${to}-${nth}`, to))
      const answer = await handler({ Records }, lambdaContext())
      return answer.batchItemFailures.length
    },
    count: (id: string): unknown =>
      store.userItems('effects').find((item) => item['id'] === id)?.['n'],
    waiting: (): readonly string[] => queued.map(({ queue }) => queue),
    left: (): Left => ({ items: store.items().map(fromItem), messages: queued.map(comparable) }),
  }

  function toRecord({ body, attributes }: Sent, messageId: string, queue: string): SQSRecord {
    const messageAttributes = Object.fromEntries(
      Object.entries(attributes).map(([name, stringValue]) => [
        name,
        { dataType: 'String' as const, stringValue },
      ]),
    )
    return {
      messageId,
      receiptHandle: messageId,
      body,
      attributes: {
        ApproximateReceiveCount: '1',
        SentTimestamp: String(clock.now()),
        SenderId: 'sender',
        ApproximateFirstReceiveTimestamp: String(clock.now()),
      },
      messageAttributes,
      md5OfBody: '',
      eventSource: 'aws:sqs',
      eventSourceARN: `arn:aws:sqs:eu-west-1:${ACCOUNT}:${queue}`,
      awsRegion: 'eu-west-1',
    }
  }
}

export type World = Awaited<ReturnType<typeof openWorld>>

function textsOf(attributes: Readonly<Record<string, MessageAttributeValue>>): Sent['attributes'] {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, { StringValue = '' }]) => [name, StringValue]),
  )
}

function toItem(item: Left['items'][number]): Item & StoreKey {
  const values = Object.entries(item).map(([name, value]) => [
    name,
    Array.isArray(value) ? new Set(value) : value,
  ])
  return Object.fromEntries(values) as Item & StoreKey
}

/** Without what is random, and without the paths of this machine. */
function fromItem(item: Item): Left['items'][number] {
  const { stack: _stack, ...others } = item
  const values = Object.entries(others).map(([name, value]) => [
    name,
    value instanceof Set ? sorted(value as ReadonlySet<string>) : withoutRandom(value),
  ])
  return Object.fromEntries(values) as Left['items'][number]
}

function comparable({ queue, body, attributes }: Sent): Sent {
  const texts = Object.entries(attributes).map(([name, text]) => [
    name,
    text.replace(/,"stack":"(?:[^"\\]|\\.)*"/, ''),
  ])
  return { queue, body, attributes: Object.fromEntries(texts) }
}

/** The first ten characters of an attempt's id are its time. */
function withoutRandom(value: unknown): unknown {
  return typeof value === 'string'
    ? value.replace(/\b([0-9A-HJKMNP-TV-Z]{10})[0-9A-HJKMNP-TV-Z]{16}\b/g, '$1XXXXXXXXXXXXXXXX')
    : value
}

function sorted(texts: ReadonlySet<string>): readonly string[] {
  return [...texts].toSorted((one, other) => (one < other ? -1 : 1))
}
