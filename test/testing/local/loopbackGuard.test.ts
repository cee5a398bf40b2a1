import { request } from 'node:http'
import { connect } from 'node:net'
import { CreateQueueCommand, ListQueuesCommand } from '@aws-sdk/client-sqs'
import { ListTablesCommand } from '@aws-sdk/client-dynamodb'
import { tableDefinition } from 'lineclear/dynamodb'
import { type LocalCloud, serveMappings, startLocalCloud } from 'lineclear/local'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startOutsideSystems } from '../../../src/testing/local/dev/outsideSystems.ts'
import { lockFolder, portsOf } from '../../../src/tools/console/dev/localFiles.ts'

let cloud: LocalCloud
const stops: (() => unknown)[] = []
const ports: Record<string, number> = {}
/** What a web page must not reach: how often the code behind was asked. */
let asked = 0

beforeAll(async () => {
  cloud = await startLocalCloud({
    queues: { orders: {} },
    buckets: ['files'],
    tables: { lineclear: tableDefinition() },
  })
  const lambda = await serveMappings(() => {
    asked += 1
    return []
  })
  const outside = await startOutsideSystems(['bank'], async () => (asked += 1))
  const release = await lockFolder(import.meta.dirname, () => undefined)
  stops.push(cloud.stop, lambda.stop, outside.stop, () => release?.())
  Object.assign(ports, {
    dynamodb: portOf(cloud.endpoints.dynamodb),
    sqs: portOf(cloud.endpoints.sqs),
    lambda: portOf(lambda.endpoint),
    outside: portOf(outside.urls['bank']),
    folder: portsOf(import.meta.dirname)[0],
  })
})
afterAll(async () => {
  for (const stop of stops) await stop()
})

function portOf(url = ''): number {
  return Number(new URL(url).port)
}

const SERVERS = ['dynamodb', 'sqs', 'lambda', 'outside', 'folder']

interface Sent {
  readonly method?: string
  readonly headers: Readonly<Record<string, string>>
}

async function statusOf(port: number, { method = 'POST', headers }: Sent): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  request({ host: '127.0.0.1', port, method, path: '/bank', headers }, (response) => {
    response.resume().once('end', () => resolve(response.statusCode ?? 0))
  })
    .once('error', reject)
    .end(method === 'POST' ? '{}' : '')
  return promise
}

/** What an unsigned request of a program gets: an answer of the engine itself. */
const PAGES: readonly (readonly [string, (host: string) => Sent])[] = [
  ['a page that has rebound its name', (host) => ({ headers: { host: `evil.example:${host}` } })],
  [
    'a page whose name begins as ours',
    (port) => ({ headers: { host: `localhost.evil.example:${port}` } }),
  ],
  ['another port', () => ({ headers: { host: 'localhost:1' } })],
  [
    'a form of another page',
    () => ({ headers: { origin: 'http://evil.example', 'content-type': 'text/plain' } }),
  ],
  ['a page without a name', () => ({ headers: { origin: 'null' } })],
  ['another server of this machine', () => ({ headers: { origin: 'http://localhost:3000' } })],
  ['an image', () => ({ method: 'GET', headers: { 'sec-fetch-site': 'cross-site' } })],
  ['a page of the engine itself', () => ({ headers: { 'sec-fetch-site': 'same-origin' } })],
  [
    'a question of a browser whether it may',
    () => ({
      method: 'OPTIONS',
      headers: { origin: 'http://evil.example', 'access-control-request-method': 'POST' },
    }),
  ],
]

describe.each(SERVERS)('no web page reaches the server of %s:', (name) => {
  it.each(PAGES)('%s', async (_, sent) => {
    const port = ports[name] ?? 0
    const before = asked
    expect(await statusOf(port, sent(String(port)))).toBe(403)
    expect(asked).toBe(before)
  })

  it('and a program does', async () => {
    expect(await statusOf(ports[name] ?? 0, { headers: {} })).not.toBe(403)
  })
})

it('programs reach all engines, by each name of this machine', async () => {
  await cloud.sqs.send(new CreateQueueCommand({ QueueName: 'more' }))
  expect((await cloud.sqs.send(new ListQueuesCommand({}))).QueueUrls).toHaveLength(2)
  expect((await cloud.dynamodb.send(new ListTablesCommand({}))).TableNames).toEqual(['lineclear'])
  for (const name of ['sqs', 'dynamodb']) {
    const headers = { host: `localhost:${ports[name]}` }
    expect(await statusOf(ports[name] ?? 0, { headers })).not.toBe(403)
  }
})

/** Sends raw text and resolves with all that comes back. */
async function said(port: number, text: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  let answer = ''
  const socket = connect(port, '127.0.0.1', () => socket.write(text))
  socket.on('data', (chunk) => (answer += chunk.toString()))
  socket.on('error', () => resolve(answer))
  socket.once('close', () => resolve(answer))
  return promise
}

describe('the guard before DynamoDB reads a whole head:', () => {
  it.each([
    ['two hosts', 'POST / HTTP/1.1\r\nHost: localhost:PORT\r\nHost: evil.example:PORT\r\n\r\n'],
    ['no host', 'POST / HTTP/1.0\r\n\r\n'],
    ['another spelling', 'POST / HTTP/1.1\r\nHost: localhost:PORT\r\nORIGIN: null\r\n\r\n'],
    ['a head without end', `POST / HTTP/1.1\r\nHost: localhost:PORT\r\nx: ${'x'.repeat(20_000)}`],
  ])('%s is refused, and the connection closed', async (_, text) => {
    const port = ports['dynamodb'] ?? 0
    expect(await said(port, text.replaceAll('PORT', String(port)))).toMatch(
      /^HTTP\/1.1 (?:403|431) /,
    )
  })
})

it('after a request that an old browser does not mark, the connection is closed', async () => {
  const port = ports['dynamodb'] ?? 0
  const get = `GET / HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`
  expect(await said(port, get)).toMatch(/^HTTP\/1.1 200 /)
})
