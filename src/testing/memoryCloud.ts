import { assertKnown, toMilliseconds } from '../library/base/options.ts'
import type { Duration } from '../library/base/time.ts'
import {
  type AttributeInput,
  toAttributes,
  toOutgoing,
} from '../library/protocol/record/envelope/buildMessage.ts'
import { ConfigError, messageOf } from '../library/base/errors.ts'
import type { LogFields, Logger } from '../library/base/logger.ts'
import {
  memoryStore,
  type MemoryStore,
  type MemoryStoreOptions,
} from '../library/adapters/store/memory/memoryStore.ts'
import type { SqlEffects } from '../library/run/context/sqlEffects.ts'
import type { PostgresTransaction } from '../library/features/sql/pool.ts'
import { type MemoryRows, memorySql, type MemoryStatement, openDatabase } from './sql/memorySql.ts'
import { type FakeClock, fakeClock } from './fakeClock.ts'
import { bodyText } from './events/sqsEvent.ts'
import { checkQueues, PLAIN_SUBSCRIPTION } from './queues/checkQueues.ts'
import { type BusDescription, checkBuses, memoryBuses } from './queues/eventBus.ts'
import {
  deliverNext,
  type Delivered,
  type MemoryHandler,
  openMessage,
  type OpenedMessage,
} from './queues/deliverNext.ts'
import {
  lastSegment,
  type QueueDescription,
  memoryQueueArn,
  memoryBusArn,
  memoryQueueUrl,
  memoryTopicArn,
} from './queues/description.ts'
import { type MemoryQueues, memoryQueues, type MemoryTopic } from './queues/memoryQueues.ts'
import {
  nextVisibleAt,
  type SimulatedMessage,
  type SimulatedQueue,
  recordOf,
} from './queues/simulatedQueue.ts'
import type { MemoryClients } from './queues/clients.ts'
import type { CommandEntry } from './queues/refuseEntry.ts'

/** The queues, topics and tables of a memory cloud, described as for `startLocalCloud`: `defineDev` has shorter forms. */
export interface MemoryCloudOptions {
  /** @example { orders: { deadLetter: { queue: 'dead', maxReceiveCount: 10 } }, dead: {}, 'mail.fifo': {} } */
  readonly queues?: Readonly<Record<string, QueueDescription>>
  /** @example { paid: { subscriptions: [{ queue: 'mail' }] } } */
  readonly topics?: Readonly<Record<string, MemoryTopic>>
  /** @example { shop: { rules: [{ queue: 'parcels', sources: ['my.parcels'] }] } } */
  readonly buses?: Readonly<Record<string, BusDescription>>
  /** Tables with their keys, as `memoryStore` takes them. Default: every table exists. @example { stock: { hash: 'sku' } } */
  readonly tables?: MemoryStoreOptions['tables']
  /**
   * Rows that the tables have at the start, keys included, as for `memoryStore`. Default: none.
   * @example { stock: [{ sku: 'a', available: 3 }] }
   */
  readonly rows?: MemoryStoreOptions['rows']
  /**
   * The rows with which `sql` answers a query. Default: none.
   * @example (text) => (text.startsWith('SELECT sum') ? [{ balance: '5' }] : [])
   */
  readonly sqlRows?: MemoryRows
  /** Default: a fake clock at the present time. */
  readonly clock?: FakeClock
}

/** A message on a queue in memory, with its envelope opened. */
export interface MemoryMessage extends OpenedMessage {
  /** `delayed`: never received and not yet visible. `inFlight`: received and not yet visible again. */
  readonly state: 'ready' | 'delayed' | 'inFlight'
  /** Epoch milliseconds. */
  readonly enqueuedAt: number
  readonly visibleAt: number
  readonly groupId: string | undefined
  readonly deduplicationId: string | undefined
}

/** A line that a handler logged with the logger of a memory cloud. */
export interface LogLine {
  readonly level: keyof Logger
  readonly message: string
  readonly fields: LogFields
}

/**
 * Attributes, FIFO ids and delay of a message that a test sends.
 * @example
 * const options: SendInMemory = { attributes: { tenant: 'a' }, delay: '30s' }
 */
export interface SendInMemory {
  readonly attributes?: Readonly<Record<string, AttributeInput>>
  /** The order of FIFO queues and topics; the tenant of a fair queue. */
  readonly groupId?: string
  readonly deduplicationId?: string
  /** For standard queues: 0 to 15 minutes. */
  readonly delay?: Duration
}

