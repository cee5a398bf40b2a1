import { mapQueue, startLocalCloud, type LocalCloud, type MappingOptions } from 'lineclear/local'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { bodiesOf, quietLogger, quietMapping, send, sendMany, until } from './helpers.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startLocalCloud({
    queues: {
      batches: {},
      window: {},
      full: {},
      large: {},
      slow: { visibilityTimeout: 1 },
      busy: {},
      advice: { visibilityTimeout: 29 },
      delayed: {},
      stopped: { visibilityTimeout: 60 },
      undrained: {},
      failing: { visibilityTimeout: 0, deadLetter: { queue: 'failed', maxReceiveCount: 5 } },
      failed: {},
      'groups.fifo': {},
      'expiring.fifo': { visibilityTimeout: 1 },
      'blocked.fifo': { visibilityTimeout: 1 },
    },
  })
})
afterAll(() => cloud.stop())

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

describe.concurrent('batches', () => {
  it('hold at most batchSize records', async () => {
    await sendMany(cloud, 'batches', 7)
    const sizes: number[] = []
    const mapping = quietMapping({
      cloud,
      queue: 'batches',
      batchSize: 3,
      concurrency: 1,
      handler: async (event) => void sizes.push(event.Records.length),
    })
    await mapping.drained({ timeout: '10m' })
    expect(sizes).toEqual([3, 3, 1])
  })

  it('gather for the window, in more than ten', async () => {
    const sizes: number[] = []
    const mapping = quietMapping({
      cloud,
      queue: 'window',
      batchSize: 100,
      window: '1s',
      handler: async (event) => void sizes.push(event.Records.length),
    })
    const start = Date.now()
    await sendMany(cloud, 'window', 15)
    await sleep(100)
    await sendMany(cloud, 'window', 5)
    await mapping.drained({ timeout: '10m' })
    expect(sizes).toEqual([20])
    expect(Date.now() - start).toBeGreaterThanOrEqual(900)
  })

  it('start before the end of the window when they are full', async () => {
    await sendMany(cloud, 'full', 20)
    const mapping = quietMapping({
      cloud,
      queue: 'full',
      batchSize: 20,
      window: '60s',
      handler: async () => {},
    })
    await mapping.drained({ timeout: '10m' })
    expect(mapping.counts.invocations).toBe(1)
  })

  it('are split where the event would pass 6 MB', async () => {
    const body = 'x'.repeat(1_000_000)
    await Promise.all(Array.from({ length: 8 }, () => send(cloud, 'large', { MessageBody: body })))
    const sizes: number[] = []
    const mapping = quietMapping({
      cloud,
      queue: 'large',
      handler: async (event) => {
        expect(JSON.stringify(event).length).toBeLessThanOrEqual(6 * 1024 * 1024)
        sizes.push(event.Records.length)
      },
    })
    await mapping.drained({ timeout: '10m' })
    expect(sizes).toEqual([6, 2])
  })
})

it('a function that outlives its timeout has failed its batch, and its messages come back', async () => {
  await sendMany(cloud, 'slow', 2)
  let runs = 0
  const mapping = quietMapping({
    cloud,
    queue: 'slow',
    functionTimeout: 200,
    handler: async () => {
      runs += 1
      if (runs === 1) await sleep(600)
    },
  })
  const start = Date.now()
  await mapping.drained({ timeout: '10m' })
  expect(Date.now() - start).toBeGreaterThanOrEqual(900)
  expect(mapping.counts).toMatchObject({
    invocations: 2,
    timeouts: 1,
    failedInvocations: 1,
    deleted: 2,
  })
})

it('runs as many invocations at a time as concurrency says', async () => {
  await sendMany(cloud, 'busy', 9)
  let running = 0
  let most = 0
  const mapping = quietMapping({
    cloud,
    queue: 'busy',
    batchSize: 1,
    concurrency: 3,
    handler: async () => {
      most = Math.max(most, (running += 1))
      // The first ones wait for each other, also on a slow machine.
      await vi.waitFor(() => expect(most).toBeGreaterThanOrEqual(3), 300_000)
      await sleep(20)
      running -= 1
    },
  })
  await mapping.drained({ timeout: '10m' })
  expect(most).toBe(3)
})

it('is woken promptly when a delay ends', async () => {
  const mapping = quietMapping({ cloud, queue: 'delayed', handler: async () => {} })
  const start = Date.now()
  await send(cloud, 'delayed', { MessageBody: 'x', DelaySeconds: 1 })
  await mapping.drained({ timeout: '10m' })
  expect(Date.now() - start).toBeGreaterThanOrEqual(1_000)
  expect(Date.now() - start).toBeLessThan(2_000)
})

it('polls slower while the function throws', async () => {
  await sendMany(cloud, 'failing', 1)
  const times: number[] = []
  const mapping = quietMapping({
    cloud,
    queue: 'failing',
    concurrency: 1,
    handler: async () => {
      times.push(Date.now())
      throw new Error('no')
    },
  })
  await until(() => cloud.inspectQueue('failed').ready.length === 1)
  await mapping.stop()
  const pauses = times.slice(1).map((time, index) => time - (times[index] ?? 0))
  expect(pauses).toHaveLength(4)
  expect(pauses.slice(1).every((pause, index) => pause >= 90 * 2 ** index)).toBe(true)
})

