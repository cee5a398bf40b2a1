import { describe, expect, it } from 'vitest'
import { consumerOf } from './consumerOf.ts'

interface Event {
  readonly orderId: string
  readonly kind?: string
  readonly at?: number
}

const id = (payload: unknown): string => `order-${(payload as Event).orderId}`
const body = (event: Partial<Event>): string => JSON.stringify(event)

describe('another payload under the id that id(payload) gave before', () => {
  it('is dropped with a WARN line and a metric, since it will never run', async () => {
    const reported: string[] = []
    const metrics = {
      addDimension: () => {},
      addMetric: (name: string) => void reported.push(name),
      publishStoredMetrics: () => {},
    }
    const ran: unknown[] = []
    const { send, deliver, settled, logger } = consumerOf((event) => void ran.push(event), {
      id,
      metrics,
    })
    await deliver(send(body({ orderId: '1', kind: 'placed' })))
    await deliver(send(body({ orderId: '1', kind: 'cancelled' })))
    expect(ran).toEqual([{ orderId: '1', kind: 'placed' }])
    expect(settled).toEqual([{ kind: 'completed' }, { kind: 'duplicate', otherPayload: true }])
    expect(logger.lines).toContainEqual(
      expect.objectContaining({ level: 'warn', message: expect.stringContaining('mustAgree') }),
    )
    expect(reported).toContain('otherPayload')
  })

  it('is a duplicate without a word when it is the same payload', async () => {
    const { send, deliver, settled, logger } = consumerOf(() => {}, { id })
    for (let copy = 0; copy < 2; copy++) await deliver(send(body({ orderId: '1', kind: 'placed' })))
    expect(settled).toEqual([{ kind: 'completed' }, { kind: 'duplicate' }])
    expect(logger.lines.filter(({ level }) => level === 'warn')).toEqual([])
  })

  it('is dead-lettered as conflict when a field differs that must agree', async () => {
    const { send, deliver, reasons } = consumerOf(() => {}, { id, mustAgree: ['kind'] })
    await deliver(send(body({ orderId: '1', kind: 'placed' })))
    await deliver(send(body({ orderId: '1', kind: 'cancelled' })))
    expect(reasons()).toEqual(['conflict'])
  })

  it('is a duplicate when only other fields differ', async () => {
    const { send, deliver, settled, reasons, logger } = consumerOf(() => {}, {
      id,
      mustAgree: ['kind'],
    })
    await deliver(send(body({ orderId: '1', kind: 'placed', at: 1 })))
    await deliver(send(body({ orderId: '1', kind: 'placed', at: 2 })))
    expect(settled).toEqual([{ kind: 'completed' }, { kind: 'duplicate' }])
    expect(reasons()).toEqual([])
    expect(logger.lines.filter(({ level }) => level === 'warn')).toEqual([])
  })

  it.each([[undefined, ['kind']] as const, [['kind'], undefined] as const])(
    'is no conflict for what was stored before mustAgree changed from %j to %j',
    async (before, after) => {
      const first = consumerOf(() => {}, { id, ...(before && { mustAgree: before }) })
      const second = consumerOf(() => {}, {
        ...first.options,
        id,
        ...(after && { mustAgree: after }),
      })
      await first.deliver(first.send(body({ orderId: '1', kind: 'placed', at: 1 })))
      await second.deliver(second.send(body({ orderId: '1', kind: 'placed', at: 2 })))
      expect(first.settled.at(-1)).toMatchObject({ kind: 'duplicate' })
    },
  )

  it('needs id', () => {
    expect(() => consumerOf(() => {}, { mustAgree: ['kind'] })).toThrow(/mustAgree: expected id/)
  })
})

it.each(['null@example.com', 'user/undefined/1', 'is-null', 'x[object y'])(
  'an id that a text of the payload brings is an id, whatever words it has: %s',
  async (orderId) => {
    const { send, deliver, settled } = consumerOf(
      async (_payload, ctx) => void (await ctx.call(`mail/${orderId}`, () => 1)),
      { id },
    )
    await deliver(send(JSON.stringify({ orderId })))
    expect(settled.map(({ kind }) => kind)).toEqual(['completed'])
  },
)

it.each([{}, { orderId: null }, { orderId: {} }, { orderId: Number.NaN }])(
  'an id made of a missing value is refused: %o',
  async (payload) => {
    const { send, deliver, reasons } = consumerOf(() => {}, { id })
    await deliver(send(JSON.stringify(payload)))
    expect(reasons()).toEqual(['rejected'])
  },
)
