import { hash, randomUUID } from 'node:crypto'
import type { SNSClient } from '@aws-sdk/client-sns'
import type { SQSClient } from '@aws-sdk/client-sqs'
import type { Clock } from '../../clock.ts'
import { ConfigError } from '../../errors.ts'
import type { QueueMessage } from '../../queue/messenger.ts'
import { payloadText } from '../events/payloadText.ts'
import { snsWrapped } from '../events/snsWrapped.ts'
import { answerEach, type Asked, type Command, outbound, readCommand } from './commands.ts'
import type { QueueDescription, TopicDescription } from './description.ts'
import { isFifo, nameIn, queueArnOf, topicArnOf } from './arns.ts'
import { type Entry, type Refusal, refuseMessage, refuseVisibility, toError } from './refusals.ts'
import { hide, openQueue, put, type Queue, remove } from './sqs.ts'

/** Without filter policies: whether a message passes one, `startLocalCloud` knows. */
export interface MemoryTopic extends Pick<TopicDescription, 'contentBasedDeduplication'> {
  readonly subscriptions?: readonly {
    readonly queue: string
    /** Raw message delivery: the body arrives without SNS's notification. Default false. */
    readonly raw?: boolean
  }[]
}

export interface MemoryQueues {
  readonly sqs: SQSClient
  readonly sns: SNSClient
  /** @throws ConfigError when there is no such queue */
  queue(name: string): Queue
  /** All that was ever published. @throws ConfigError when there is no such topic */
  topic(name: string): Queue
  describe(name: string): QueueDescription
  /** @throws as the SDK does, when AWS would not take it */
  accept(service: Asked['service'], place: string, entry: Entry): void
}

type Described<Kind> = Readonly<Record<string, Kind>>

/** SQS and SNS in memory: every call takes place at once, and is refused where AWS refuses it. */
export function memoryQueues(
  queues: Described<QueueDescription>,
  topics: Described<MemoryTopic>,
  clock: Clock,
): MemoryQueues {
  const opened = new Map(
    Object.entries(queues).map(([name, { visibilityTimeout = 30 }]) => [
      name,
      openQueue(isFifo(name), { visibility: visibilityTimeout * 1_000, newId: () => randomUUID() }),
    ]),
  )
  const published = new Map(
    Object.keys(topics).map((name) => [
      name,
      openQueue(isFifo(name), { newId: () => randomUUID() }),
    ]),
  )
  const queue = (name: string): Queue => opened.get(name) ?? unknown('queue', name, opened)
  const topic = (name: string): Queue => published.get(name) ?? unknown('topic', name, published)

  const take = (place: string, message: QueueMessage): void => {
    const { delay = 0 } = queues[place] ?? {}
    const waiting = delay > 0 && !isFifo(place) ? { delaySeconds: delay } : {}
    put(queue(place), { ...waiting, ...message }, clock.now())
  }
  const publish = (place: string, message: QueueMessage): void => {
    const kept = topic(place).all.length
    const { id: messageId } = put(topic(place), message, clock.now())
    // A FIFO topic that knows the deduplication id delivers nothing.
    if (topic(place).all.length === kept) return
    for (const { queue: to, raw = false } of topics[place]?.subscriptions ?? []) {
      const { body, attributes, ...order } = message
      const copy = raw ? { body, attributes } : wrapped(message, place, messageId, clock.now())
      take(to, isFifo(to) ? { ...order, ...copy } : copy)
    }
  }
  const refuseOrTake = (
    service: Asked['service'],
    place: string,
    entry: Entry,
  ): Refusal | undefined => {
    const described = service === 'SQS' ? queues[place] : topics[place]
    if (described === undefined) return missing(service, place)
    const whole = identified(entry, place, described.contentBasedDeduplication)
    const refused = refuseMessage(service, place, whole) ?? withoutName(place, whole)
    if (refused !== undefined) return refused
    if (service === 'SQS') take(place, outbound(whole))
    else publish(place, outbound(whole))
    return undefined
  }

  const run = async (command: Command): Promise<unknown> => {
    const asked = readCommand(command)
    const { place, service } = asked
    if (service === 'SQS' && !opened.has(place)) throw toError(missing(service, place))
    switch (asked.command) {
      case 'SendMessageCommand':
      case 'SendMessageBatchCommand':
      case 'PublishCommand':
      case 'PublishBatchCommand':
        return answerEach(asked, (entry) => refuseOrTake(service, place, entry))
      case 'ChangeMessageVisibilityCommand':
      case 'ChangeMessageVisibilityBatchCommand':
        return answerEach(asked, (entry) => {
          const { ReceiptHandle = '', VisibilityTimeout = 0 } = entry
          const until = clock.now() + VisibilityTimeout * 1_000
          const refused = refuseVisibility(entry)
          if (refused === undefined) hide(queue(place), ReceiptHandle, until)
          return refused
        })
      case 'DeleteMessageCommand':
      case 'DeleteMessageBatchCommand':
        return answerEach(asked, ({ ReceiptHandle = '' }) => {
          remove(queue(place), ReceiptHandle)
          return undefined
        })
      case 'GetQueueAttributesCommand':
        return { Attributes: redrivePolicyOf(queues[place] ?? {}) }
      default:
        throw new ConfigError(
          `memoryCloud: ${asked.command} is not known in memory; nothing was done. Use startLocalCloud of lineclear/local for this test.`,
        )
    }
  }
  // Only what is sent by these commands is known; anything else says so.
  const client: unknown = { send: run }
  return {
    sqs: client as SQSClient,
    sns: client as SNSClient,
    queue,
    topic,
    describe: (name) => queues[name] ?? {},
    accept: (service, place, entry) => {
      const refused = refuseOrTake(service, place, entry)
      if (refused !== undefined) throw toError(refused)
    },
  }
}