it('stop waits for running invocations and returns what it had not started', async () => {
  await sendMany(cloud, 'stopped', 10)
  let ended = 0
  const mapping = quietMapping({
    cloud,
    queue: 'stopped',
    batchSize: 1,
    concurrency: 2,
    // Receives two at a time: one for the free place, one that waits.
    faults: { shuffle: true },
    handler: async () => {
      await sleep(mapping.counts.invocations === 1 ? 50 : 500)
      ended += 1
    },
  })
  await until(() => mapping.counts.invocations === 3)
  await Promise.all([mapping.stop(), mapping.stop()])
  expect(ended).toBe(3)
  expect(mapping.counts.deleted).toBe(3)
  expect(cloud.inspectQueue('stopped')).toMatchObject({ inFlight: [], ready: { length: 7 } })
})

it('drained says what is left when its time is over', async () => {
  await send(cloud, 'undrained', { MessageBody: 'x', DelaySeconds: 60 })
  const mapping = quietMapping({ cloud, queue: 'undrained', handler: async () => {} })
  await expect(mapping.drained({ timeout: 50 })).rejects.toThrow(
    'undrained was not drained within 50 ms: 0 ready, 1 delayed, 0 in flight, 0 invocations running, after 0 deliveries and 0 deletes',
  )
})

describe.concurrent('FIFO', () => {
  it('keeps the order of each group and never runs two invocations of one group', async () => {
    await Promise.all([
      sendMany(cloud, 'groups.fifo', 10, 'a'),
      sendMany(cloud, 'groups.fifo', 10, 'b'),
    ])
    const seen: Record<string, string[]> = { a: [], b: [] }
    const running = new Set<string>()
    let overlaps = 0
    const mapping = quietMapping({
      cloud,
      queue: 'groups.fifo',
      batchSize: 1,
      handler: async ({ Records: [record] }) => {
        const group = record?.attributes.MessageGroupId ?? ''
        if (running.has(group)) overlaps += 1
        running.add(group)
        await sleep(5)
        seen[group]?.push(record?.body ?? '')
        running.delete(group)
      },
    })
    await mapping.drained({ timeout: '10m' })
    const order = Array.from({ length: 10 }, (_, number) => String(number))
    expect(seen).toEqual({ a: order, b: order })
    expect(overlaps).toBe(0)
  })

  it('keeps a group to itself also when the visibility ends while the function runs', async () => {
    await sendMany(cloud, 'expiring.fifo', 1, 'a')
    let running = 0
    let most = 0
    const mapping = quietMapping({
      cloud,
      queue: 'expiring.fifo',
      handler: async () => {
        most = Math.max(most, (running += 1))
        await sleep(mapping.counts.invocations === 1 ? 1_400 : 0)
        running -= 1
      },
    })
    await mapping.drained({ timeout: '10m' })
    expect(mapping.counts.invocations).toBe(2)
    expect(most).toBe(1)
  })

  it('blocks a group behind its failed message', async () => {
    await sendMany(cloud, 'blocked.fifo', 2, 'a')
    const seen: string[] = []
    const mapping = quietMapping({
      cloud,
      queue: 'blocked.fifo',
      batchSize: 1,
      handler: async (event) => {
        seen.push(...bodiesOf(event))
        if (seen.length === 1) throw new Error('once')
      },
    })
    await mapping.drained({ timeout: '10m' })
    expect(seen).toEqual(['0', '0', '1'])
  })
})

it('warns once when the visibility timeout is below six times the function timeout', async () => {
  const logger = quietLogger()
  const mapping = mapQueue({
    cloud,
    queue: 'advice',
    functionTimeout: '5s',
    logger,
    handler: async () => {},
  })
  await sendMany(cloud, 'advice', 3)
  await mapping.drained({ timeout: '10m' })
  expect(logger.lines).toEqual([
    {
      level: 'warn',
      message: expect.stringContaining('shorter than AWS advises'),
      fields: expect.objectContaining({ visibilitySeconds: 29, advisedSeconds: 30 }),
    },
  ])
})

describe('refuses what AWS refuses', () => {
  const options = { queue: 'batches', handler: async () => {} }
  const refusals: readonly (readonly [string, object, string])[] = [
    ['an unknown queue', { queue: 'nope' }, 'got "nope"'],
    ['an unknown option', { batchsize: 3 }, 'mapQueue: "batchsize" is not known here'],
    ['an unknown fault', { faults: { kil: 1 } }, 'faults: "kil"'],
    ['an impossible probability', { faults: { kill: 2 } }, 'faults: kill: expected a probability'],
    ['no batch at all', { batchSize: 0 }, 'batchSize: expected a whole number from 1 to 10000'],
    ['a large batch without a window', { batchSize: 11 }, 'window: expected at least 1 s'],
    [
      'a large FIFO batch',
      { queue: 'groups.fifo', batchSize: 11, window: '1s' },
      'batchSize: expected a whole number from 1 to 10',
    ],
    ['a FIFO window', { queue: 'groups.fifo', window: '1s' }, 'window: expected none'],
    ['a long window', { window: '301s' }, 'window: expected at most 300 s'],
    ['no handler', { handler: undefined }, 'handler: expected a function'],
  ]
  it.each(refusals)('%s', (_, changed, message) => {
    const wrong = { cloud, ...options, ...changed } as MappingOptions
    expect(() => mapQueue(wrong)).toThrow(message)
  })
})