/**
 * What `drain` did.
 * @example
 * const memory = memoryCloud({ queues: { orders: {} } })
 * memory.send('orders', { orderId: 'o1' })
 * const handler = recordHandler({ name: 'orders', store: memory.store }, () => {})
 * expect(await memory.drain({ orders: handler })).toEqual({ invocations: 1, deadLetters: 0 })
 */
export interface Drained {
  /** 0: the queues were empty, and nothing has run. */
  readonly invocations: number
  /** Messages that a handler, or a queue's `maxReceiveCount`, moved to a dead-letter queue meanwhile. */
  readonly deadLetters: number
}

/** SQS, SNS, DynamoDB and a clock in memory: no network and no waiting. A handler built from it also fits `exploreCrashes`. */
export interface MemoryCloud {
  readonly store: MemoryStore
  /** For the option `clients` of every handler. */
  readonly clients: MemoryClients
  /**
   * A SQL database for the option `sql`, with the transaction of `pg`. Fence, marks and results are those of PostgreSQL, but
   * statements are only kept in `statements`: to test them, use a real database (`examples/sql-ledger/local/startPostgres.ts`).
   */
  readonly sql: SqlEffects<PostgresTransaction>
  /** Every statement that was committed, apart from queries. */
  readonly statements: readonly MemoryStatement[]
  /** Stands still until `clock.advance`, `clock.set` or `drain` moves it. */
  readonly clock: FakeClock
  /** Keeps every line in `lines`. */
  readonly logger: Logger
  readonly lines: readonly LogLine[]
  queueUrl(name: string): string
  queueArn(name: string): string
  topicArn(name: string): string
  busArn(name: string): string
  /**
   * Sends a message as a sender without Lineclear would. A string is the body itself, anything else becomes JSON.
   * @throws the SDK's error when SQS would refuse the message
   */
  send(queue: string, payload: unknown, options?: SendInMemory): void
  /** Publishes to a topic; its subscribed queues get the message at once. @throws the SDK's error when SNS would refuse it */
  publish(topic: string, payload: unknown, options?: Omit<SendInMemory, 'delay'>): void
  /** The messages on a queue now, oldest first. Reading them changes nothing. */
  messages(queue: string): readonly MemoryMessage[]
  /** Every message that was ever published to a topic. */
  published(topic: string): readonly OpenedMessage[]
  /**
   * Makes one invocation with up to `batchSize` (default 10) visible messages, and deletes those that the response does not
   * name as failed. @throws what the handler throws; the whole batch then stays on the queue, as on Lambda
   */
  deliver(
    queue: string,
    handler: MemoryHandler,
    options?: { readonly batchSize?: number },
  ): Promise<Delivered>
  /**
   * Invokes the handlers until their queues are empty, and advances the clock to the next visible message whenever none is.
   * @returns how many invocations and dead letters it made
   * @throws what a handler throws, so that no test passes over it: its batch comes again when `drain` is called again
   * @throws Error when messages are still redelivered after 1,000 invocations; the queues stay as they are
   */
  drain(handlers: Readonly<Record<string, MemoryHandler>>): Promise<Drained>
}

/**
 * A cloud in memory for unit tests: what a handler sends, publishes, resends and dead-letters lands on queues in memory.
 * @throws ConfigError on a wrong description
 * @example
 * const cloud = memoryCloud({ queues: { orders: { deadLetter: { queue: 'dead', maxReceiveCount: 10 } }, dead: {} } })
 * const { store, clients, clock, logger } = cloud
 * const handler = recordHandler({ name: 'orders', store, clients, clock, logger }, work)
 * cloud.send('orders', { orderId: 'o1' })
 * await cloud.drain({ orders: handler })
 * expect(cloud.messages('dead')).toEqual([])
 */
