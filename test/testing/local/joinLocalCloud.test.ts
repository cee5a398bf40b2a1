import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb'
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import {
  joinLocalCloud,
  type LocalCloud,
  type LocalEvent,
  mapQueue,
  startLocalCloud,
} from 'lineclear/local'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { quietLogger, sendMany } from './helpers.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startLocalCloud({
    queues: { own: { visibilityTimeout: 1 }, paid: {}, joined: {}, looked: {} },
    tables: { stock: { hash: 'sku' } },
  })
})
afterAll(() => cloud.stop())

describe('a joined cloud', () => {
  it('maps its queues, looks into them over the wire, and leaves the cloud running', async () => {
    const joined = await joinLocalCloud({ queues: { joined: {}, looked: {} } }, cloud.endpoints)
    await sendMany(cloud, 'looked', 2)
    expect(await joined.queueDepth('looked')).toEqual({ ready: 2, inFlight: 0, delayed: 0 })
    expect(await joined.queueContents('looked')).toEqual(cloud.inspectQueue('looked'))
    expect(() => joined.inspectQueue('looked')).toThrow('use await cloud.queueContents(name)')
    await sendMany(joined, 'joined', 3)
    const handled: number[] = []
    const mapping = mapQueue({
      cloud: joined,
      queue: 'joined',
      handler: async ({ Records }) => void handled.push(Records.length),
      logger: quietLogger(),
    })
    await mapping.drained({ timeout: '10m' })
    await joined.stop()
    expect(mapping.state).toBe('stopped')
    expect(handled.reduce((sum, n) => sum + n, 0)).toBe(3)
    await sendMany(cloud, 'joined', 1)
    expect(await cloud.queueDepth('joined')).toMatchObject({ ready: 1 })
  })

  it('takes its endpoints from the environment, and none that is not on this machine', async () => {
    for (const [name, value] of Object.entries(cloud.environment)) vi.stubEnv(name, value)
    await using joined = await joinLocalCloud({ queues: { own: {} } })
    expect(joined.endpoints.sqs).toBe(cloud.endpoints.sqs)
    expect(joined.queueUrl('own')).toBe(cloud.queueUrl('own'))
    vi.stubEnv('AWS_ENDPOINT_URL_SQS', 'https://sqs.eu-west-1.amazonaws.com')
    await expect(joinLocalCloud({ queues: { own: {} } })).rejects.toThrow(
      'endpoints.sqs: expected the URL of a local cloud on this machine, got "https://sqs.eu-west-1',
    )
    await expect(joinLocalCloud({ topics: { own: {} } }, {})).rejects.toThrow(
      'joinLocalCloud: endpoints.sns: expected the URL of a local cloud',
    )
  })
})

describe('clients that a handler makes by itself', () => {
  const readStock = (client: DynamoDBClient) =>
    client.send(new GetItemCommand({ TableName: 'stock', Key: { sku: { S: 'a' } } }))

  it('are observed, and get faults, also those that were made before', async () => {
    for (const [name, value] of Object.entries(cloud.environment)) vi.stubEnv(name, value)
    const [before, queue] = [new DynamoDBClient({}), new SQSClient({})]
    await cloud.instrumentAll()
    const events: LocalEvent[] = []
    await sendMany(cloud, 'own', 1)
    const mapping = mapQueue({
      cloud,
      queue: 'own',
      handler: async () => {
        await readStock(before)
        await readStock(new DynamoDBClient({ endpoint: cloud.endpoints.dynamodb ?? '' }))
        const QueueUrl = cloud.queueUrl('paid')
        await queue.send(new SendMessageCommand({ QueueUrl, MessageBody: '1' }))
      },
      logger: quietLogger(),
      functionTimeout: '2s',
      faults: { at: [{ invocation: 1, call: 2, fault: 'killBefore' }] },
      observe: (event) => void events.push(event),
    })
    await mapping.drained({ timeout: '10m' })
    await mapping.stop()
    const calls = events.flatMap((event) =>
      event.type === 'call' ? [[event.invocation, event.words, event.outcome]] : [],
    )
    expect(calls).toEqual([
      [1, 'reads stock sku=a', 'ended'],
      [1, 'reads stock sku=a', 'never'],
      [2, 'reads stock sku=a', 'ended'],
      [2, 'reads stock sku=a', 'ended'],
      [2, 'sends to paid', 'ended'],
    ])
  })

  it('are left alone when they call another endpoint', async () => {
    await cloud.instrumentAll()
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' })
      response.end('{}')
    })
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const credentials = { accessKeyId: 'a', secretAccessKey: 'b' }
    const elsewhere = new DynamoDBClient({ endpoint, region: 'eu-west-1', credentials })
    await sendMany(cloud, 'own', 1)
    const mapping = mapQueue({
      cloud,
      queue: 'own',
      handler: () => readStock(elsewhere),
      logger: quietLogger(),
      faults: { kill: 0, throttle: 1 },
    })
    await mapping.drained({ timeout: '10m' })
    await mapping.stop()
    elsewhere.destroy()
    await new Promise((closed) => server.close(closed))
    expect(mapping.counts).toMatchObject({ invocations: 1, throttles: 0, failedInvocations: 0 })
  })

  it('are as before once the cloud has stopped', async () => {
    const { send: before } = Object.getPrototypeOf(SQSClient.prototype)
    const other = await startLocalCloud({ queues: { any: {} } })
    await other.instrumentAll()
    const { send: during } = Object.getPrototypeOf(SQSClient.prototype)
    expect(during).not.toBe(before)
    await other.stop()
    const { send: after } = Object.getPrototypeOf(SQSClient.prototype)
    expect(after).toBe(before)
  })
})
