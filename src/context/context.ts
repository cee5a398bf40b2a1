import type { Context } from 'aws-lambda'
import type { Duration } from '../duration.ts'
import type { Envelope } from '../record/envelope/envelope.ts'
import type {
  CheckedDelete,
  CheckedPut,
  CheckedUpdate,
  CheckedWrites,
  DeleteWrite,
  ItemKey,
  NoOther,
  PartialWrite,
  PutWrite,
  UpdateWrite,
  Written,
} from './guard/write.ts'
import type { Logger } from '../logger.ts'
import type { UserItem } from '../store/store.ts'
import type { Stored } from './stored.ts'

/**
 * What a handler is given for one record: fresh, frozen, and closed when the record has settled. Every write through it
 * carries the fence of this attempt: once another attempt has taken over, it throws SupersededError.
 */
export interface RecordContext {
  readonly uniqueRequestId: string
  /** When the request was made, epoch milliseconds: by the option `sentAt`, else its first sending. The same in every attempt. */
  readonly sentAt: number
  /** Executions that count, this one included: one that a table or a queue did not answer does not. */
  readonly attempt: number
  /** How often the message was re-sent. */
  readonly retryCount: number
  readonly envelope: Envelope
  /** Aborts when the time of the invocation is nearly up. */
  readonly signal: AbortSignal
  /** Carries the consumer, the id and the attempt on every line. */
  readonly logger: Logger
  readonly lambda: Context
  /** Milliseconds until `signal` aborts; 0 when it has. */
  remainingTime(): number
  /** The same key in every attempt, another for every name. 43 characters of base64url, or fewer by `maxLength`. */
  idempotencyKey(name: string, options?: { readonly maxLength?: number }): string

  /**
   * Consistent read of one item. `Row` is what you know of the table; nothing checks it.
   * @example const order = await ctx.get<Order>({ TableName: 'orders', Key: { orderId } })
   */
  get<Row extends object = UserItem>(target: ItemKey): Promise<Row | undefined>
  /**
   * Replaces an item, or creates it. An attribute that is `undefined` is left out, also within maps.
   * @example await ctx.put({ TableName: 'orders', Key: { orderId }, put: { status: 'new' }, guard: absent() })
   */
  put<Given extends PutWrite>(write: CheckedPut<Given>): Promise<Written>
  /**
   * Sets and removes attributes of an item. Without a guard it creates the item that it does not find.
   * @example await ctx.update({ TableName: 'orders', Key: { orderId }, set: { status: 'paid' }, guard: exists() })
   */
  update<Given extends UpdateWrite>(write: CheckedUpdate<Given>): Promise<Written>
  /** @example await ctx.delete({ TableName: 'carts', Key: { cartId } }) */
  delete<Given extends DeleteWrite>(write: CheckedDelete<Given>): Promise<Written>
  /**
   * The write and the mark that it was made are one transaction: sums and counters happen once. A list of writes, of several
   * items and tables, takes place as a whole or not at all, and says which of its guards did not hold. `name` is unique in
   * the handler, and the same in every attempt. A refusal is not remembered: when the handler runs again the guard is asked again. If you
   * send or write something else because of it, keep the answer: `await ctx.once('sold', async () => (await ctx.applyOnce(…)).applied)`.
   * @example
   * const sold = await ctx.applyOnce('sell', [
   *   { TableName: 'stock', Key: { sku }, add: { available: -2 }, guard: atLeast('available', 2) },
   *   { TableName: 'orders', Key: { orderId }, put: { sku, quantity: 2 } },
   * ])
   * if (!sold.applied) return // nothing was written; sold.table is 'stock'
   */
  applyOnce<const Given extends PartialWrite | readonly PartialWrite[]>(
    name: string,
    write: CheckedWrites<Given>,
  ): Promise<Written>

  /**
   * An outside call whose result is kept and given back when the handler runs again. The first run is given it as it is kept:
   * data, without methods. `name` is unique in the handler, and the same in every attempt. Results of one record take 300 KB
   * together; larger ones go to the option `results`, and without one the call is made, or asked for, again after a failure.
   * @example const receipt = await ctx.once('charge', ({ idempotencyKey }) => charge(order, idempotencyKey))
   */
  once<T>(name: string, call: OutsideCall<T>, options?: OnceOptions<T>): Promise<Stored<T>>

  /**
   * Sends to a queue after the handler's other effects are done. The id is the same in every attempt, so any Lineclear consumer takes
   * the message once; build the payload from the message, or from answers that `ctx.once` keeps, not from the clock, `ctx.get` or a guard: another
   * payload under the same id is a `conflict` at its consumer.
   */
  sendTo<Given extends SendOptions>(
    queueUrl: string,
    payload: unknown,
    options?: Given & NoOther<Given, keyof SendOptions>,
  ): Promise<SentMessage>
  /** As `sendTo`, to an SNS topic. */
  publish<Given extends PublishOptions>(
    topicArn: string,
    payload: unknown,
    options?: Given & NoOther<Given, keyof PublishOptions>,
  ): Promise<SentMessage>

  /** Ends this attempt and tries again after `delay`. Counts as an attempt. */
  defer(delay: Duration): never
}

/** What `recordHandler` hands to its handler. Write helpers for `RecordContext`: those fit the stages of a flow too. */
export interface RecordHandlerContext extends RecordContext {
  /** @deprecated Use `sendTo`: in a flow `send` hands on to a stage. Gone in 1.0. */
  readonly send: RecordContext['sendTo']
}

export type OutsideCall<T> = (call: { readonly idempotencyKey: string }) => T | Promise<T>

/**
 * What becomes of a call that may have been made, because its attempt was killed or its answer was lost.
 * `idempotent` (default): the outside system knows the idempotency key, so a call in doubt is made again with the same key.
 * `once`: START is stored first; in doubt the record is parked as `unknown`, the call is never repeated by itself.
 * `verify`: START is stored first; in doubt `verify` is asked. A call that is still on its way when `verify` says `not done` is
 * made twice: let the other side know the key, or say `unknown` until a call can no longer be on its way.
 */
export type OnceOptions<T> =
  | { readonly effect: 'idempotent' }
  | { readonly effect: 'once' }
  | { readonly effect: 'verify'; readonly verify: Verify<T> }

export type Verify<T> = (call: {
  readonly idempotencyKey: string
}) => Verified<T> | Promise<Verified<T>>
export type Verified<T> =
  | { readonly outcome: 'done'; readonly result: T }
  | { readonly outcome: 'not done' }
  | { readonly outcome: 'unknown' }

export interface PublishOptions {
  /** Tells two messages to one target apart when their order may change from run to run. Default: a running number. */
  readonly name?: string
  readonly attributes?: Readonly<Record<string, string | number | Uint8Array>>
  /** Message group; required for FIFO targets. */
  readonly groupId?: string
  /** What the target is set to take, attributes counted. Default: 1 MiB for a queue, 256 KiB for a topic. */
  readonly maxBytes?: number
}

export interface SendOptions extends PublishOptions {
  /** 0 to 900 seconds; standard queues only. */
  readonly delay?: Duration
}

export interface SentMessage {
  readonly uniqueRequestId: string
}
