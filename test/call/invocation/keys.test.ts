import { RejectedError, TerminalError } from 'lineclear'
import { describe, expect, it } from 'vitest'
import { busDelivery } from '../../record/events/busDelivery.ts'
import { openWorld, request, STORES, storesFor, type World } from './setUp.ts'

const scheduled = {
  at: '2026-11-22T03:00:00Z',
  schedule: 'arn:aws:scheduler:eu-west-1:1:schedule/d/n',
}

function counting(world: World, more: Parameters<World['handler']>[1] = {}) {
  let runs = 0
  const handler = world.handler(() => (runs += 1), more)
  // The events of these tests are of all kinds.
  return {
    runs: () => runs,
    call: (event: unknown, id: string) => handler(event as never, request(id)),
  }
}

describe.each(STORES)('the key of an invocation on %s', (kind) => {
  const store = storesFor(kind)

  it("is Lambda's request id", async () => {
    const { call, runs } = counting(openWorld(store()))
    await call({ cents: 1 }, 'r-1')
    await call({ cents: 1 }, 'r-2')
    await call({ cents: 1 }, 'r-1')
    expect(runs()).toBe(2)
  })

  it('is the id of an EventBridge event, whoever delivers it', async () => {
    const world = openWorld(store())
    const { call, runs } = counting(world)
    const event = { id: 'e-1', 'detail-type': 'Scheduled Event', source: 'aws.events', detail: {} }
    await call(event, 'r-1')
    expect(await call(event, 'r-2')).toBe(1)
    expect(runs()).toBe(1)
    expect(await world.token('e-1')).toBeDefined()
  })

  it('is the id of an event of a Custom Event Bus, live or replayed, and its time is ctx.sentAt', async () => {
    const world = openWorld(store())
    const times: number[] = []
    const handler = world.handler((_, ctx) => void times.push(ctx.sentAt))
    const call = (event: unknown, id: string) => handler(event as never, request(id))
    const put = { source: 'my.shop', 'detail-type': 'Placed', id: 'e-1' }
    await call(busDelivery({ n: 1 }), 'r-1')
    await call(busDelivery({ n: 1 }, { 'aws:DeliveryType': 'REPLAY' }), 'r-2')
    const time = '2026-09-23T17:00:00Z'
    await call(busDelivery({ ...put, time }, { 'aws:EventId': 'b-2' }), 'r-3')
    expect(times).toEqual([Date.parse('2026-09-23T18:00:00.123Z'), Date.parse(time)])
    expect(await world.token('b-1')).toBeDefined()
    expect(await world.token('b-2')).toBeDefined()
  })

  it.each([
    ['events of a Custom Event Bus', [busDelivery({}), busDelivery({}, { 'aws:EventId': 'b-2' })]],
    ['one such event', [busDelivery({})]],
    ['events that it delivers without metadata', [{ id: 'e', 'detail-type': 'a', source: 'b' }]],
    ['an event without an id', busDelivery({}, { 'aws:EventId': undefined })],
  ])('is not there for %s: nothing is run', async (_what, event) => {
    const { call, runs } = counting(openWorld(store()))
    await expect(call(event, 'r-1')).rejects.toThrow(RejectedError)
    expect(runs()).toBe(0)
    const keyed = counting(openWorld(store()), { key: () => 'k' })
    await keyed.call(event, 'r-1')
    expect(keyed.runs()).toBe(1)
  })

  it("is Lambda's request id for a list that may be anything", async () => {
    const { call, runs } = counting(openWorld(store()))
    await call([{ n: 1 }], 'r-1')
    await call([{ n: 1 }], 'r-1')
    expect(runs()).toBe(1)
  })

  it('is what id selects, in parts, and other fields are not compared', async () => {
    const world = openWorld(store())
    const id = (event: object) => {
      const { schedule, at } = event as typeof scheduled
      return [schedule, at]
    }
    const { call, runs } = counting(world, { key: id })
    await call({ ...scheduled, attempt: 1 }, 'r-1')
    expect(await call({ ...scheduled, attempt: 2 }, 'r-2')).toBe(1)
    expect(runs()).toBe(1)
  })

  it('compares what payload selects', async () => {
    const { call } = counting(openWorld(store()), {
      key: ({ id }) => id,
      payload: ({ cents }) => cents,
    })
    await call({ id: 'a', cents: 1 }, 'r-1')
    await expect(call({ id: 'a', cents: 2 }, 'r-2')).rejects.toThrow('a different payload')
  })

  it.each([
    [undefined, 'it is missing'],
    ['', 'it is missing'],
    ['<aws.scheduler.scheduled-time>', 'a placeholder that was not replaced'],
    ['$$.Execution.Id', 'a placeholder that was not replaced'],
    ['{% $states.context.Execution.Id %}', 'a placeholder that was not replaced'],
    ['x'.repeat(3_000), 'it is too long'],
  ])('%j is refused: %s', async (id, why) => {
    const { call, runs } = counting(openWorld(store()), { key: () => id })
    const called = call({ cents: 1 }, 'r-1')
    await expect(called).rejects.toThrow(RejectedError)
    await expect(called).rejects.toThrow(why)
    expect(runs()).toBe(0)
  })

  it('is bound to its payload as soon as effects are kept, and free before', async () => {
    const world = openWorld(store())
    let fails = true
    const handler = world.handler(
      async ({ cents }, ctx) => {
        if (cents < 0) throw new Error('not a sum')
        await ctx.write('book', world.add(cents))
        if (fails) throw new Error('not yet')
        return cents
      },
      { key: () => 'order', payload: ({ cents }) => cents },
    )
    await expect(handler({ cents: -1 }, request('r-1'))).rejects.toThrow('not a sum')
    await expect(handler({ cents: 5 }, request('r-2'))).rejects.toThrow('not yet')
    await expect(handler({ cents: 6 }, request('r-3'))).rejects.toThrow('a different payload')
    fails = false
    expect(await handler({ cents: 5 }, request('r-4'))).toBe(5)
    expect(await world.sum()).toMatchObject({ cents: 5 })
  })

  it('makes new messages when it is used again after its retention', async () => {
    const world = openWorld(store())
    const handler = world.handler(
      async ({ cents }, ctx) => {
        await ctx.write('book', world.add(cents))
        await ctx.send(world.queueUrl, { cents })
      },
      { key: () => 'order', retention: '1h' },
    )
    await handler({ cents: 5 }, request('r-1'))
    world.clock.advance(2 * 3_600_000)
    await handler({ cents: 7 }, request('r-2'))
    expect(world.sentIds().size).toBe(2)
    expect(await world.sum()).toMatchObject({ cents: 12 })
  })

  it('sends the same message again under the same id, when the end was not stored', async () => {
    const world = openWorld(store())
    const handler = world.handler(async ({ cents }, ctx) => {
      await ctx.send(world.queueUrl, { cents })
    })
    const lossy = {
      ...world.store,
      update: async () => [{ kind: 'failed', error: new TerminalError('lost') } as const],
    }
    const first = world.handler(
      async ({ cents }, ctx) => {
        await ctx.send(world.queueUrl, { cents })
      },
      { store: lossy },
    )
    await first({ cents: 5 }, request('r-1'))
    world.clock.advance(60_000)
    await handler({ cents: 5 }, request('r-1'))
    expect(world.sent()).toHaveLength(2)
    expect(world.sentIds().size).toBe(1)
  })

  it('gives the time of the event to newerThan, and of the first attempt to others', async () => {
    const world = openWorld(store())
    const times: number[] = []
    const note = world.handler((_event, ctx) => times.push(ctx.sentAt))
    const began = world.clock.now()
    await note({ cents: 1 }, request('r-1'))
    const time = new Date(began - 5_000).toISOString()
    const event = { id: 'e', 'detail-type': 't', source: 's', time }
    await note(event as never, request('r-2'))
    expect(times).toEqual([began, began - 5_000])
    const wrong = world.handler(() => 1, { sentAt: () => 'soon' })
    await expect(wrong({ cents: 1 }, request('r-3'))).rejects.toThrow('sentAt: expected a Date')
  })
})
