import * as option from '../../base/options.ts'
import type { CallEffects } from '../callEffects.ts'
import { toMilliseconds } from '../../base/options.ts'
import { clientsFor } from './clientsFor.ts'
import { noteContext } from './callContext.ts'
import { openCall } from './openCall.ts'
import type { CallEffectsOptions } from './options.ts'
import { fencedCall } from './signsOfLife.ts'

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
  reserve: option.anything,
  delays: option.having('storedDelays()', 'rowOf', 'keep'),
  payloads: option.somePayloads,
  tracing: option.aTracing,
  sql: option.someSqlEffects,
}
