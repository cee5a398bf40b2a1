import type { Clock } from '../../../library/base/clock.ts'
import type { Logger } from '../../../library/base/logger.ts'
import type { Store } from '../../../library/protocol/store/store.ts'
import type { ScheduleContext } from '../simulation/scheduleContext.ts'
import type { Offload } from '../../../library/run/context/results/resultStore.ts'
import type { MemoryClients } from '../../queues/clients.ts'
import { messagingOf } from './messaging.ts'
import { type CallOutside, offloadOf, outsideOf } from './outside.ts'
import { memoryBusArn, memoryQueueUrl, memoryTopicArn } from '../../queues/description.ts'
import type { InvocationInput } from '../simulation/sentEffects.ts'
import { storeOf } from './stores.ts'
import type { Actor } from '../simulation/simulation.ts'
import type { SqlEffects } from '../../../library/run/context/sqlEffects.ts'
import type { PostgresTransaction } from '../../../library/features/sql/pool.ts'
import { sqlOf } from './sql.ts'

/**
 * What `exploreCrashes` builds your handler from. Every call through these can be hit by a fault, and its effects are compared.
 * @example
 * const orders = ({ store, clients, clock, logger, outside }: CrashCloud) =>
 *   recordHandler({ name: 'orders', store, clients, clock, logger }, async (order, ctx) => {
 *     await ctx.call('charge', (key) => outside('charge', key, order))
 *   })
 */
export interface CrashCloud {
  /** The memory store. */
  readonly store: Store
  /** For the option `clients` of your handler. */
  readonly clients: MemoryClients
  /** For the option `offload`. A small `maxBytes` of `ctx.send` moves a small payload, too. */
  readonly offload: Offload
  /** Stands still while a handler works. Advances while a handler sleeps with `clock.sleep`, and between deliveries. */
  readonly clock: Clock
  readonly logger: Logger
  queueUrl(name: string): string
  topicArn(name: string): string
  busArn(name: string): string
  /**
   * Calls an outside system, such as a payment provider. With an idempotency key the call has one effect however often it is
   * made, without one it has an effect each time. Pass what the call is about as `request`, such as the order: a key that is
   * used for two requests is reported, since the second request had no effect.
   * @returns an answer, the same for the same name and key
   */
  readonly outside: CallOutside
  /**
   * A SQL database for the option `sql`, with the transaction of `pg`. Statements are not interpreted: a query returns no rows,
   * and each statement that writes is compared by its text and values once its transaction is committed.
   * @example recordHandler({ name: 'orders', store, sql }, (_, ctx) => ctx.sql('book', (tx) => tx.query('insert …')))
   */
  readonly sql: SqlEffects<PostgresTransaction>
}

const silent: Logger = { debug() {}, info() {}, warn() {}, error() {} }

/** The cloud as one invocation sees it. */
export function cloudOf(
  context: ScheduleContext,
  actor: Actor,
  received: InvocationInput,
): CrashCloud {
  return {
    store: storeOf(context, actor),
    clients: messagingOf(context, actor, received),
    offload: offloadOf(context, actor),
    clock: {
      ...actor.clock,
      sleep: (milliseconds, _signal, inBackground) =>
        inBackground === true ? never() : sleep(context, actor, milliseconds),
    },
    logger: silent,
    queueUrl: memoryQueueUrl,
    topicArn: memoryTopicArn,
    busArn: memoryBusArn,
    outside: outsideOf(context, actor),
    sql: sqlOf(context, actor),
  }
}

/**
 * A sleep in the background repeats for as long as its invocation runs: there is no end of it to choose. One promise for all of them
 * would hold what waits for it, of every schedule.
 */
const never = (): Promise<never> => new Promise(() => {})

/** A sleep ends when the explorer chooses it, and advances the time. */
function sleep({ simulation }: ScheduleContext, actor: Actor, milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const fire = (): void => {
      simulation.now += Math.ceil(milliseconds)
      resolve()
    }
    simulation.timers.push({ actor, timer: { milliseconds, fire } })
  })
}
