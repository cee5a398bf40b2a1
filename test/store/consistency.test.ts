import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import type { ServiceInputTypes } from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Clock } from '../../src/library/base/clock.ts'
import { dynamoDbStore } from '../../src/library/adapters/store/dynamodb/index.ts'
import type { Item, StoreKey, Store } from '../../src/library/protocol/store/store.ts'
import { createTables, type Engine, startDynoxide } from './dynoxide.ts'
import { answerStatements, type Call, serviceError } from './seam.ts'
import { WAYS } from './ways.ts'

let engine: Engine
let tables: { tableName: string; userTable: string }
beforeAll(async () => {
  engine = await startDynoxide()
  tables = await createTables(engine.client())
})
afterAll(() => engine.stop())

const clock: Clock = { now: () => 0, sleep: async () => {} }

type React = (call: Call) => ReturnType<Call['send']>

let tests = 0
function items(count: number): (Item & StoreKey)[] {
  tests += 1
  return Array.from({ length: count }, (_, nth) => ({
    pk: `c${tests}-${nth}`,
    sk: 's',
    format: 1,
    n: nth,
  }))
}

function engineStore(): Store {
  return dynamoDbStore({ tableName: tables.tableName, client: engine.client(), clock })
}

describe.each(WAYS)('$name:', ({ open, intercept }) => {
  /** A store whose requests are seen, and answered as `react` says. */
  function seen(react: React = ({ send }) => send()): {
    store: Store
    inputs: ServiceInputTypes[]
  } {
    const inputs: ServiceInputTypes[] = []
    const client = intercept(engine.client(), 'inside', (call) => {
      inputs.push(call.input)
      return react(call)
    })
    return { store: open({ tableName: tables.tableName, client, clock }), inputs }
  }

  /** The engine itself is always consistent: what counts is what it was asked for. */
  describe('a read sees every write that was answered before', () => {
    const isConsistent = (input: ServiceInputTypes | undefined): boolean =>
      JSON.stringify(input).includes('"ConsistentRead":true')

    it.each([1, 3])('of %d items, if that is asked for', async (count) => {
      const { store, inputs } = seen()
      await store.read(items(count), { consistent: true })
      expect(inputs.map(isConsistent)).toEqual([true])
      await store.read(items(count))
      expect(isConsistent(inputs.at(-1))).toBe(false)
    })

    it('of the user’s tables', async () => {
      const { store, inputs } = seen()
      await store.readUser({ TableName: tables.userTable, Key: { id: 'x' } })
      expect(inputs.map(isConsistent)).toEqual([true])
    })

    it('when it looks for what has refused a batch without showing it', async () => {
      const three = items(3)
      const [first = { pk: '', sk: '' }] = three
      const taken = { Error: { Code: 'DuplicateItem', Message: 'is there' } } as const
      const { store, inputs } = seen((call) =>
        call.command === 'BatchExecuteStatementCommand'
          ? answerStatements(call, () => taken)
          : call.send(),
      )
      await engineStore().create([first])
      const outcomes = await store.create(three)
      expect(outcomes[0]).toEqual({ kind: 'refused', item: first })
      expect(isConsistent(inputs.at(-1))).toBe(true)
    })
  })

  describe('a batch', () => {
    it('of which a statement was not answered is not taken for written', async () => {
      const { store } = seen(async (call) =>
        call.command === 'BatchExecuteStatementCommand'
          ? { $metadata: {}, Responses: [] }
          : Promise.reject(serviceError('InternalServerError')),
      )
      for (const outcome of await store.create(items(3))) expect(outcome.kind).toBe('failed')
    })

    it('of which a statement was not answered is written entry by entry', async () => {
      const { store } = seen(async (call) =>
        call.command === 'BatchExecuteStatementCommand'
          ? { $metadata: {}, Responses: [] }
          : call.send(),
      )
      const three = items(3)
      expect(await store.create(three)).toEqual(three.map((item) => ({ kind: 'applied', item })))
      const found = await store.read(three, { consistent: true })
      expect(found).toEqual(three.map((item) => ({ kind: 'found', item })))
    })

    it('that is refused as a whole for one bad entry fails that entry alone', async () => {
      const { store } = seen(async (call) => {
        if (call.command === 'BatchExecuteStatementCommand')
          throw serviceError('ValidationException')
        return call.send()
      })
      const three = items(3)
      expect(await store.create(three)).toEqual(three.map((item) => ({ kind: 'applied', item })))
    })
  })
})

describe('a connection that never answers', () => {
  const sockets: Socket[] = []
  let server: Server
  beforeAll(async () => {
    server = createServer((socket) => void sockets.push(socket))
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  })
  afterAll(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })

  it('is given up by the client of the store’s own: it must not take the whole invocation with it', async () => {
    const { port } = server.address() as AddressInfo
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', `http://127.0.0.1:${port}`)
    vi.stubEnv('AWS_REGION', 'eu-west-1')
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'local')
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'local')
    vi.stubEnv('AWS_MAX_ATTEMPTS', '1')
    const [outcome] = await dynamoDbStore({ tableName: 'lineclear', clock }).read(items(1))
    expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'STORE_UNAVAILABLE' } })
  })
})
