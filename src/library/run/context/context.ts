import type { Context } from 'aws-lambda'
import type { Duration } from '../../base/time.ts'
import type { Envelope } from '../../protocol/record/envelope/envelope.ts'
import type { CheckedWrites, ItemKey, NoOther, GivenWrite, Written } from './guard/write.ts'
import type { Logger } from '../../base/logger.ts'
import type { UserItem } from '../../protocol/store/store.ts'

/**
 * What a handler is given for one record. It is fresh, frozen, and closed when the record has settled. Every write through it
 * carries the fence of this attempt: once another attempt has taken over, it throws SupersededError.
 */
export interface RecordContext {
  /** The id of the request: the same in every delivery, copy and attempt. */
  readonly uniqueRequestId: string
  /** When the request was made, epoch milliseconds: by the option `sentAt`, else when it was first sent. The same in every attempt. */
  readonly sentAt: number
  /** Counts from 1. An attempt that ended because a table or a queue gave no answer does not count. */
  readonly attempt: number
  /**
   * A fencing token for a system outside: the later of two attempts at this record has the higher number; in a flow, the later of
   * two attempts at one stage of a key, whichever requests they belong to. Have it stored with what you write, one object for
   * each record or stage, and have writes with a lower number refused: a late attempt then changes nothing there. The fence of a
   * key grows for ever; the fence of a request begins at 1 again if the request arrives again after its `retention`.
   * @example const stored = newest === undefined || newest <= ctx.fence
   */
  readonly fence: number
  /** The message as it arrived: attributes, queue, topic, times. */
  readonly envelope: Envelope
  /** Aborts when the time of the invocation is nearly up (option `timeoutMargin`). Pass it to `fetch` and to SDK calls. */
  readonly signal: AbortSignal
  /** Puts the consumer, the id and the attempt on every line. */
  readonly logger: Logger
  /** The context of the Lambda invocation. */
  readonly lambda: Context
  /**
   * Milliseconds until `signal` aborts; 0 when it has.
   * @example if (ctx.remainingTime() < 5_000) throw new RetryableError('too late to begin', { retryAfter: '10s' })
   */
  remainingTime(): number
  /**
   * A key for an outside system that recognises repeated calls: the same in every attempt, and another for every `name`.
   * 43 characters of base64url, or the first `maxLength` of them (16 or more).
   * @throws ConfigError when `name` is empty or `maxLength` too small.
   * @example await charge(order, ctx.idempotencyKey('charge', { maxLength: 32 }))
   */
  idempotencyKey(name: string, options?: { readonly maxLength?: number }): string

  /**
   * Reads one item, consistently. `Row` is what you know of the table; nothing checks it.
   * @returns undefined when there is no such item.
   * @throws RetryableError when the table does not exist or the role may not read it; StoreUnavailableError when it gives no answer.
   * @example const order = await ctx.get<Order>({ TableName: 'orders', Key: { orderId } })
   */
  get<Row extends object = UserItem>(target: ItemKey): Promise<Row | undefined>
  /**
   * Makes a write, or a list of writes on several items and tables, exactly once: the writes and the mark that they were made
   * are one transaction (at most 99 writes, 4 MB). A list takes place as a whole or not at all. `put` replaces an item; `set`,
   * `add` and `remove` change it, and without a guard such as `exists()` create the item that they do not find; `delete: true`
   * deletes it, and one that is not there counts as deleted; `check` only looks at it. An attribute that is `undefined` is left
   * out, also within maps.
   * `name` is unique in the handler and the same in every attempt. A refusal is not remembered: the next attempt evaluates the
   * guard anew. If you send or write something else because of it, keep the result:
   * `await ctx.call('sold', async () => (await ctx.write(…)).applied)`.
   * @returns `applied: false` when a guard does not hold, with the reason, and the index and the table of its write.
   * @throws SupersededError when another attempt has taken over; ConfigError when the write is not one; TerminalError when
   * DynamoDB cannot store a value; RetryableError or StoreUnavailableError as `get`.
   * @example
   * const sold = await ctx.write('sell', [
   *   { TableName: 'stock', Key: { sku }, add: { available: -2 }, guard: atLeast('available', 2) },
   *   { TableName: 'orders', Key: { orderId }, put: { sku, quantity: 2 } },
   * ])
   * if (!sold.applied) return // nothing was written; sold.table is 'stock'
   */
  write<const Given extends GivenWrite | readonly GivenWrite[]>(
    name: string,
    write: CheckedWrites<Given>,
  ): Promise<Written>