function unknown(kind: string, name: string, known: ReadonlyMap<string, Queue>): never {
  throw new ConfigError(
    `memoryCloud: there is no ${kind} ${JSON.stringify(name)}; expected one of ${[...known.keys()].join(', ') || `none: give memoryCloud({ ${kind}s })`}`,
  )
}

function missing(service: Asked['service'], place: string): Refusal {
  return service === 'SQS'
    ? {
        code: 'QueueDoesNotExist',
        message: `there is no queue '${place}': describe it in memoryCloud({ queues })`,
      }
    : {
        code: 'NotFoundException',
        message: `there is no topic '${place}': describe it in memoryCloud({ topics })`,
      }
}

function identified(entry: Entry, place: string, byContent = false): Entry {
  if (!byContent || !isFifo(place) || entry.MessageDeduplicationId !== undefined) return entry
  const { MessageBody, Message = '' } = entry
  return { ...entry, MessageDeduplicationId: hash('sha256', MessageBody ?? Message) }
}

function withoutName(place: string, { MessageDeduplicationId }: Entry): Refusal | undefined {
  if (!isFifo(place) || MessageDeduplicationId !== undefined) return undefined
  const message = 'MessageDeduplicationId is missing, and contentBasedDeduplication is not set'
  return { code: 'InvalidParameterValue', message }
}

function redrivePolicyOf({ deadLetter }: QueueDescription): Record<string, string> {
  if (deadLetter === undefined) return {}
  const deadLetterTargetArn = queueArnOf(deadLetter.queue)
  const { maxReceiveCount } = deadLetter
  return { RedrivePolicy: JSON.stringify({ deadLetterTargetArn, maxReceiveCount }) }
}

function wrapped(
  message: QueueMessage,
  topic: string,
  messageId: string,
  timestamp: number,
): QueueMessage {
  const attributes = Object.fromEntries(
    Object.entries(message.attributes).map(([name, it]) => [
      name,
      'StringValue' in it
        ? { type: it.DataType, value: it.StringValue }
        : { type: it.DataType, value: it.BinaryValue },
    ]),
  )
  const topicArn = topicArnOf(nameIn(topic))
  const { body } = snsWrapped(payloadText(message.body), {
    topicArn,
    messageId,
    attributes,
    timestamp,
  })
  return { body, attributes: {} }
}
