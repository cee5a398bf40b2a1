import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { GetItemCommand } from '@aws-sdk/client-dynamodb'
import { ReceiveMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs'
import { recordHandler } from 'lineclear'
import { dynamoDbStore, tableDefinition } from 'lineclear/dynamodb'
import {
  type LocalCloud,
  type LocalEvent,
  mapQueue,
  type MappingOptions,
  observeLocalClouds,
  observeOutput,
  type QueueHandler,
  startLocalCloud,
} from 'lineclear/local'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseLine } from '../../../../src/testing/local/observe/observeOutput.ts'
import { quietLogger, quietMapping, send, sendMany, until } from '../helpers.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startLocalCloud({
    queues: {
      orders: { visibilityTimeout: 30 },
      killed: { visibilityTimeout: 1 },
      refused: {},
      retried: {},
      failing: { visibilityTimeout: 0, deadLetter: { queue: 'failed', maxReceiveCount: 1 } },
      failed: {},
      thrown: {},
      doubled: {},
      silent: {},
      logged: {},
      depths: {},
      paid: {},
    },
    topics: { paid: { subscriptions: [{ queue: 'paid' }] } },
    tables: { lineclear: tableDefinition(), stock: { hash: 'sku' } },
  })
})
afterAll(() => cloud.stop())

type Observed = LocalEvent & { readonly type: string }

/** Runs a handler until its queue is empty, and gives the events of its mapping. */
async function observed(
  options: Omit<MappingOptions, 'cloud' | 'observe'>,
  body = '{}',
): Promise<readonly Observed[]> {
  const events: Observed[] = []
  await send(cloud, options.queue, { MessageBody: body })
  const mapping = quietMapping({ cloud, ...options, observe: (event) => void events.push(event) })
  await mapping.drained({ timeout: '10m' })
  await mapping.stop()
  return events
}

function calls(events: readonly Observed[]) {
  return events.filter((event) => event.type === 'call')
}

const readStock = () =>
  cloud.dynamodb.send(new GetItemCommand({ TableName: 'stock', Key: { sku: { S: 'a' } } }))

