import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { SignatureV4 } from '@smithy/signature-v4'
import { describe, expect, it, vi } from 'vitest'
import { dynamoDbStore } from '../../../src/store/dynamodb/index.ts'
import { CREDENTIALS, everyCall, items, KEY, openStore } from './openStore.ts'
import { operationOf, type Sent, textOf } from './recordingHandler.ts'

describe('past the middleware of the client', () => {
  it('go all hot calls after the first', async () => {
    const warn = vi.spyOn(console, 'warn')
    const { store, requests, ways } = openStore()
    await everyCall(store)
    expect(warn).not.toHaveBeenCalled()
    expect(requests.map(operationOf)).toEqual([
      'PutItem',
      'BatchExecuteStatement',
      'UpdateItem',
      'GetItem',
      'BatchGetItem',
    ])
    expect(ways()).toEqual(['SDK', 'fast', 'fast', 'fast', 'fast'])
  })

  it('go the same body and the same headers', async () => {
    const [fast, slow] = [openStore(), openStore()]
    const byTheSdk = dynamoDbStore({ tableName: 'lineclear', client: slow.client, fastPath: false })
    for (const store of [fast.store, byTheSdk]) {
      await everyCall(store)
      await store.create(
        items(1, { text: 'größer 🚂 "\\ \u0000', n: 0.1, yes: true, set: new Set(['a']) }),
      )
    }
    const alike = (sent: Sent): unknown => {
      const {
        host,
        'content-type': type,
        'x-amz-target': target,
        'user-agent': agent,
      } = sent.headers
      const { protocol, hostname, port, path, headers } = sent
      const length = headers['content-length']
      return [
        protocol,
        hostname,
        port,
        path,
        host,
        type,
        target,
        agent,
        length,
        JSON.parse(textOf(sent)),
      ]
    }
    expect(fast.requests.map(alike)).toEqual(slow.requests.map(alike))
    expect(fast.ways()).toContain('fast')
    expect(slow.ways()).not.toContain('fast')
    expect(new Set(fast.requests.map(({ headers }) => headers['amz-sdk-invocation-id'])).size).toBe(
      fast.requests.length,
    )
  })

  it.each([
    ['long-term', CREDENTIALS],
    ['session', { ...CREDENTIALS, sessionToken: 'token/+=' }],
  ])('go requests with a good signature: %s credentials', async (_, credentials) => {
    const { client, store, requests, ways } = openStore({ credentials })
    await everyCall(store)
    for (const sent of requests) {
      const expected = await authorizationOf(sent, client, credentials)
      expect(sent.headers['authorization']).toBe(expected)
      expect(sent.headers['x-amz-security-token']).toBe(
        'sessionToken' in credentials ? 'token/+=' : undefined,
      )
    }
    expect(ways()).toContain('fast')
  })

  it('is an item of 400 KB read as it is', async () => {
    const text = 'ä'.repeat(200_000)
    const { store, ways } = openStore({}, (_, nth) =>
      nth === 0
        ? undefined
        : { body: Readable.from(piecesOf(JSON.stringify({ Item: { text: { S: text } } }))) },
    )
    await store.read([KEY])
    expect(await store.read([KEY])).toEqual([{ kind: 'found', item: { text } }])
    expect(ways()).toEqual(['SDK', 'fast'])
  })

  it('an attribute of other programs is not taken for the prototype', async () => {
    const body = '{"Item":{"pk":{"S":"p"},"__proto__":{"SS":["a"]},"bytes":{"B":"AA=="}}}'
    const { store } = openStore({}, () => ({ body }))
    await store.read([KEY])
    const [read] = await store.read([KEY])
    const item = read?.kind === 'found' ? read.item : undefined
    expect(item).toEqual({ pk: 'p' })
    expect(Object.getPrototypeOf(item)).toBe(Object.prototype)
  })

  it('a refused write costs one request, and shows the item', async () => {
    const Item = { pk: { S: 'p' }, sk: { S: 's' }, n: { N: '1' } }
    const __type = 'com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException'
    const body = JSON.stringify({ __type, message: 'The conditional request failed', Item })
    const { store, ways } = openStore({}, () => ({ status: 400, body }))
    for (let times = 0; times < 3; times++) {
      const refused = { kind: 'refused', item: { ...KEY, n: 1 } }
      expect(await store.create(items(1))).toEqual([refused])
      expect(await store.update([{ key: KEY, where: [], set: { a: 1 } }])).toEqual([refused])
    }
    expect(ways()).toEqual(['SDK', 'fast', 'fast', 'fast', 'fast', 'fast'])
  })

  it('go calls to an endpoint with a path, and to one of IPv6', async () => {
    const { store, requests, ways } = openStore({ endpoint: 'http://[::1]:8000/prefix/db' })
    await everyCall(store)
    expect(ways()).toContain('fast')
    for (const { protocol, hostname, port, path, headers } of requests) {
      expect([protocol, hostname, port, path]).toEqual(['http:', '[::1]', 8000, '/prefix/db/'])
      expect(headers['host']).toBe('[::1]:8000')
    }
  })

  it.each([
    [{ useFipsEndpoint: true }, 'dynamodb-fips.eu-west-1.amazonaws.com'],
    [{ useDualstackEndpoint: true }, 'dynamodb.eu-west-1.api.aws'],
    [
      { credentials: { ...CREDENTIALS, accountId: '123456789012' } },
      '123456789012.ddb.eu-west-1.amazonaws.com',
    ],
  ])('go calls to the endpoint of %j', async (config, host) => {
    const { store, requests, ways } = openStore(config)
    await everyCall(store)
    expect(ways()).toContain('fast')
    expect(new Set(requests.map(({ hostname }) => hostname))).toEqual(new Set([host]))
  })

  it('one socket is used again and again', async () => {
    let connections = 0
    const server = createServer(
      (request, response) => void request.on('end', () => response.end('{}')).resume(),
    )
    server.on('connection', () => (connections += 1))
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = server.address() as AddressInfo
    const client = new DynamoDBClient({
      region: 'eu-west-1',
      credentials: CREDENTIALS,
      endpoint: `http://127.0.0.1:${port}`,
    })
    const store = dynamoDbStore({ tableName: 'lineclear', client })
    for (let nth = 0; nth < 10; nth++) await store.create(items(1))
    expect(connections).toBe(1)
    client.destroy()
    server.close()
  })
})

