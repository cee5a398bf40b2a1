import type { StandardSchemaV1 } from '@standard-schema/spec'
import { describe, expect, it } from 'vitest'
import { consumerOf } from './consumerOf.ts'

interface Event {
  readonly orderId: string
  readonly kind?: string
  readonly at?: number
}

const id = (payload: unknown): string => `order-${(payload as Event).orderId}`
const DAY = 86_400_000
const schemaOf = (make: (value: unknown) => unknown): StandardSchemaV1 => ({
  '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value: make(value) }) },
})
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

  it('is dropped with a WARN line, too, where a newer copy of the other one waits', async () => {
    const { send, deliver, settled, logger } = consumerOf(
      () => {
        throw new Error('not yet')
      },
      { id },
    )
    await deliver(send(body({ orderId: '1', kind: 'placed' })))
    await deliver(send(body({ orderId: '1', kind: 'cancelled' })))
    expect(settled.at(-1)).toEqual({ kind: 'replaced', otherPayload: true })
    expect(logger.lines).toContainEqual(
      expect.objectContaining({ level: 'warn', message: expect.stringContaining('mustAgree') }),
    )
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

  it.each([
    ['duplicate', undefined, ['kind'], 1],
    ['deadLettered', undefined, ['kind'], 2],
    ['duplicate', ['kind'], undefined, 2],
    ['duplicate', ['kind'], ['kind', 'orderId'], 1],
    ['deadLettered', ['kind'], ['kind', 'orderId'], 2],
    ['duplicate', ['kind', 'orderId'], ['orderId', 'kind'], 2],
  ] as const)(
    'is %s when mustAgree has changed from %j to %j meanwhile, for it may not be known',
    async (end, before, after, at) => {
      const first = consumerOf(() => {}, { id, ...(before && { mustAgree: before }) })
      const second = consumerOf(() => {}, {
        ...first.options,
        id,
        ...(after && { mustAgree: after }),
      })
      await first.deliver(first.send(body({ orderId: '1', kind: 'placed', at: 1 })))
      await second.deliver(second.send(body({ orderId: '1', kind: 'placed', at })))
      expect(first.settled.at(-1)).toMatchObject({ kind: end })
    },
  )

  it.each([
    ['rubbish', 'no JSON'],
    ['null', 'null'],
    ['a list', '[]'],
    ['another payload', body({ orderId: '1', kind: 'cancelled' })],
  ])('ends no request that waits, when it is %s under its stamped id', async (_what, rubbish) => {
    const ran: unknown[] = []
    let fails = true
    const mustAgree = ['kind']
    const { sendStamped, deliver, settled, reasons, queue, dead, clock } = consumerOf(
      (event) => {
        if (fails) throw new Error('not yet')
        ran.push(event)
      },
      { id, mustAgree, retry: { maxAttempts: 5 } },
    )
    const stamped = 'order-1'
    await deliver(sendStamped(stamped, { body: body({ orderId: '1', kind: 'placed' }) }))
    await deliver(sendStamped(stamped, { body: rubbish }))
    expect([settled.at(-1)?.kind, reasons()]).toEqual(['deadLettered', ['conflict']])
    expect(dead.messages[0]?.message.body).toBe(rubbish)
    fails = false
    clock.advance(DAY)
    await deliver([...queue.messages])
    expect(ran).toEqual([{ orderId: '1', kind: 'placed' }])
    expect(reasons()).toEqual(['conflict'])
  })

  it('before the true message lets that one neither be dropped nor replaced', async () => {
    const { sendStamped, deliver, reasons, dead } = consumerOf(() => {}, {
      id,
      mustAgree: ['kind'],
      retry: { maxAttempts: 5 },
    })
    await deliver(sendStamped('order-1', { body: '{"orderId":{"toString":1}}' }))
    const own = body({ orderId: '1', kind: 'placed' })
    await deliver(sendStamped('order-1', { body: own }))
    expect(reasons()).toEqual(['conflict'])
    expect(dead.messages[0]?.message.body).toBe(own)
  })

  it.each([
    ['a bigint', (nth: number) => BigInt(nth)],
    ['a set', (nth: number) => new Set([nth, 'a'])],
    ['a map', (nth: number) => new Map([['a', nth]])],
    ['a Date', (nth: number) => new Date(nth)],
    ['an object', (nth: number) => ({ a: 1, b: [nth] })],
  ])('is compared in %s, which the schema has made', async (_what, make) => {
    const schema = schemaOf((value) => {
      const { at = 0 } = value as Event
      return { ...(value as Event), kind: make(at % 10) }
    })
    const { send, deliver, settled, reasons } = consumerOf(() => {}, {
      id,
      schema,
      mustAgree: ['kind'],
    })
    for (const at of [1, 11, 2]) await deliver(send(body({ orderId: '1', at })))
    expect(settled.map(({ kind }) => kind)).toEqual(['completed', 'duplicate', 'deadLettered'])
    expect(reasons()).toEqual(['conflict'])
  })

  it('is the same in another order of its fields', async () => {
    const { send, deliver, settled } = consumerOf(() => {}, { id, mustAgree: ['kind'] })
    await deliver(send('{"orderId":"1","kind":{"a":1,"b":2}}'))
    await deliver(send('{"orderId":"1","kind":{"b":2,"a":1}}'))
    expect(settled).toEqual([{ kind: 'completed' }, { kind: 'duplicate' }])
  })

  it('is dead-lettered when the field cannot be compared', async () => {
    const schema = schemaOf((value) => ({ ...(value as Event), kind: () => 1 }))
    const { send, deliver, reasons, dead } = consumerOf(() => {}, {
      id,
      schema,
      mustAgree: ['kind'],
    })
    await deliver(send(body({ orderId: '1' })))
    expect(reasons()).toEqual(['rejected'])
    expect(JSON.stringify(dead.messages)).toContain('mustAgree: the fields cannot be compared')
  })

  it('needs id', () => {
    expect(() => consumerOf(() => {}, { mustAgree: ['kind'] })).toThrow(/mustAgree: expected id/)
  })
})

it('an id made of a number that the parser has rounded is refused', async () => {
  const { send, deliver, settled, reasons } = consumerOf(() => {}, { id })
  for (const number of ['9007199254740992', '"9007199254740993"', '17', '123456789012345680']) {
    await deliver(send(`{"orderId":${number}}`))
    expect([number, settled.at(-1)?.kind]).toEqual([number, 'completed'])
  }
  for (const number of ['9007199254740993', '1234567890123456789012345']) {
    await deliver(send(`{"orderId":${number}}`))
    expect([number, settled.at(-1)?.kind]).toEqual([number, 'deadLettered'])
  }
  expect(reasons()).toEqual(['rejected', 'rejected'])
  await deliver(send('{"other":9007199254740993,"orderId":"x-9007199254740994"}'))
  expect(settled.at(-1)).toEqual({ kind: 'completed' })
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
