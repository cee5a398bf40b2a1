import type { PutEventsCommand, PutEventsCommandInput } from '@aws-sdk/client-eventbridge'
import { type Clients, eventBridge, producer, recordHandler, type RecordContext } from 'lineclear'
import { eventBridgeEvent, memoryCloud, memoryStore } from 'lineclear/testing'
import { describe, expect, it } from 'vitest'
import type { PublishOptions } from '../../src/library/run/context/context.ts'

const MOVED = { source: 'my.parcels', detailType: 'ParcelMoved' }

/** scans → bus → rule → parcels. */
type BusClient = NonNullable<Clients['eventBridge']>

function place(change: (client: BusClient) => BusClient = (client) => client) {
  const cloud = memoryCloud({
    queues: {
      scans: { deadLetter: { queue: 'dead', maxReceiveCount: 10 } },
      parcels: {},
      others: {},
      dead: {},
    },
    buses: {
      shop: {
        rules: [
          { queue: 'parcels', sources: ['my.parcels'], detailTypes: ['ParcelMoved'] },
          { queue: 'others', sources: ['my.others'] },
        ],
      },
    },
  })
  const { store, clients, clock, logger } = cloud
  const client = change(cloud.clients.eventBridge)
  const ran: Pick<RecordContext, 'uniqueRequestId' | 'sentAt'>[] = []
  const common = { store, clients: { sqs: clients.sqs, eventBridge: client }, clock, logger }
  const bus = cloud.busArn('shop')
  return {
    cloud,
    bus,
    ran,
    common,
    scans: (work: (ctx: RecordContext) => unknown) =>
      recordHandler({ name: 'scans', ...common }, async (_, ctx) => void (await work(ctx))),
    parcels: recordHandler(
      { name: 'parcels', ...common, envelopes: [eventBridge()] },
      (_, { uniqueRequestId, sentAt }) => void ran.push({ uniqueRequestId, sentAt }),
    ),
  }
}

/** Its answers, by call. */
function answering(...answers: readonly ((input: PutEventsCommandInput) => object)[]) {
  let calls = 0
  return (client: BusClient): BusClient => ({
    send: async (command) => {
      const answer = answers[calls]
      calls += 1
      return answer ? answer((command as PutEventsCommand).input) : client.send(command)
    },
  })
}

const failed = (ErrorCode: string) => (): object => ({
  FailedEntryCount: 1,
  Entries: [{ ErrorCode, ErrorMessage: 'because' }],
})

describe('an event that a handler publishes', () => {
  it('has the id of the message and the time of its request at the consumer behind the bus', async () => {
    const { cloud, bus, ran, scans, parcels } = place()
    const sentAt = cloud.clock.now()
    let id = ''
    cloud.send('scans', {})
    await cloud.deliver(
      'scans',
      scans(async (ctx) => {
        id = (await ctx.publish(bus, { parcelId: 'p1' }, MOVED)).uniqueRequestId
      }),
    )
    cloud.clock.advance(12_345)
    await cloud.drain({ parcels })
    expect(ran).toEqual([{ uniqueRequestId: id, sentAt }])
    expect(cloud.messages('others')).toEqual([])
  })

  it('is run once, however often it was put', async () => {
    const { cloud, bus, ran, scans, parcels } = place((client) => ({
      send: async (command) => {
        await client.send(command)
        return client.send(command)
      },
    }))
    cloud.send('scans', {})
    await cloud.deliver(
      'scans',
      scans((ctx) => ctx.publish(bus, {}, MOVED)),
    )
    expect(cloud.messages('parcels')).toHaveLength(2)
    await cloud.drain({ parcels })
    expect(ran).toHaveLength(1)
  })

  it('that is refused for now is put again by the next attempt, under the same id', async () => {
    const { cloud, bus, ran, scans, parcels } = place(answering(failed('InternalFailure')))
    const ids = new Set<string>()
    cloud.send('scans', {})
    await cloud.drain({
      scans: scans(async (ctx) => ids.add((await ctx.publish(bus, {}, MOVED)).uniqueRequestId)),
      parcels,
    })
    expect(ran.map(({ uniqueRequestId }) => uniqueRequestId)).toEqual([...ids])
    expect(ids.size).toBe(1)
    expect(cloud.messages('dead')).toEqual([])
  })

  it.each(['MalformedDetail', 'InvalidArgument', 'ValidationException'])(
    'that is refused for good (%s) dead-letters the record at once',
    async (code) => {
      const { cloud, bus, scans } = place(answering(failed(code)))
      cloud.send('scans', {})
      await cloud.drain({ scans: scans((ctx) => ctx.publish(bus, {}, MOVED)) })
      const [dead] = cloud.messages('dead')
      const said = / did not take a message \((\w+): because\), which has (\d+) bytes/
      const [, because, bytes] = said.exec(dead?.carried.error ?? '') ?? []
      expect([Number(bytes) > 0, because]).toEqual([true, code])
      expect(dead?.carried.attempts).toBe(1)
    },
  )

  it('goes in calls of ten, and of one MiB', async () => {
    const calls: number[] = []
    const { cloud, bus, scans } = place((client) => ({
      send: async (command) => {
        calls.push((command as PutEventsCommand).input.Entries?.length ?? 0)
        return client.send(command)
      },
    }))
    cloud.send('scans', {})
    await cloud.deliver(
      'scans',
      scans(async (ctx) => {
        for (let n = 0; n < 12; n++) await ctx.publish(bus, { n }, MOVED)
        const text = 'x'.repeat(600_000)
        for (let n = 0; n < 2; n++) await ctx.publish(bus, { text }, MOVED)
      }),
    )
    expect(calls.toSorted((one, other) => one - other)).toEqual([1, 3, 10])
    expect(cloud.messages('parcels')).toHaveLength(14)
  })
})