describe('what a call needs is the client’s own, each time:', () => {
  it('the Region', async () => {
    let region = 'eu-west-1'
    const { store, requests, ways, wait } = openStore({ region: async () => region })
    await everyCall(store)
    region = 'us-east-2'
    await store.read([KEY])
    expect(requests.at(-1)?.hostname).toBe('dynamodb.us-east-2.amazonaws.com')
    wait(1_000)
    await everyCall(store)
    expect(ways().slice(-2)).toEqual(['fast', 'fast'])
    expect(requests.at(-1)?.hostname).toBe('dynamodb.us-east-2.amazonaws.com')
  })

  it('the endpoint', async () => {
    let hostname = 'one.example'
    const { store, requests } = openStore({
      endpoint: async () => ({ protocol: 'https:', hostname, path: '/' }),
    })
    await everyCall(store)
    hostname = 'other.example'
    await store.read([KEY])
    expect(requests.at(-1)?.hostname).toBe('other.example')
  })

  it('credentials that expire', async () => {
    let accessKeyId = 'first'
    const credentials = async () => ({ ...CREDENTIALS, accessKeyId, expiration: new Date(0) })
    const { store, requests, ways } = openStore({ credentials })
    await everyCall(store)
    accessKeyId = 'second'
    await everyCall(store)
    expect(requests.at(-1)?.headers['authorization']).toContain('Credential=second/')
    expect(ways().at(-1)).toBe('fast')
  })

  it('credentials that are exchanged', async () => {
    const { client, store, requests } = openStore()
    await everyCall(store)
    const other = { ...CREDENTIALS, accessKeyId: 'other' }
    Object.assign(client.config, { credentials: other })
    await store.read([KEY])
    expect(requests.at(-1)?.headers['authorization']).toContain('Credential=other/')
  })

  it('the correction of its clock', async () => {
    const { store, requests, ways } = openStore({ systemClockOffset: 3_600_000 })
    await everyCall(store)
    const date = requests.at(-1)?.headers['x-amz-date'] ?? ''
    expect(Math.abs(dateOf(date).getTime() - Date.now() - 3_600_000)).toBeLessThan(60_000)
    expect(ways().at(-1)).toBe('fast')
  })
})

function* piecesOf(text: string): Iterable<Buffer> {
  const bytes = Buffer.from(text)
  // An odd size, so that letters are cut in two.
  for (let from = 0; from < bytes.length; from += 9_999) yield bytes.subarray(from, from + 9_999)
}

async function authorizationOf(
  sent: Sent,
  { config }: DynamoDBClient,
  credentials: typeof CREDENTIALS,
): Promise<string | undefined> {
  const signer = new SignatureV4({
    credentials,
    region: 'eu-west-1',
    service: 'dynamodb',
    sha256: config.sha256,
  })
  const date = sent.headers['x-amz-date'] ?? ''
  const signed = await signer.sign(
    { ...sent, method: 'POST', query: {} },
    { signingDate: dateOf(date) },
  )
  return signed.headers['authorization']
}

function dateOf(text: string): Date {
  return new Date(text.replace(/(....)(..)(..)T(..)(..)(..)Z/, '$1-$2-$3T$4:$5:$6Z'))
}
