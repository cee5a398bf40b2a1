import { producer, recordHandler, type RecordHandlerOptions, snsTopic } from 'lineclear'
import { memoryCloud, type MemoryCloud, type MemoryObjects, memoryObjects } from 'lineclear/testing'
import { describe, expect, it } from 'vitest'

const MIB = 1_048_576
const LARGE = { text: 'ä€😀'.repeat(200_000) }

const open = (): MemoryCloud =>
  memoryCloud({
    queues: {
      orders: { deadLetter: { queue: 'dead', maxReceiveCount: 10 } },
      reports: { deadLetter: { queue: 'dead', maxReceiveCount: 10 } },
      raw: { deadLetter: { queue: 'dead', maxReceiveCount: 10 } },
      'reports.fifo': {},
      dead: {},
    },
    topics: { done: { subscriptions: [{ queue: 'reports' }, { queue: 'raw', raw: true }] } },
  })

const clients = ({ store, clients, clock, logger }: MemoryCloud) => ({
  store,
  clients,
  clock,
  logger,
})

const sender = ({ clients, clock }: MemoryCloud, offload: MemoryObjects) =>
  producer({ clients, clock, offload })

/** A consumer that keeps the payloads that it gets. */
function reader(
  cloud: MemoryCloud,
  offload: MemoryObjects | undefined,
  more: Partial<RecordHandlerOptions> = {},
) {
  const got: unknown[] = []
  const given = offload === undefined ? {} : { offload }
  const handler = recordHandler(
    { name: 'reports', ...clients(cloud), ...given, ...more },
    (payload) => void got.push(payload),
  )
  return { got, handler }
}

describe('a payload that does not fit into a message', () => {
  it('reaches the handler of another consumer as it was sent', async () => {
    const cloud = open()
    const offload = memoryObjects()
    const orders = recordHandler({ name: 'orders', ...clients(cloud), offload }, (_, ctx) =>
      ctx.send(cloud.queueUrl('reports'), LARGE),
    )
    const { got, handler } = reader(cloud, offload)
    cloud.send('orders', {})
    await cloud.drain({ orders, reports: handler })
    expect(got).toEqual([LARGE])
    expect(offload.objects.size).toBe(1)
    expect(cloud.messages('dead')).toEqual([])
  })

  it('reaches the subscribers of a topic, by a notification and raw', async () => {
    const cloud = open()
    const offload = memoryObjects()
    const { got, handler } = reader(cloud, offload, {
      envelopes: [snsTopic(cloud.topicArn('done'))],
    })
    const raw = reader(cloud, offload, { name: 'raw' })
    const text = 'x'.repeat(MIB / 2)
    await sender(cloud, offload).publish(cloud.topicArn('done'), { text })
    await cloud.drain({ reports: handler, raw: raw.handler })
    expect([got, raw.got]).toEqual([[{ text }], [{ text }]])
  })

  it('that fits is sent in the message', async () => {
    const cloud = open()
    const offload = memoryObjects()
    const { got, handler } = reader(cloud, offload)
    const text = 'x'.repeat(MIB - 1_000)
    await sender(cloud, offload).send(cloud.queueUrl('reports'), { text })
    await cloud.drain({ reports: handler })
    expect([got, offload.objects.size]).toEqual([[{ text }], 0])
  })
})

describe('a consumer without the option', () => {
  it('dead-letters the message, which runs when it is redriven to a consumer with the option', async () => {
    const cloud = open()
    const offload = memoryObjects()
    await sender(cloud, offload).send(cloud.queueUrl('reports'), LARGE)
    await cloud.drain({ reports: reader(cloud, undefined).handler })
    const [dead] = cloud.messages('dead')
    expect(dead).toMatchObject({ carried: { reason: 'rejected' } })
    expect(dead?.carried.error).toMatch(/has no option offload/)
  })
})
