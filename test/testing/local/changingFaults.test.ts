import { GetItemCommand } from '@aws-sdk/client-dynamodb'
import { recordHandler } from 'lineclear'
import { dynamoDbStore, tableDefinition } from 'lineclear/dynamodb'
import { type LocalCloud, type QueueHandler, startLocalCloud } from 'lineclear/local'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { quietLogger, quietMapping, send, sendMany, until, whenEnded } from './helpers.ts'

const QUEUES = [
  'alike',
  'later',
  'keeps',
  'once',
  'matched',
  'message',
  'positions',
  'shuffled',
  'wrong',
]
const PAUSED = ['paused', 'running', 'twice', 'stopped']

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startLocalCloud({
    queues: Object.fromEntries(
      [...QUEUES, ...PAUSED].map((queue) => [queue, { visibilityTimeout: 1 }]),
    ),
    tables: { lineclear: tableDefinition(), stock: { hash: 'sku' } },
  })
})
afterAll(() => cloud.stop())

const readStock = () =>
  cloud.dynamodb.send(new GetItemCommand({ TableName: 'stock', Key: { sku: { S: 'a' } } }))

/** A mapping of batches of one, one after the other, and how its invocations ended. */
function watchedMapping(queue: string, handler: QueueHandler, faults = {}) {
  const reports: Parameters<Parameters<typeof whenEnded>[0]>[0][] = []
  const ended = whenEnded((end) => reports.push(end))
  const struck: (readonly (number | undefined)[])[] = []
  const mapping = quietMapping({
    cloud,
    queue,
    handler,
    faults,
    batchSize: 1,
    concurrency: 1,
    observe: (event) => {
      ended(event)
      if (event.type === 'fault') struck.push([event.invocation, event.call, event.attempt])
    },
  })
  return { mapping, reports, struck, outcomes: () => reports.map(({ outcome }) => outcome) }
}

describe.concurrent('faults that change', () => {
  it('hold from the next invocation on, and counts go on', async () => {
    const { mapping, outcomes } = watchedMapping('later', readStock)
    await send(cloud, 'later', { MessageBody: '1' })
    await mapping.drained({ timeout: '10m' })
    expect(mapping.faults).toEqual({})
    mapping.setFaults({ kill: 1 })
    await send(cloud, 'later', { MessageBody: '2' })
    await until(() => mapping.counts.kills > 0)
    mapping.setFaults({})
    await mapping.drained({ timeout: '10m' })
    expect(outcomes()[0]).toBe('answered')
    expect(outcomes().at(-1)).toBe('answered')
    expect(
      outcomes()
        .slice(1, -1)
        .every((outcome) => outcome === 'killed'),
    ).toBe(true)
    expect(mapping.counts.invocations).toBe(outcomes().length)
  })

  it('leave an invocation that runs as it began', async () => {
    const held = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    const handler = async (): Promise<void> => {
      begun.resolve()
      await held.promise
      await readStock()
    }
    const { mapping, outcomes } = watchedMapping('keeps', handler)
    await send(cloud, 'keeps', { MessageBody: '1' })
    await begun.promise
    mapping.setFaults({ kill: 1, duplicateLater: 1 })
    held.resolve()
    await mapping.drained({ timeout: '10m' })
    expect(outcomes()).toEqual(['answered'])
    expect(mapping.counts).toMatchObject({ kills: 0, duplicates: 0 })
  })

  it('are drawn from seed and position, so a later change draws what a start would have', async () => {
    const faults = { seed: 5, loseAnswer: 0.4 }
    const early = watchedMapping('positions', readStock, faults)
    await sendMany(cloud, 'positions', 8)
    await early.mapping.drained({ timeout: '10m' })
    await early.mapping.stop()
    const late = watchedMapping('positions', readStock)
    await send(cloud, 'positions', { MessageBody: '0' })
    await late.mapping.drained({ timeout: '10m' })
    late.mapping.setFaults(faults)
    await sendMany(cloud, 'positions', 7)
    await late.mapping.drained({ timeout: '10m' })
    const expected = early.struck.filter(([invocation]) => invocation !== 1)
    expect(expected.length).toBeGreaterThan(0)
    expect(late.struck).toEqual(expected)
  })

  it('are checked as at the start, and then the old ones stay', async () => {
    const { mapping } = watchedMapping('wrong', readStock, { seed: 3 })
    expect(() => mapping.setFaults({ kill: 2 })).toThrow('faults: kill: expected a probability')
    expect(() => mapping.setFaults({ kil: 1 } as object)).toThrow('faults: "kil"')
    expect(() => mapping.faultNextCall('boom' as 'throttle')).toThrow('fault: expected one of')
    expect(() => mapping.faultNextCall('throttle', { row: 'a' } as object)).toThrow(
      '"row" is not known here',
    )
    expect(mapping.faults).toEqual({ seed: 3 })
  })
})