describe.concurrent('the life of an invocation', () => {
  it('is told from its begin to its end, each call in words, without the payload', async () => {
    const handler = recordHandler(
      {
        name: 'orders',
        store: dynamoDbStore({ tableName: 'lineclear', client: cloud.dynamodb }),
        clients: { sqs: cloud.sqs, sns: cloud.sns },
        logger: quietLogger(),
        id: (payload) => (payload as { readonly id: string }).id,
      },
      async (_, ctx) => {
        const secret = { add: { reserved: 1 }, set: { note: 'SECRET' } }
        await ctx.write('reserve', { TableName: 'stock', Key: { sku: 'a' }, ...secret })
        await ctx.call('charge', () => 'SECRET')
        await ctx.publish(cloud.topicArn('paid'), { receipt: 'SECRET' })
      },
    )
    const events = await observed(
      { queue: 'orders', handler, functionName: 'orders-function' },
      '{"id":"o-1","note":"SECRET"}',
    )
    expect(events.map(({ type }) => type)).toEqual([
      'mapping',
      'begun',
      ...calls(events).map(() => 'call'),
      'ended',
      'mapping',
    ])
    expect(calls(events).map(({ words, outcome }) => [words, outcome])).toEqual([
      ['claims orders/o-1', 'ended'],
      ['effect reserve of orders/o-1: updates stock sku=a', 'ended'],
      ['keeps the result of charge of orders/o-1', 'ended'],
      ['publishes to paid', 'ended'],
      ['completes orders/o-1', 'ended'],
    ])
    const of = { queue: 'orders', function: 'orders-function', invocation: 1 }
    expect(events[1]).toMatchObject({ ...of, messages: [{ receiveCount: 1 }] })
    expect(events.at(-2)).toMatchObject({ ...of, outcome: 'answered', failures: [] })
    expect(new Set(events.map((event) => 'awsRequestId' in event && event.awsRequestId)).size).toBe(
      2,
    )
    expect(calls(events).every(({ began, at }) => began <= at && at <= Date.now())).toBe(true)
    expect(JSON.stringify(events)).not.toContain('SECRET')
  })

  it('shows a call that never ended because its invocation was killed, and the fault', async () => {
    const events = await observed({
      queue: 'killed',
      handler: readStock,
      faults: { at: [{ invocation: 1, call: 1, fault: 'killAfter' }] },
    })
    expect(events.slice(1, 5)).toMatchObject([
      { type: 'begun', invocation: 1 },
      { type: 'fault', fault: 'killAfter', call: 1, attempt: 1 },
      { type: 'call', outcome: 'never', fault: 'killAfter', words: 'reads stock sku=a' },
      { type: 'ended', outcome: 'killed' },
    ])
    expect(events[5]).toMatchObject({ type: 'begun', messages: [{ receiveCount: 2 }] })
  })

  it('shows each attempt of a call', async () => {
    const events = await observed({
      queue: 'retried',
      handler: readStock,
      faults: { at: [{ invocation: 1, call: 1, fault: 'loseAnswer' }] },
    })
    expect(calls(events)).toMatchObject([
      { call: 1, attempt: 1, outcome: 'failed', error: 'TimeoutError', fault: 'loseAnswer' },
      { call: 1, attempt: 2, outcome: 'ended' },
    ])
  })

  it('shows a call that met a transaction, which makes no attempt', async () => {
    const handler = (): Promise<unknown> =>
      dynamoDbStore({ tableName: 'lineclear', client: cloud.dynamodb }).update([
        { key: { pk: 'lock#a/b', sk: 'token' }, where: [], set: { confirmed: true } },
      ])
    const faults = { at: [{ invocation: 1, call: 1, fault: 'conflict' as const }] }
    const [first] = calls(await observed({ queue: 'refused', handler, faults }))
    expect(first).toMatchObject({ attempt: 0, outcome: 'failed', fault: 'conflict', call: 1 })
    expect(first?.error).toBe('TransactionConflictException')
  })

  it('ends with the error of a handler that threw', async () => {
    const events = await observed({
      queue: 'failing',
      handler: () => Promise.reject(new RangeError(`too far ${'x'.repeat(1_000)}`)),
    })
    const ended = events.find((event) => event.type === 'ended')
    expect(ended).toMatchObject({ outcome: 'failed', failures: [expect.any(String)] })
    expect(ended?.error).toMatch(/^RangeError: too far x+$/)
    expect(ended?.error?.length).toBe(300)
  })

  it('tells which message a fault delivers twice', async () => {
    const events = await observed({
      queue: 'doubled',
      handler: async () => {},
      faults: { duplicate: 1, duplicateLater: 0 },
    })
    const begun = events.filter((event) => event.type === 'begun')
    expect(begun).toHaveLength(2)
    const messageId = begun[0]?.messages[0]?.messageId
    expect(events.filter(({ type }) => type === 'fault')).toMatchObject([
      { fault: 'duplicate', messageId, invocation: 2 },
    ])
  })
})

