import type { SNSClient } from '@aws-sdk/client-sns'
import type { SQSClient } from '@aws-sdk/client-sqs'
import { toMilliseconds, type Duration } from '../duration.ts'
import type { AttributeInput } from '../record/envelope/checkAttributes.ts'
import { toAttributes } from '../record/envelope/checkAttributes.ts'
import { ConfigError } from '../errors.ts'
import type { LogFields, Logger } from '../logger.ts'
import { memoryStore, type MemoryStore, type MemoryStoreOptions } from './memoryStore.ts'
import { type FakeClock, fakeClock } from './fakeClock.ts'
import { bodyText } from './events/bodyText.ts'
import { checkQueues } from './queues/checkQueues.ts'
import { refuseUnknown } from './queues/checkOptions.ts'
import { deliverNext, type Delivered, type MemoryHandler } from './queues/deliverNext.ts'
import type { QueueDescription } from './queues/description.ts'
import { type MemoryQueues, memoryQueues, type MemoryTopic } from './queues/memoryQueues.ts'
import { openMessage, type OpenedMessage } from './queues/openMessage.ts'
import { memoryQueueArn, memoryQueueUrl, memoryTopicArn } from './queues/arns.ts'
import { nextVisibleAt } from './queues/visibleMessages.ts'
import type { CommandEntry } from './queues/refuseEntry.ts'
import { type SimulatedMessage, type SimulatedQueue, recordOf } from './queues/simulatedQueue.ts'

/** The same description as `startLocalCloud` takes, so that a test can go from one to the other. */
export interface MemoryCloudOptions {
  /** @example { orders: { deadLetter: { queue: 'dead', maxReceiveCount: 5 } }, dead: {}, 'mail.fifo': {} } */
  readonly queues?: Readonly<Record<string, QueueDescription>>
  /** @example { paid: { subscriptions: [{ queue: 'mail' }] } } */
  readonly topics?: Readonly<Record<string, MemoryTopic>>
  /** As for `memoryStore`. Default: every table exists. @example { stock: { hash: 'sku' } } */
  readonly tables?: MemoryStoreOptions['tables']
  /** Default: one that stands still at the present time. */
  readonly clock?: FakeClock
}

export interface MemoryMessage extends OpenedMessage {
  /** `delayed`: never received, and not yet visible. `inFlight`: received, and not yet visible again. */
  readonly state: 'ready' | 'delayed' | 'inFlight'
  /** Epoch milliseconds. */
  readonly enqueuedAt: number
  readonly visibleAt: number
  readonly groupId: string | undefined
  readonly deduplicationId: string | undefined
}

export interface LogLine {
  readonly level: keyof Logger
  readonly message: string
  readonly fields: LogFields
}

export interface SendInMemory {
  readonly attributes?: Readonly<Record<string, AttributeInput>>
  /** FIFO queues and topics. */
  readonly groupId?: string
  readonly deduplicationId?: string
  /** Standard queues, 0 to 15 minutes. */
  readonly delay?: Duration
}

/** SQS, SNS, DynamoDB and the time, in memory: no network, no waiting. It is what `exploreCrashes` hands in, too. */
export interface MemoryCloud {
  readonly store: MemoryStore
  readonly sqs: SQSClient
  readonly sns: SNSClient
  /** Stands still until `clock.advance` or `drain` moves it. */
  readonly clock: FakeClock
  /** Keeps what it is given in `lines`. */
  readonly logger: Logger
  readonly lines: readonly LogLine[]
  queueUrl(name: string): string
  queueArn(name: string): string
  topicArn(name: string): string
  /** Puts a message on a queue, as a sender that knows nothing of Lineclear. A text is the body as it is. @throws as the SDK does */
  send(queue: string, payload: unknown, options?: SendInMemory): void
  publish(topic: string, payload: unknown, options?: Omit<SendInMemory, 'delay'>): void
  /** What is on a queue now, the oldest first. Looking changes nothing. */
  messages(queue: string): readonly MemoryMessage[]
  /** All that was ever published to a topic. */
  published(topic: string): readonly OpenedMessage[]
  /**
   * One invocation, as Lambda makes it: up to `batchSize` messages that can be received now; what the answer does not name is
   * deleted. @throws what the handler throws: then the whole batch stays on the queue, as on Lambda
   */
  deliver(
    queue: string,
    handler: MemoryHandler,
    options?: { readonly batchSize?: number },
  ): Promise<Delivered>
  /**
   * Delivers until nothing is left on the queues, and moves the time on to the next message whenever none can be received.
   * @throws Error when messages still come back after 1,000 deliveries; the queues stay as they are
   */
  drain(handlers: Readonly<Record<string, MemoryHandler>>): Promise<void>
}

/**
 * For unit tests of a handler: what it sends, publishes, re-sends and dead-letters lies on queues in memory.
 * @throws ConfigError naming what is wrong with the description
 * @example
 * const cloud = memoryCloud({ queues: { orders: { deadLetter: { queue: 'dead', maxReceiveCount: 5 } }, dead: {} } })
 * const { store, sqs, sns, clock, logger } = cloud
 * const handler = recordHandler({ name: 'orders', store, sqs, sns, clock, logger }, work)
 * cloud.send('orders', { orderId: 'o1' })
 * await cloud.drain({ orders: handler })
 * expect(cloud.messages('dead')).toEqual([])
 */
