import type { LocalCloud } from '../cloud/openCloud.ts'
import type { CloudDescription, TopicDescription } from '../description/description.ts'
import type { Faults } from '../faults/faults.ts'
import type { ConsumerOptions } from '../mapping/options.ts'

/**
 * The cloud of FILE, as far as it does not follow from the consumers.
 * @example
 * const cloud: DevCloud = { topics: { orders: ['orders', 'mail'] }, tables: { stock: { hash: 'sku' } } }
 */
export interface DevCloud extends Omit<CloudDescription, 'topics'> {
  /**
   * Default: the queue of each consumer, hidden as long as AWS advises for its `functionTimeout`, with a dead-letter queue `NAME-dead`
   * after 10 receives, and each queue that a topic delivers to. One that `queues` names is as it says there.
   */
  readonly queues?: NonNullable<CloudDescription['queues']>
  /** Descriptions, or the names of the queues that it delivers to. */
  readonly topics?: Readonly<Record<string, TopicDescription | readonly string[]>>
  /** Lineclear's own table is added, as `lineclear`, unless one of these has its index. */
  readonly tables?: NonNullable<CloudDescription['tables']>
}

/** What `lineclear dev FILE` runs: FILE's default export, made by `defineDev`. */
export interface Dev {
  readonly cloud: CloudDescription
  /** The functions, by the queue that each reads. */
  readonly consumers: Readonly<Record<string, DevConsumer>>
  /**
   * Environment variables of the handlers, beside the cloud's own: queue URLs and topic ARNs are known only when the cloud is up.
   * They are set before any handler is loaded. By default a queue `orders` has its URL in `ORDERS_QUEUE`, a topic its ARN in
   * `ORDERS_TOPIC`, an event bus in `ORDERS_BUS`, a table and a bucket their names in `ORDERS_TABLE` and `ORDERS_BUCKET`, an outside system its URL in `ORDERS_URL`.
   */
  readonly environment?: (cloud: LocalCloud, outside: OutsideUrls) => Environment
  /** Invariants of your data, by name. */
  readonly books?: Readonly<Record<string, Book>>
  /** What the page offers to send, by queue or topic: a payload, or a function of a number that counts from 1. */
  readonly samples?: Readonly<Record<string, Sample>>
  /** Services outside your account that handlers call by HTTP, by name: they keep what they did while handlers are loaded again. */
  readonly outside?: Readonly<Record<string, OutsideSystem>>
}

/** Environment variables, by name. */
export type Environment = Readonly<Record<string, string>>

/** The URL of each outside system, by name. */
export type OutsideUrls = Readonly<Record<string, string>>

/** A function and its event source mapping, as `mapQueue` takes them. */
export interface DevConsumer extends Omit<ConsumerOptions, 'handler' | 'logger'> {
  /** Loads the module that exports the handler: it is called after the environment is set. @example () => import('./handler.ts') */
  readonly load: () => Promise<unknown>
  /** The name under which the module exports the handler. Default 'handler'. */
  readonly export?: string
  /** Faults from the start. They can be changed while it runs. */
  readonly faults?: Faults
}

/** A payload that can be sent, or a function that makes them of a number that counts from 1. */
export type Sample = ((number: number) => unknown) | object | string | number | boolean | null

/**
 * Answers requests of handlers. Requests with an Idempotency-Key (header) that was answered before get the same answer again, and
 * `answer` is not called.
 */
export interface OutsideSystem {
  /** Makes the answer's body, as JSON. Default: `{ "id": "NAME-1" }`, counting. */
  readonly answer?: (request: OutsideRequest) => unknown
}

/** A request to an outside system. */
export interface OutsideRequest {
  /** Counts from 1 in each system. */
  readonly number: number
  readonly method: string
  readonly path: string
  /** Value of the header `idempotency-key`. */
  readonly idempotencyKey?: string
  /** Parsed, if it is JSON. */
  readonly body: unknown
}

/** An invariant: always, or with `atRest` only while no message of a consumer is on its way. */
export type Book = BookCheck | { readonly atRest: BookCheck }

/** Reads, and never writes. @throws what it threw is shown beside the book, which is then neither green nor red */
export type BookCheck = (context: BookContext) => BookFinding | Promise<BookFinding>

/** What is wrong, such as the ids of requests: empty when the book is right. `note` is shown beside it: '40 of 40'. */
export type BookFinding =
  | readonly string[]
  | { readonly offending: readonly string[]; readonly note?: string }

/** What a book may look at. */
export interface BookContext {
  readonly cloud: LocalCloud
  /** All items of a table, with plain values. */
  items(table: string): Promise<readonly Readonly<Record<string, unknown>>[]>
  /** The messages that are in a queue now, whatever their state. */
  messages(queue: string): Promise<readonly BookMessage[]>
  /** The requests that an outside system has carried out: none that it has answered before. */
  calls(system: string): Promise<readonly OutsideRequest[]>
  /** What was sent to a queue or topic from the page or by a test: a request that was sent twice is one. */
  sent(to: string): readonly SentRequest[]
}

/** A message in a queue. */
export interface BookMessage {
  readonly messageId: string
  /** Parsed, if it is JSON; of a message that came by SNS, what was published. */
  readonly payload: unknown
}

/** A request that was sent from the page, or by a test. */
export interface SentRequest {
  /** Counts from 1, in the order in which they were sent. */
  readonly number: number
  readonly to: string
  readonly payload: unknown
  /** Its id, unless the handler reads it from the payload. */
  readonly request: string
}
