import { hash, randomUUID } from 'node:crypto'
import type { SQSClient } from '@aws-sdk/client-sqs'
import type { SnsClient, QueueMessage } from '../../library/protocol/send/messenger.ts'
import type { Clock } from '../../library/base/clock.ts'
import { ConfigError } from '../../library/base/errors.ts'
import { bodyText } from '../events/sqsEvent.ts'
import { snsWrapped } from '../events/snsWrapped.ts'
import {
  carryOut,
  type CommandRequest,
  type SdkCommand,
  outbound,
  readCommand,
} from './commands.ts'
import {
  type QueueDescription,
  type TopicDescription,
  isFifoName,
  lastSegment,
  memoryTopicArn,
} from './description.ts'
import { type CommandEntry, type AwsRefusal, refuseEntry, toSdkError } from './refuseEntry.ts'
import { openSimulatedQueue, put, type SimulatedQueue } from './simulatedQueue.ts'

/** A topic in memory. It has no filter policies; use `startLocalCloud` to test those. */
export interface MemoryTopic extends Pick<TopicDescription, 'contentBasedDeduplication'> {
  readonly subscriptions?: readonly {
    readonly queue: string
    /** Raw message delivery: the body arrives without SNS's notification. Default false. */
    readonly raw?: boolean
  }[]
}

export interface MemoryQueues {
  readonly sqs: SQSClient
  readonly sns: SnsClient
  /** @throws ConfigError when there is no such queue */
  queue(name: string): SimulatedQueue
  /** Every message that was published. @throws ConfigError when there is no such topic */
  topic(name: string): SimulatedQueue
  describe(name: string): QueueDescription
  /** @throws the SDK's error when AWS would refuse the message */
  accept(service: CommandRequest['service'], target: string, entry: CommandEntry): void
}

type Described<Kind> = Readonly<Record<string, Kind>>

/** SQS and SNS in memory: every call takes effect at once, or is refused where AWS refuses it. */
export function memoryQueues(
  queues: Described<QueueDescription>,
  topics: Described<MemoryTopic>,
  clock: Clock,
): MemoryQueues {
  const open = (name: string, { visibilityTimeout = 30 }: QueueDescription = {}) =>
    openSimulatedQueue(isFifoName(name), {
      visibility: visibilityTimeout * 1_000,
      newId: () => randomUUID(),
    })
  const opened = new Map(Object.entries(queues).map(([name, each]) => [name, open(name, each)]))
  const published = new Map(Object.keys(topics).map((name) => [name, open(name)]))
  const queue = (name: string): SimulatedQueue => opened.get(name) ?? unknown('queue', name, opened)
  const topic = (name: string): SimulatedQueue =>
    published.get(name) ?? unknown('topic', name, published)

  const take = (target: string, message: QueueMessage): void => {
    const { delay = 0 } = queues[target] ?? {}
    const waiting = delay > 0 && !isFifoName(target) ? { delaySeconds: delay } : {}
    put(queue(target), { ...waiting, ...message }, clock.now())
  }
  const publish = (target: string, message: QueueMessage): void => {
    const kept = topic(target).all.length
    const { id: messageId } = put(topic(target), message, clock.now())
    // A FIFO topic drops a message whose deduplication id it knows.
    if (topic(target).all.length === kept) return
    for (const { queue: to, raw = false } of topics[target]?.subscriptions ?? []) {
      const { body, attributes, ...order } = message
      const copy = raw ? { body, attributes } : wrapped(message, target, messageId, clock.now())
      take(to, { ...orderFor(to, target, order), ...copy })
    }
  }
  const refuseOrTake = (
    service: CommandRequest['service'],
    target: string,
    entry: CommandEntry,
  ): AwsRefusal | undefined => {
    const described = service === 'SQS' ? queues[target] : topics[target]
    if (described === undefined) return missing(service, target)
    const whole = identified(entry, target, described.contentBasedDeduplication)
    const isRaw = topics[target]?.subscriptions?.some(({ raw }) => raw === true) ?? false
    const most = service === 'SQS' ? queues[target]?.maximumMessageSize : undefined
    const refused = refuseEntry(service, target, whole, isRaw, most) ?? withoutName(target, whole)
    if (refused !== undefined) return refused
    if (service === 'SQS') take(target, outbound(whole))
    else publish(target, outbound(whole))
    return undefined
  }

  const run = async (command: SdkCommand): Promise<unknown> => {
    const asked = readCommand(command)
    const { target, service } = asked
    if (service === 'SQS' && !opened.has(target)) throw toSdkError(missing(service, target))
    const carriedOut = carryOut(asked, {
      take: (entry) => refuseOrTake(service, target, entry),
      queue: () => queue(target),
      now: () => clock.now(),
      deadLetter: queues[target]?.deadLetter,
    })
    if (carriedOut !== undefined) return carriedOut()
    throw new ConfigError(
      `memoryCloud: ${asked.command} is not supported in memory; nothing was done. Use startLocalCloud of lineclear/local for this test.`,
    )
  }
  // Only `send` with these commands is supported; any other command throws.
  const client: unknown = { send: run }
  return {
    sqs: client as SQSClient,
    sns: client as SnsClient,
    queue,
    topic,
    describe: (name) => queues[name] ?? {},
    accept: (service, target, entry) => {
      const refused = refuseOrTake(service, target, entry)
      if (refused !== undefined) throw toSdkError(refused)
    },
  }
}

/**
 * What a subscribed queue gets of group and deduplication id. A standard topic passes the group on to standard queues, as the
 * tenant of a fair queue; a FIFO topic does not.
 */
function orderFor(
  queue: string,
  topic: string,
  order: Omit<QueueMessage, 'body' | 'attributes'>,
): Omit<QueueMessage, 'body' | 'attributes'> {
  if (isFifoName(queue)) return order
  return isFifoName(topic) || order.groupId === undefined ? {} : { groupId: order.groupId }
}

function unknown(kind: string, name: string, known: ReadonlyMap<string, SimulatedQueue>): never {
  throw new ConfigError(
    `memoryCloud: there is no ${kind} ${JSON.stringify(name)}; expected one of ${[...known.keys()].join(', ') || `none: give memoryCloud({ ${kind}s })`}`,
  )
}

function missing(service: CommandRequest['service'], target: string): AwsRefusal {
  const [kind, code] =
    service === 'SQS' ? ['queue', 'QueueDoesNotExist'] : ['topic', 'NotFoundException']
  return {
    code,
    message: `there is no ${kind} '${target}': describe it in memoryCloud({ ${kind}s })`,
  }
}

function identified(entry: CommandEntry, target: string, byContent = false): CommandEntry {
  if (!byContent || !isFifoName(target) || entry.MessageDeduplicationId !== undefined) return entry
  const { MessageBody, Message = '' } = entry
  return { ...entry, MessageDeduplicationId: hash('sha256', MessageBody ?? Message) }
}

function withoutName(
  target: string,
  { MessageDeduplicationId }: CommandEntry,
): AwsRefusal | undefined {
  if (!isFifoName(target) || MessageDeduplicationId !== undefined) return undefined
  const message = 'MessageDeduplicationId is missing, and contentBasedDeduplication is not set'
  return { code: 'InvalidParameterValue', message }
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
  const topicArn = memoryTopicArn(lastSegment(topic))
  const { body } = snsWrapped(bodyText(message.body), {
    topicArn,
    messageId,
    attributes,
    timestamp,
  })
  return { body, attributes: {} }
}
