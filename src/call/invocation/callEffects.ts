import * as option from '../../base/options.ts'
import type { CallEffects } from '../callEffects.ts'
import { toMilliseconds } from '../../base/options.ts'
import { openCall, fencedCall } from './openCall.ts'
import type { CallEffectsOptions } from './options.ts'
import { awsMessenger } from '../../send/awsMessenger.ts'
import type { Messenger } from '../../send/messenger.ts'
import type { Store } from '../../store/store.ts'
import { ConfigError } from '../../base/errors.ts'
import type { InvocationContext } from '../../context/context.ts'
import type { SqlOf } from '../../context/sqlEffects.ts'
import { isObject } from '../../base/kindOf.ts'

/**
 * The option `effects` of `idempotent` and of the middleware `idempotency`: the function gets a `ctx`, with the same methods and
 * the same promises as the handler of a record. Its messages are sent when the function has returned; then the result is stored.
 * @throws ConfigError at once, naming the option, when an option is wrong
 * @example
 * import { callEffects, idempotent } from 'lineclear'
 * import { dynamoDbStore } from 'lineclear/dynamodb'
 *
 * const store = dynamoDbStore({ tableName: 'lineclear' })
 *
 * export const book = idempotent(
 *   { store, scope: 'bookings', key: (order: Order) => order.orderId, effects: callEffects() },
 *   async (order: Order, ctx) => {
 *     await ctx.applyOnce('book', { TableName: 'sums', Key: { sku: order.sku }, add: { cents: order.total } })
 *     await ctx.sendTo(process.env['BOOKED_QUEUE'] ?? '', { orderId: order.orderId })
 *   },
 * )
 */
export function callEffects<Tx = undefined>(options: CallEffectsOptions<Tx> = {}): CallEffects<Tx> {
  option.checkOptions('callEffects', options, OPTIONS)
  return openEffects(options)
}

/** @param sentAtOf when the call was made, epoch milliseconds; undefined: when its first attempt began */
export function openEffects<Tx>(
  options: CallEffectsOptions<Tx>,
  sentAtOf: (event: unknown) => number | undefined = () => undefined,
): CallEffects<Tx> {
  const messengerOf = clientsFor(options)
  const reserve = toMilliseconds('reserve', options.reserve ?? '1s')
  return {
    fencedCall,
    open(call) {
      const messenger = messengerOf(call.config.store)
      const { delays, payloads, sql, tracing } = options
      const adapters = { delays, payloads, sql, tracing }
      const opened = openCall(call, { messenger, reserve, sentAt: sentAtOf(call.event), adapters })
      noteContext(call.lambda, opened.ctx)
      return opened
    },
  }
}

const OPTIONS: option.Checks<CallEffectsOptions<unknown>> = {
  sqs: option.aClient('SQSClient'),
  sns: option.aClient('SNSClient'),
  eventBridge: option.aClient('EventBridgeClient'),
  reserve: option.anything,
  delays: option.having('storedDelays()', 'rowOf', 'keep'),
  payloads: option.somePayloads,
  tracing: option.aTracing,
  sql: option.someSqlEffects,
}

/** One messenger for each store: with a store in memory, no AWS client is made. */
function clientsFor({
  sqs,
  sns,
  eventBridge,
}: Pick<CallEffectsOptions, 'sqs' | 'sns' | 'eventBridge'>): (store: Store) => Messenger {
  const messengers = new WeakMap<Store, Messenger>()
  return (store) => {
    const { inMemory } = store
    const messenger = messengers.get(store) ?? awsMessenger({ sqs, sns, eventBridge, inMemory })
    messengers.set(store, messenger)
    return messenger
  }
}

/** By the Lambda context of their invocation, which is another object for each one. */
const contexts = new WeakMap<object, InvocationContext>()

function noteContext(lambda: object | undefined, ctx: InvocationContext): void {
  if (lambda !== undefined) contexts.set(lambda, ctx)
}

/**
 * The `ctx` of the invocation with this Lambda context, for handlers behind the middleware `idempotency` with the option
 * `effects`. `Tx` is the transaction of the option `sql`, such as `PostgresTransaction`.
 * @throws ConfigError when the invocation has none, such as one that the option `when` leaves unprotected
 * @example
 * import middy from '@middy/core'
 * import { callContext, callEffects } from 'lineclear'
 * import { idempotency } from 'lineclear/middy'
 *
 * export const handler = middy(async (event: APIGatewayProxyEvent, context: Context) => {
 *   const ctx = callContext(context)
 *   await ctx.applyOnce('book', { TableName: 'sums', Key: { sku: 'a' }, add: { cents: 990 } })
 *   return { statusCode: 204 }
 * }).use(idempotency({ store, scope: 'bookings', effects: callEffects() }))
 */
export function callContext<Tx = undefined>(context: object): InvocationContext & SqlOf<Tx> {
  const ctx = isObject(context) ? contexts.get(context) : undefined
  // The options of the middleware say whether there is `sql`, and with which transaction.
  if (ctx !== undefined) return ctx as InvocationContext & SqlOf<Tx>
  throw new ConfigError(
    'callContext: expected the Lambda context of an invocation behind idempotency({ effects: callEffects() }) that holds its ' +
      'key; this one has no ctx. Nothing was done.',
  )
}