export function memoryCloud(options: MemoryCloudOptions = {}): MemoryCloud {
  refuseUnknown('memoryCloud', options, ['queues', 'topics', 'tables', 'clock'])
  const { queues = {}, topics = {}, tables, clock = fakeClock() } = options
  checkQueues(queues, topics)
  for (const { subscriptions = [] } of Object.values(topics))
    for (const each of subscriptions)
      refuseUnknown('memoryCloud: a subscription', each, ['queue', 'raw'])
  const known = memoryQueues(queues, topics, clock)
  const lines: LogLine[] = []
  return {
    store: memoryStore({ clock, ...(tables !== undefined && { tables }) }),
    sqs: known.sqs,
    sns: known.sns,
    clock,
    logger: loggerTo(lines),
    lines,
    queueUrl: (name) => known.queue(name) && memoryQueueUrl(name),
    queueArn: (name) => known.queue(name) && memoryQueueArn(name),
    topicArn: (name) => known.topic(name) && memoryTopicArn(name),
    send: (name, payload, given = {}) => {
      known.queue(name)
      known.accept('SQS', name, { ...entryOf(given), MessageBody: bodyText(payload) })
    },
    publish: (name, payload, given = {}) => {
      known.topic(name)
      known.accept('SNS', name, { ...entryOf(given), Message: bodyText(payload) })
    },
    messages: (name) => {
      const queue = known.queue(name)
      return queue.messages.map((queued) =>
        lookAt(queue, queued, memoryQueueArn(name), clock.now()),
      )
    },
    published: (name) => {
      const topic = known.topic(name)
      return topic.all.map((queued) =>
        openMessage(recordOf(topic, queued, memoryQueueArn(name)), clock.now()),
      )
    },
    deliver: (name, handler, { batchSize = 10 } = {}) =>
      deliverNext({ known, name, handler, clock, batchSize }),
    drain: (handlers) => drain(known, handlers, clock, lines),
  }
}

const MOST_DELIVERIES = 1_000

async function drain(
  known: MemoryQueues,
  handlers: Readonly<Record<string, MemoryHandler>>,
  clock: FakeClock,
  lines: readonly LogLine[],
): Promise<void> {
  const names = Object.keys(handlers)
  for (let delivery = 0; delivery < MOST_DELIVERIES; delivery += 1) {
    const next = names
      .map((name) => ({ name, at: nextVisibleAt(known.queue(name)) }))
      .reduce((soonest, each) => (each.at < soonest.at ? each : soonest), {
        name: '',
        at: Infinity,
      })
    const handler = handlers[next.name]
    if (handler === undefined) return
    if (next.at > clock.now()) clock.set(next.at)
    await deliverNext({ known, name: next.name, handler, clock, batchSize: 10 })
  }
  const last = lines.findLast(({ level }) => level === 'error' || level === 'warn')
  throw new Error(
    `memoryCloud.drain: after ${MOST_DELIVERIES} deliveries there still are messages that come back to ${names.join(', ')}` +
      (last === undefined ? '' : `; the last line of the log: ${last.message}`),
  )
}

function entryOf({ attributes = {}, groupId, deduplicationId, delay }: SendInMemory): CommandEntry {
  const typed = Object.entries(toAttributes(attributes)).map(([name, { type, value }]) => [
    name,
    typeof value === 'string'
      ? { DataType: type, StringValue: value }
      : { DataType: type, BinaryValue: value },
  ])
  return {
    MessageAttributes: Object.fromEntries(typed) as NonNullable<CommandEntry['MessageAttributes']>,
    ...(groupId !== undefined && { MessageGroupId: groupId }),
    ...(deduplicationId !== undefined && { MessageDeduplicationId: deduplicationId }),
    ...(delay !== undefined && { DelaySeconds: secondsOf(delay) }),
  }
}

function secondsOf(delay: Duration): number {
  const seconds = toMilliseconds('delay', delay) / 1_000
  if (Number.isInteger(seconds)) return seconds
  throw new ConfigError(`delay: SQS counts whole seconds, got ${JSON.stringify(delay)}`)
}

function lookAt(
  queue: SimulatedQueue,
  queued: SimulatedMessage,
  arn: string,
  now: number,
): MemoryMessage {
  const { visibleAt, receives, sentAt, message } = queued
  const hidden = receives > 0 ? 'inFlight' : 'delayed'
  return {
    ...openMessage(recordOf(queue, queued, arn), now),
    state: visibleAt <= now ? 'ready' : hidden,
    enqueuedAt: sentAt,
    visibleAt,
    groupId: message.groupId,
    deduplicationId: message.deduplicationId,
  }
}

function loggerTo(lines: LogLine[]): Logger {
  const at =
    (level: keyof Logger): Logger['info'] =>
    (message, ...fields) =>
      void lines.push({ level, message, fields: Object.assign({}, ...fields) as LogFields })
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}