describe.concurrent('an observer', () => {
  it('that throws, rejects or never answers changes nothing, and is logged once', async () => {
    const logger = quietLogger()
    const handled = new Set<string>()
    const handler: QueueHandler = async (event) => {
      await readStock()
      for (const { messageId } of event.Records) handled.add(messageId)
    }
    const answers: (() => unknown)[] = [
      () => {
        throw new Error('of the observer')
      },
      () => Promise.reject(new Error('rejected')),
      () => new Promise(() => {}),
    ]
    for (const observe of answers) {
      const sent = await sendMany(cloud, 'thrown', 5)
      const mapping = mapQueue({ cloud, queue: 'thrown', handler, observe, logger })
      await mapping.drained({ timeout: '10m' })
      await mapping.stop()
      expect(sent.every((id) => handled.has(id))).toBe(true)
      expect(mapping.counts.failedInvocations).toBe(0)
    }
    const failed = logger.lines.filter(({ level }) => level === 'error')
    expect(failed.map(({ fields }) => fields)).toEqual([
      { error: 'Error: of the observer' },
      { error: 'Error: rejected' },
    ])
  })

  it('of the channel sees what a subscriber of node:diagnostics_channel sees', async () => {
    const [seen, raw]: LocalEvent[][] = [[], []]
    const subscriber = (event: unknown): void => void raw?.push(event as LocalEvent)
    subscribe('lineclear.local', subscriber)
    const stop = observeLocalClouds((event) => void seen?.push(event))
    await send(cloud, 'silent', { MessageBody: '1' })
    const ofQueue = (event: LocalEvent): boolean =>
      'queue' in event && event.queue === 'silent' && event.type !== 'depth'
    const mapping = quietMapping({ cloud, queue: 'silent', handler: readStock })
    await mapping.drained({ timeout: '10m' })
    await mapping.stop()
    stop()
    unsubscribe('lineclear.local', subscriber)
    expect(raw?.filter(ofQueue)).toEqual(seen?.filter(ofQueue))
    expect(seen?.filter(ofQueue).map(({ type }) => type)).toEqual([
      'mapping',
      'begun',
      'call',
      'ended',
      'mapping',
    ])
  })

  it('sees the depth of a queue when it has changed', async () => {
    const depths: string[] = []
    const stop = observeLocalClouds((event) => {
      if (event.type !== 'depth' || event.queue !== 'depths') return
      depths.push(`${event.ready} ${event.inFlight} ${event.delayed}`)
    })
    await sendMany(cloud, 'depths', 2)
    await until(() => depths.length === 1)
    const QueueUrl = cloud.queueUrl('depths')
    await cloud.sqs.send(new ReceiveMessageCommand({ QueueUrl }))
    await until(() => depths.length === 2)
    const later = { QueueUrl, MessageBody: '3', DelaySeconds: 60 }
    await cloud.sqs.send(new SendMessageCommand(later))
    await until(() => depths.length === 3)
    stop()
    expect(depths).toEqual(['2 0 0', '1 1 0', '1 1 1'])
    expect(await cloud.queueDepth('depths')).toEqual({ ready: 1, inFlight: 1, delayed: 1 })
  })

  it('sees a cloud start and stop, with what it consists of', async () => {
    const events: LocalEvent[] = []
    const other = await startLocalCloud(
      {
        queues: { in: { deadLetter: { queue: 'dead', maxReceiveCount: 3 } }, dead: {} },
        topics: { all: { subscriptions: [{ queue: 'in' }] } },
      },
      { observe: (event) => void events.push(event) },
    )
    await other.stop()
    const shape = {
      queues: { in: { deadLetter: 'dead', maxReceiveCount: 3 }, dead: {} },
      topics: { all: { queues: ['in'] } },
      tables: [],
    }
    const { endpoints } = other
    expect(events).toMatchObject([
      { type: 'cloud', state: 'started', endpoints, cloud: shape },
      { type: 'cloud', state: 'stopped' },
    ])
  })

  it('sees the clouds and mappings that are up, however late it comes', async () => {
    const upNow = (): readonly string[] => {
      const events: LocalEvent[] = []
      observeLocalClouds((event) => void events.push(event))()
      return events.flatMap((event) => {
        if (event.type === 'cloud') return Object.keys(event.cloud.queues)
        return event.type === 'mapping' ? [`${event.function} reads ${event.queue}`] : []
      })
    }
    const other = await startLocalCloud({ queues: { late: {} } })
    const functionName = 'owl'
    quietMapping({ cloud: other, queue: 'late', functionName, handler: readStock })
    expect(upNow()).toEqual(expect.arrayContaining(['orders', 'late', 'owl reads late']))
    await other.stop()
    expect(upNow()).not.toContain('late')
    expect(upNow()).not.toContain('owl reads late')
  })

  it('sees what a handler writes, with its invocation', async () => {
    const lines: LocalEvent[] = []
    const stops = [
      observeOutput(),
      observeLocalClouds((event) => {
        if (event.type === 'log' && event.queue === 'logged') lines.push(event)
      }),
    ]
    await send(cloud, 'logged', { MessageBody: '1' })
    const handler = async (): Promise<void> => {
      await readStock()
      process.stdout.write('{"level":"warn","message":"low","left":1}\n')
    }
    const mapping = quietMapping({ cloud, queue: 'logged', handler })
    await mapping.drained({ timeout: '10m' })
    await mapping.stop()
    for (const stop of stops) stop()
    expect(lines).toMatchObject([
      { invocation: 1, level: 'WARN', message: 'low', fields: { left: 1 } },
    ])
  })
})

describe('a line of the log', () => {
  it.each([
    ['{"level":"INFO","message":"a","b":1}', { level: 'INFO', message: 'a', fields: { b: 1 } }],
    ['plain', { level: 'ERROR', message: 'plain', fields: {} }],
    ['{broken', { level: 'ERROR', message: '{broken', fields: {} }],
    ['{"_aws":{},"records":1}', undefined],
    [' ', undefined],
  ])('%s', (line, parsed) => {
    expect(parseLine(line, 'ERROR')).toEqual(parsed)
  })
})
