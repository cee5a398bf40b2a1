import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb'
import { describe, expect, it, vi } from 'vitest'
import { dynamoDbStore } from '../../../src/store/dynamodb/index.ts'
import { CREDENTIALS, everyCall, items, KEY, type Opened, openStore } from './openStore.ts'
import { answerOf, recordingHandler, wayOf } from './recordingHandler.ts'

describe('every call goes through the SDK', () => {
  const expectNone = async ({ store, ways }: Opened): Promise<void> => {
    await everyCall(store)
    expect(ways()).toEqual(['SDK', 'SDK', 'SDK', 'SDK', 'SDK'])
  }

  it('if the option says so', async () => {
    const { client, requests } = openStore()
    await everyCall(dynamoDbStore({ tableName: 'lineclear', client, fastPath: false }))
    expect(requests.map(wayOf)).not.toContain('fast')
  })

  it('for a table that goes by its ARN, which may have an endpoint of its own', async () => {
    const { client, requests } = openStore()
    const tableName = 'arn:aws:dynamodb:eu-west-1:123456789012:table/lineclear'
    const store = dynamoDbStore({ tableName, client })
    await store.create(items(1))
    await store.read(items(1))
    expect(requests.map(wayOf)).toEqual(['SDK', 'SDK'])
  })

  it.each(['initialize', 'serialize', 'build', 'finalizeRequest', 'deserialize'] as const)(
    'with middleware of the user’s at the step %s',
    async (step) => {
      const opened = openStore()
      let seen = 0
      const spy = (next: (args: never) => unknown) => (args: never) => {
        seen += 1
        return next(args)
      }
      opened.client.middlewareStack.add(spy as never, { step: step as 'build' })
      await expectNone(opened)
      expect(seen).toBe(5)
    },
  )

  it('from the moment on when a tracer adds middleware, until it is taken away', async () => {
    const { client, store, ways } = openStore()
    await everyCall(store)
    client.middlewareStack.add((next) => (args) => next(args), { name: 'tracer' })
    await store.read([KEY])
    client.middlewareStack.remove('tracer')
    await store.read([KEY])
    expect(ways().slice(-3)).toEqual(['fast', 'SDK', 'fast'])
  })

  it('while a test double stands in the place of send', async () => {
    const { client, store, ways } = openStore()
    await everyCall(store)
    const onAll = vi.spyOn(DynamoDBClient.prototype, 'send').mockResolvedValue({} as never)
    await store.read([KEY])
    expect(onAll).toHaveBeenCalledOnce()
    onAll.mockRestore()
    const onOne = vi.spyOn(client, 'send').mockResolvedValue({} as never)
    await store.read([KEY])
    expect(onOne).toHaveBeenCalledOnce()
    onOne.mockRestore()
    expect(ways()).toHaveLength(5)
    await store.read([KEY])
    expect(ways().at(-1)).toBe('fast')
  })

  it('if a test double was there first', async () => {
    const { client, store, ways } = openStore()
    const double = vi.spyOn(client, 'send').mockResolvedValue({} as never)
    await store.read([KEY])
    await store.read([KEY])
    expect(double).toHaveBeenCalledTimes(2)
    expect(ways()).toEqual([])
  })

  it('if a tracer has put a function around send of all clients', async () => {
    const { send } = Object.getPrototypeOf(DynamoDBClient.prototype) as DynamoDBClient
    let traced = 0
    vi.spyOn(DynamoDBClient.prototype, 'send').mockImplementation(function (
      this: DynamoDBClient,
      ...given: unknown[]
    ): unknown {
      traced += 1
      return Reflect.apply(send, this, given)
    } as never)
    await expectNone(openStore())
    expect(traced).toBe(5)
  })

  it.each<[string, DynamoDBClientConfig]>([
    ['a logger', { logger: { debug() {}, info() {}, warn() {}, error() {} } }],
    ['adaptive retries', { retryMode: 'adaptive' }],
    ['a retry strategy of the user’s', { retryStrategy: ownStrategy() }],
    ['an extension', { extensions: [{ configure() {} }] }],
    ['endpoint discovery', { endpointDiscoveryEnabled: true }],
    ['another protocol', { protocol: otherProtocol() }],
    ['a signer of another kind', { signer: otherSigner() }],
    ['headers at its endpoint', { endpoint: endpointWithHeaders }],
  ])('of a client with %s', async (_, config) => {
    await expectNone(openStore(config))
  })

  it('of a client of a class of the user’s', async () => {
    class Own extends DynamoDBClient {}
    const requestHandler = recordingHandler()
    const config = { region: 'eu-west-1', credentials: CREDENTIALS, requestHandler }
    const client = new Own(config)
    await everyCall(dynamoDbStore({ tableName: 'lineclear', client }))
    expect(requestHandler.requests.map(wayOf)).not.toContain('fast')
  })

  it('if the request handler does not answer with a stream of Node', async () => {
    await expectNone(openStore({}, (sent) => ({ body: new Blob([answerOf(sent)]).stream() })))
  })
})

async function endpointWithHeaders() {
  const headers = { 'x-proxy-key': 'secret' }
  return { protocol: 'https:', hostname: 'proxy.example', path: '/', headers }
}

function ownStrategy(): NonNullable<DynamoDBClientConfig['retryStrategy']> {
  const token = { getRetryCount: () => 0, getRetryDelay: () => 0 }
  return {
    acquireInitialRetryToken: async () => token,
    refreshRetryTokenForRetry: async () => token,
    recordSuccess() {},
  }
}

/** As the SDK's own, but of a class of the user's. */
function otherProtocol(): NonNullable<DynamoDBClientConfig['protocol']> {
  const { protocol } = new DynamoDBClient({ region: 'eu-west-1' }).config
  return Object.assign(Object.create(protocol ?? null) as NonNullable<typeof protocol>, {
    constructor: Other,
  })
}

function Other(): void {}

function otherSigner(): NonNullable<DynamoDBClientConfig['signer']> {
  return {
    sign: async (request) => {
      const authorization = 'AWS4-ECDSA-P256-SHA256 Credential=id/20261122/dynamodb/aws4_request'
      return { ...request, headers: { ...request.headers, authorization } }
    },
  }
}