  /**
   * Makes an outside call and stores its result, which every later attempt is given instead of calling again. The first attempt
   * is given it as it is stored, too: data, without methods. `name` is unique in the handler and the same in every attempt.
   * All results of one record take 300 KB together, in a flow each result 350 KB; larger ones go to the option `offload`.
   * Without that option the next attempt does what `ifUnknown` says.
   * @param options what happens when it is unknown whether the call was made. Default `{ ifUnknown: 'repeat' }`: it is made
   * again with the same key.
   * @throws what `make` throws; UnknownOutcomeError when the call may have been made and must not be repeated.
   * @example const receipt = await ctx.call('charge', ({ idempotencyKey }) => charge(order, idempotencyKey))
   */
  call<T>(name: string, make: OutsideCall<T>, options?: CallOptions<T>): Promise<Stored<T>>

  /**
   * Sends a message to an SQS queue, after the handler's other effects are done. Its id is the same in every attempt, so that
   * a Lineclear consumer processes it once. Build the payload from the message, or from results of `ctx.call`; not from the
   * clock, `ctx.get` or a guard: another payload under the same id is a `conflict` at its consumer.
   * @throws ConfigError when the queue or an option is wrong. When the queue does not take it, the record fails with
   * SendFailedError after the handler has returned.
   * @example await ctx.send(queueUrl, { orderId }, { delay: '10s', attributes: { kind: 'urgent' } })
   */
  send<Given extends SendOptions>(
    queueUrl: string,
    payload: unknown,
    options?: Given & NoOther<Given, keyof SendOptions>,
  ): Promise<SentMessage>
  /**
   * Publishes a message to an SNS topic, otherwise as `send`; or an event to a bus of EventBridge, with `source` and `detailType`:
   * `eventBridge()` behind the bus recognises its id.
   * @example await ctx.publish(topicArn, { orderId, status: 'paid' })
   */
  publish<Given extends PublishOptions>(
    target: string,
    payload: unknown,
    options?: Given & NoOther<Given, keyof PublishOptions>,
  ): Promise<SentMessage>
}

/**
 * What `invocationHandler`, and `idempotent` or the middleware with the option `effects`, give a function: the same `ctx` as for
 * records. `uniqueRequestId` is the key of the call, and `sentAt` is when its first attempt began. Declare helper functions with
 * this type, and they fit records and flows, too.
 * @example
 * async function book(order: Order, ctx: InvocationContext): Promise<void> {
 *   await ctx.write('book', { TableName: 'sums', Key: { sku: order.sku }, add: { cents: order.total } })
 * }
 */
export interface InvocationContext extends Omit<RecordContext, 'envelope' | 'lambda'> {
  /** The context of the Lambda invocation. undefined: the function was called without one. */
  readonly lambda: Context | undefined
}

/**
 * The call that `ctx.call` makes. `idempotencyKey` is the same in every attempt: pass it to the outside system if that accepts
 * one.
 */
export type OutsideCall<T> = (call: { readonly idempotencyKey: string }) => T | Promise<T>

/** Options of `ctx.call`. */
export interface CallOptions<T> {
  /**
   * What happens when it is unknown whether the call was made, because its attempt was killed or its answer was lost.
   * `'repeat'` (default): the outside system recognises the idempotency key, so the call is made again with the same key.
   * `'stop'`: the start is stored first; the record is parked as `unknown` for an operator, and the call is never repeated
   * automatically. A function: the start is stored first; the function is called to find out. A call that is still on its way when
   * it says `not done` is made twice: pass the key to the other side, or return `unknown` until a call can no longer be on its way.
   * @example
   * const receipt = await ctx.call('charge', () => charge(order), {
   *   ifUnknown: async ({ idempotencyKey }) => {
   *     const found = await findCharge(idempotencyKey)
   *     return found ? { outcome: 'done', result: found } : { outcome: 'not done' }
   *   },
   * })
   */
  readonly ifUnknown?: 'repeat' | 'stop' | Verify<T>
}