describe('ctx.publish to a bus', () => {
  const refusals: readonly (readonly [unknown, PublishOptions, string])[] = [
    [{}, { detailType: 'X' }, 'source: expected a text of at most 256 bytes'],
    [{}, { ...MOVED, source: 'aws.s3' }, 'that does not begin with aws.'],
    [{}, { source: 'my.parcels' }, 'detailType: expected a text of at most 128 bytes'],
    [{}, { ...MOVED, groupId: 'a' }, '"groupId" is not known here'],
    [[1], MOVED, 'payload: expected an object, which the detail of an event is; got a list'],
    [{ text: 'x'.repeat(1_048_576) }, MOVED, 'Send a reference to the data in its place.'],
  ]
  it.each(refusals)('refuses %o with %o: %s', async (payload, options, expected) => {
    const { cloud, bus, scans } = place()
    let error: unknown
    cloud.send('scans', {})
    await cloud.deliver(
      'scans',
      scans(async (ctx) => {
        error = await ctx.publish(bus, payload, options).catch((thrown: unknown) => thrown)
      }),
    )
    expect(String(error)).toContain(expected)
  })

  it('refuses a Custom Event Bus with what to do instead, in the log, in the dead letter and to a producer', async () => {
    const custom =
      'arn:aws:events:eu-west-1:123456789012:event-busv2/orders/abcdefghijklmnopqrstuvwxy'
    const { cloud, scans, common } = place()
    cloud.send('scans', {})
    await cloud.deliver(
      'scans',
      scans((ctx) => ctx.publish(custom, {}, MOVED)),
    )
    const sentence =
      'ctx.publish: a Custom Event Bus has another API, without a client yet. Publish to a topic or to a Classic bus (event-bus/NAME), ' +
      'or send to a queue. Nothing was sent.'
    expect(cloud.messages('dead')[0]?.carried.error).toContain(sentence)
    expect(cloud.lines.find(({ level }) => level === 'error')?.fields['error']).toContain(sentence)
    const { publish, send } = producer({ clients: common.clients })
    await expect(publish(custom, {}, MOVED)).rejects.toThrow('a Custom Event Bus has another API')
    await expect(send(custom, {})).rejects.toThrow('a Custom Event Bus has another API')
  })

  it('does not take the names of events for a topic', async () => {
    const { cloud, scans } = place()
    let error: unknown
    cloud.send('scans', {})
    const topic = 'arn:aws:sns:eu-west-1:123456789012:paid'
    await cloud.deliver(
      'scans',
      scans(async (ctx) => {
        error = await ctx.publish(topic, {}, MOVED).catch((thrown: unknown) => thrown)
      }),
    )
    expect(String(error)).toContain('"source" is not known here')
  })

  it('names the client that a unit test lacks', async () => {
    const { cloud } = place()
    const { logger } = cloud
    const work = recordHandler(
      { name: 'scans', store: memoryStore(), logger },
      async (_, ctx) =>
        void (await ctx.publish('arn:aws:events:eu-west-1:1:event-bus/a', {}, MOVED)),
    )
    cloud.send('scans', {})
    await expect(cloud.deliver('scans', work)).rejects.toThrow(/eventBridge: expected a client/)
  })
})

it('a producer puts events under the ids that it is given', async () => {
  const { cloud, bus, ran, common, parcels } = place()
  const { clients, clock } = common
  const moves = producer({ clients, clock })
  const [first] = await moves.publishMany(bus, [
    { payload: {}, uniqueRequestId: 'a', ...MOVED },
    { payload: {}, uniqueRequestId: 'b', ...MOVED },
  ])
  await moves.publish(bus, {}, { uniqueRequestId: 'a', ...MOVED })
  expect(first).toMatchObject({ uniqueRequestId: 'a' })
  await cloud.drain({ parcels })
  expect(ran.map(({ uniqueRequestId }) => uniqueRequestId).toSorted()).toEqual(['a', 'b'])
})

describe('the stamp of an event', () => {
  const at = Date.UTC(2026, 0, 1)
  const stamped = (fields: object, more: object = {}) =>
    eventBridgeEvent(
      {},
      {
        ...MOVED,
        time: at,
        resources: [
          'arn:aws:s3:::b',
          'uniquerequestid=r-1',
          `lineclear=${JSON.stringify({ format: 1, ...fields })}`,
        ],
        ...more,
      },
    )

  it('continues no run, and is no copy, whoever puts it', async () => {
    const { cloud, ran, parcels } = place()
    const flow = { name: 'f', key: 'k', id: 'i', epoch: 1, sentAt: at, from: '' }
    const forged = { resendNumber: 3, hops: 1, death: 2, reason: 'x', wrapped: true, flow }
    cloud.send('parcels', stamped({ ...forged, sentAt: cloud.clock.now() - 5 }))
    await cloud.drain({ parcels })
    expect(ran).toEqual([{ uniqueRequestId: 'r-1', sentAt: expect.any(Number) as number }])
    expect(cloud.messages('dead')).toEqual([])
  })

  it('gives a replayed event one id of its own, even where the event was put twice', () => {
    const { open } = eventBridge({ replays: 'again', accounts: 'any' })
    const [one, other] = ['e-1', 'e-2'].map((id) =>
      open(
        JSON.stringify(stamped({}, { id, replayName: 'mend' })),
        'arn:aws:sqs:r:1:q',
        Date.now(),
      ),
    )
    expect(one?.stamp).toBeUndefined()
    expect(one?.event?.id).toBe(other?.event?.id)
    expect(one?.event?.id).not.toBe('r-1')
  })
})