export function memoryCloud(options: MemoryCloudOptions = {}): MemoryCloud {
  assertKnown('memoryCloud', options, OPTIONS)
  const { queues = {}, topics = {}, buses = {}, tables, rows, sqlRows } = options
  const { clock = fakeClock() } = options
  checkQueues('memoryCloud', queues, topics, PLAIN_SUBSCRIPTION)
  checkBuses('memoryCloud', buses, queues)
  const known = memoryQueues(queues, topics, clock)
  const lines: LogLine[] = []
  const database = openDatabase()
  const bus = memoryBuses(buses, clock, (queue, MessageBody) =>
    known.accept('SQS', queue, { MessageBody }),
  )
  const opened = (name: string, from: SimulatedQueue, queued: SimulatedMessage): OpenedMessage =>
    openMessage(recordOf(from, queued, memoryQueueArn(name)), clock.now())
  const targets = new Set(Object.values(queues).map(({ deadLetter }) => deadLetter?.queue))
  const deadLetters = (): SimulatedMessage[] =>
    Object.keys(queues).flatMap((name) => {
      const queue = known.queue(name)
      return queue.all.filter(
        (queued) => targets.has(name) || isDeadLetter(name, opened(name, queue, queued)),
      )
    })
  return {
    store: memoryStore({ clock, rows, ...(tables !== undefined && { tables }) }),
    clients: { sqs: known.sqs, sns: known.sns, eventBridge: bus.client },
    sql: memorySql(database, clock, sqlRows),
    statements: database.statements,
    clock,
    logger: loggerTo(lines),
    lines,
    queueUrl: (name) => known.queue(name) && memoryQueueUrl(name),
    queueArn: (name) => known.queue(name) && memoryQueueArn(name),
    topicArn: (name) => known.topic(name) && memoryTopicArn(name),
    busArn: (name) => bus.known(name) && memoryBusArn(name),
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
      return queue.messages.map((queued) => ({
        ...opened(name, queue, queued),
        ...lookAt(queued, clock.now()),
      }))
    },
    published: (name) => {
      const topic = known.topic(name)
      return topic.all.map((queued) => opened(name, topic, queued))
    },
    deliver: (name, handler, { batchSize = 10 } = {}) =>
      deliverNext({ known, name, handler, clock, batchSize }),
    drain: async (handlers) => {
      const before = new Set(deadLetters())
      const invocations = await drain(known, handlers, clock, lines)
      return { invocations, deadLetters: deadLetters().filter((each) => !before.has(each)).length }
    },
  }
}

const OPTIONS = ['queues', 'topics', 'buses', 'tables', 'rows', 'sqlRows', 'clock']
const MOST_DELIVERIES = 1_000

async function drain(
  known: MemoryQueues,
  handlers: Readonly<Record<string, MemoryHandler>>,
  clock: FakeClock,
  lines: readonly LogLine[],
): Promise<number> {
  for (let delivery = 0; delivery < MOST_DELIVERIES; delivery += 1) {
    const [next] = Object.entries(handlers)
      .map(([name, handler]) => ({ name, handler, at: nextVisibleAt(known.queue(name)) }))
      .filter(({ at }) => at < Infinity)
      .toSorted((one, other) => one.at - other.at)
    if (next === undefined) return delivery
    if (next.at > clock.now()) clock.set(next.at)
    await deliverNext({ known, name: next.name, handler: next.handler, clock, batchSize: 10 })
  }
  const left = Object.keys(handlers).filter((name) => known.queue(name).messages.length > 0)
  throw new Error(
    `memoryCloud.drain: after ${MOST_DELIVERIES} invocations messages are still redelivered to ${left.join(', ')}` +
      lastProblem(lines),
  )
}

/** A dead letter that was redriven stands on its source again. */
function isDeadLetter(queue: string, { carried }: OpenedMessage): boolean {
  return carried.reason !== undefined && lastSegment(carried.source ?? '') !== queue
}

function lastProblem(lines: readonly LogLine[]): string {
  const last = lines.findLast(({ level }) => level === 'error' || level === 'warn')
  if (last === undefined) return ''
  const { error } = last.fields
  const why = error === undefined ? '' : `: ${typeof error === 'string' ? error : messageOf(error)}`
  return `; last warning or error: ${last.message}${why}`
}

function entryOf({ attributes = {}, groupId, deduplicationId, delay }: SendInMemory): CommandEntry {
  const typed = Object.entries(toAttributes(attributes)).map(([name, attribute]) => {
    return [name, toOutgoing(attribute)]
  })
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
  throw new ConfigError(
    `delay: expected whole seconds, as SQS counts, got ${JSON.stringify(delay)}`,
  )
}

function lookAt(
  { visibleAt, receives, sentAt, message }: SimulatedMessage,
  now: number,
): Omit<MemoryMessage, keyof OpenedMessage> {
  const hidden = receives > 0 ? 'inFlight' : 'delayed'
  return {
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