/** As `ifUnknown` of `ctx.call`: finds out at the outside system whether the call with this key was made. */
type Verify<T> = (call: { readonly idempotencyKey: string }) => Verified<T> | Promise<Verified<T>>
/**
 * What a `Verify` found out. `done`: `result` is stored as the call's result. `not done`: the call is made. `unknown`: the record
 * is parked for an operator.
 */
export type Verified<T> =
  | { readonly outcome: 'done'; readonly result: T }
  | { readonly outcome: 'not done' }
  | { readonly outcome: 'unknown' }

/** Options of `ctx.publish`, and of `ctx.send` with `delay`. */
export interface PublishOptions {
  /** Tells two messages to one target apart when their order may change from run to run. Default: a running number. */
  readonly name?: string
  /**
   * Message attributes, such as `{ kind: 'urgent' }`. SQS takes 10, of which Lineclear uses 2.
   * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-message-metadata.html
   */
  readonly attributes?: Readonly<Record<string, string | number | Uint8Array>>
  /**
   * Message group: required for FIFO targets, the tenant on a fair queue. 1 to 128 letters, digits and punctuation characters.
   * `'inherit'`: the tenant of the message that the handler runs for, if it has one.
   */
  readonly groupId?: string
  /** Bytes that the target is set to take, attributes included. Default: 1 MiB for a queue, 256 KiB for a topic. */
  readonly maxBytes?: number
  /** The `source` of an event for a bus, at most 256 bytes. With `name` and `detailType` in place of the other options. */
  readonly source?: string
  /** The `detail-type` of an event for a bus, at most 128 bytes. */
  readonly detailType?: string
}

/** Options of `ctx.send`. */
export interface SendOptions extends Omit<PublishOptions, 'source' | 'detailType'> {
  /**
   * 0 to 900 seconds, such as `'10s'`; standard queues only. With the option `delays: storedDelays()` up to the retention, and for
   * FIFO queues, too. Default: that of the queue.
   */
  readonly delay?: Duration
}

/** A message that is sent when the handler has ended. */
export interface SentMessage {
  /** Its id: the same in every attempt of this request. */
  readonly uniqueRequestId: string
}

/** Types that are stored without loss. */
type Exact =
  | string
  | number
  | bigint
  | boolean
  | null
  | undefined
  | void
  | Date
  | readonly Exact[]
  | { readonly [name: string]: Exact }

type Callable = (...given: never) => unknown

/**
 * The type of a result after it was stored. Every attempt receives it in this form, including the first: dates, maps, sets,
 * bytes, bigints and `undefined` are kept; an instance of a class becomes its `toJSON`, or its fields without methods; a Buffer
 * becomes a Uint8Array.
 */
export type Stored<T> = 0 extends 1 & T
  ? T
  : unknown extends T
    ? T
    : T extends Uint8Array
      ? Uint8Array
      : T extends Exact
        ? T
        : T extends ReadonlyMap<infer Key, infer Value>
          ? Map<Stored<Key>, Stored<Value>>
          : T extends ReadonlySet<infer Member>
            ? Set<Stored<Member>>
            : T extends { toJSON(): infer Json }
              ? Stored<Json>
              : T extends readonly unknown[]
                ? { [Index in keyof T]: Stored<T[Index]> }
                : T extends Callable | symbol | PromiseLike<unknown>
                  ? never
                  : {
                      [
                        Name in keyof T as T[Name] extends Callable | symbol
                          ? never
                          : Name extends symbol
                            ? never
                            : Name
                      ]: Stored<T[Name]>
                    }
