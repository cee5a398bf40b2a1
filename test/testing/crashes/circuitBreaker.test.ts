import { circuitBreaker, recordHandler } from 'lineclear'
import { type CrashCloud, type CrashOptions, exploreCrashes } from 'lineclear/testing'
import { describe, expect, it } from 'vitest'
import { bound, isProof, sampled } from '../../proof/depth.ts'
import { type Order, SOUND } from './consumerOf.ts'

const isDown = (error: unknown): boolean => error instanceof Error && error.message === 'down'
const breaker = circuitBreaker({ after: 1, when: isDown })
const ORDERS: readonly Order[] = [{ orderId: 'o1' }, { orderId: 'o2' }]
const [FIRST, ...also] = ORDERS

/** Every schedule begins then; the provider answers again 45 seconds later. */
const UP = Date.UTC(2026, 0, 1) + 45_000

/** Books, and then calls a provider that is down at first. */
const paying =
  (queue: string) =>
  ({ store, clients, clock, logger, outside }: CrashCloud) => ({
    [queue]: recordHandler(
      {
        name: 'orders',
        store,
        clients,
        clock,
        logger,
        circuitBreaker: breaker,
        retry: { maxAttempts: 3 },
      },
      async (order, ctx) => {
        const { orderId } = order as Order
        await ctx.write('book', { TableName: 't', Key: { id: orderId }, add: { n: 1 } })
        await ctx.call('pay', (key) => {
          if (clock.now() < UP) throw new Error('down')
          return outside('pay', key)
        })
      },
    ),
  })

const FEW: CrashOptions = isProof
  ? { limit: bound(0, 1_000, 60_000) }
  : { only: ['killed on the wire'], together: 1 }

describe('records behind a circuit breaker', () => {
  const queues: readonly (readonly [string, CrashOptions])[] = [
    ['orders.fifo', { also }],
    ['orders', { also }],
  ]
  it.each(sampled(queues, 2))(
    'of %s are handled once, wherever they are killed',
    async (queue, more) => {
      const report = await exploreCrashes(paying(queue), FIRST, { ...FEW, ...more })
      console.log(`circuit breaker, ${queue}: ${report.schedules} schedules`)
      expect(report.text).toContain('nothing lost')
      expect(report).toMatchObject(SOUND)
    },
  )
})