describe.concurrent('a fault at the next call', () => {
  it('strikes once, also where there are no other faults', async () => {
    const { mapping, outcomes } = watchedMapping('once', readStock)
    mapping.faultNextCall('killBefore')
    const takeBack = mapping.faultNextCall('killBefore', { action: 'GetItem' })
    takeBack()
    await send(cloud, 'once', { MessageBody: '1' })
    await mapping.drained({ timeout: '10m' })
    expect(outcomes()).toEqual(['killed', 'answered'])
    expect(mapping.counts.kills).toBe(1)
  })

  it('waits for the effect of the request that is meant', async () => {
    const handler = recordHandler(
      {
        name: 'matched',
        store: dynamoDbStore({ tableName: 'lineclear', client: cloud.dynamodb }),
        clients: { sqs: cloud.sqs },
        logger: quietLogger(),
        id: (payload) => String(payload),
      },
      async (_, ctx) => {
        await ctx.write('look', { TableName: 'stock', Key: { sku: 'a' }, add: { seen: 1 } })
        await ctx.write('reserve', { TableName: 'stock', Key: { sku: 'a' }, add: { n: 1 } })
      },
    )
    const { mapping, reports, outcomes } = watchedMapping('matched', handler)
    mapping.faultNextCall('loseAnswer', { effect: 'reserve', request: '2' })
    mapping.faultNextCall('killBefore', { effect: 'reserve', request: 'nobody' })
    await sendMany(cloud, 'matched', 4)
    await mapping.drained({ timeout: '10m' })
    expect(mapping.counts).toMatchObject({ lostAnswers: 1, kills: 0 })
    expect(outcomes()).toEqual(['answered', 'answered', 'answered', 'answered'])
    const actions = ['PutItem', 'TransactWriteItems', 'TransactWriteItems', 'UpdateItem']
    expect(reports.map(({ calls }) => [...calls.values()])).toEqual([
      actions,
      actions,
      actions,
      actions,
    ])
  })

  it('waits for the second of two calls that are alike, also when the first is made again', async () => {
    const twice = async (): Promise<void> => {
      await readStock()
      await readStock()
    }
    const { mapping, struck, outcomes } = watchedMapping('alike', twice)
    mapping.faultNextCall('loseAnswer', { action: 'GetItem' })
    mapping.faultNextCall('killBefore', { action: 'GetItem', nth: 2 })
    await send(cloud, 'alike', { MessageBody: '1' })
    await mapping.drained({ timeout: '10m' })
    expect(struck).toEqual([
      [1, 1, 1],
      [1, 2, 1],
    ])
    expect(outcomes()).toEqual(['killed', 'answered'])
    expect(() => mapping.faultNextCall('killAfter', { nth: 0 })).toThrow(
      'nth: expected a whole number',
    )
  })

  it('finds a call that does not tell its request by the message of its invocation', async () => {
    const { mapping, reports } = watchedMapping('message', readStock)
    const [, second = ''] = await sendMany(cloud, 'message', 3)
    mapping.faultNextCall('killAfter', { request: second })
    await mapping.drained({ timeout: '10m' })
    const killed = reports.filter(({ outcome }) => outcome === 'killed')
    expect(killed.map(({ messageIds }) => messageIds)).toEqual([[second]])
  })
})

describe.concurrent('a mapping that is paused', () => {
  it('takes no message until it is resumed', async () => {
    const { mapping, reports } = watchedMapping('paused', readStock)
    expect(mapping.state).toBe('enabled')
    await mapping.pause()
    expect(mapping.state).toBe('paused')
    // Another mapping takes all of them: the paused one would have taken its share.
    const other = watchedMapping('paused', readStock)
    await sendMany(cloud, 'paused', 12)
    await other.mapping.drained({ timeout: '10m' })
    await other.mapping.stop()
    expect(reports).toEqual([])
    await sendMany(cloud, 'paused', 2)
    mapping.resume()
    expect(mapping.state).toBe('enabled')
    await mapping.drained({ timeout: '10m' })
    expect(reports.map(({ invocation }) => invocation)).toEqual([1, 2])
  })

  it('lets running invocations end first', async () => {
    const held = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    const { mapping, outcomes } = watchedMapping('running', async () => {
      begun.resolve()
      await held.promise
    })
    await send(cloud, 'running', { MessageBody: '1' })
    await begun.promise
    const pausing = mapping.pause()
    expect(mapping.state).toBe('pausing')
    held.resolve()
    await pausing
    expect(outcomes()).toEqual(['answered'])
  })

  it('can be resumed before it has paused', async () => {
    const { mapping, outcomes } = watchedMapping('twice', readStock)
    const pausing = mapping.pause()
    mapping.resume()
    await pausing
    expect(mapping.state).toBe('enabled')
    await send(cloud, 'twice', { MessageBody: '1' })
    await mapping.drained({ timeout: '10m' })
    expect(outcomes()).toEqual(['answered'])
  })

  it('stays stopped after a stop', async () => {
    const { mapping } = watchedMapping('stopped', readStock)
    await mapping.stop()
    mapping.resume()
    expect(mapping.state).toBe('stopped')
    const other = watchedMapping('stopped', readStock)
    await sendMany(cloud, 'stopped', 12)
    await other.mapping.drained({ timeout: '10m' })
    expect(mapping.counts.invocations).toBe(0)
  })
})
