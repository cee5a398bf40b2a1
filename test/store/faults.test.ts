import {
  BatchGetItemCommand,
  CreateTableCommand,
  type DynamoDBClient,
  DynamoDBClient as Client,
} from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Clock } from '../../src/library/base/clock.ts'
import { jsonLogger } from '../../src/library/base/logger.ts'
import { dynamoDbStore } from '../../src/library/adapters/store/dynamodb/index.ts'
import type {
  Item,
  StoreKey,
  Store,
  Update,
  UserWrite,
} from '../../src/library/protocol/store/store.ts'
import { createTables, type Engine, startDynoxide } from './dynoxide.ts'
import { answerStatements, lostAnswer, serviceError } from './seam.ts'
import { WAYS } from './ways.ts'

let engine: Engine
let tables: { tableName: string; userTable: string }
beforeAll(async () => {
  engine = await startDynoxide()
  tables = await createTables(engine.client())
})
afterAll(() => engine.stop())

/** Pauses take no time, and are counted. */
function clockOf(pauses: number[] = []): Clock {
  return { now: () => 0, sleep: async (milliseconds) => void pauses.push(milliseconds) }
}

let tests = 0
function items(count: number, content: Item = { attemptId: 'mine' }): (Item & StoreKey)[] {
  tests += 1
  return Array.from({ length: count }, (_, nth) => ({
    pk: `${tests}-${nth}`,
    sk: 's',
    format: 1,
    ...content,
  }))
}

function updateOf({ pk, sk }: StoreKey, set: Update['set'] = { done: true }): Update {
  return { key: { pk, sk }, where: [{ field: 'attemptId', is: '=', value: 'mine' }], set }
}

function addOne(id: string): UserWrite {
  return { TableName: tables.userTable, Key: { id }, where: [], add: { total: 1 } }
}

/** Every verb, alone and in a batch. */
async function everyOutcome(store: Store): Promise<unknown[]> {
  const [three, [one = { pk: '', sk: '' }]] = [items(3), items(1)]
  const outcomes = await Promise.all([
    store.create([one]),
    store.create(three),
    store.update([updateOf(one)]),
    store.update(three.map((item) => updateOf(item))),
    store.read([one]),
    store.read(three, { consistent: true }),
    store.transact(updateOf(one), [addOne('x')]).then((outcome) => [outcome]),
    store.readUser({ TableName: tables.userTable, Key: { id: 'x' } }).then(
      () => [{ kind: 'found' }],
      (error: unknown) => [{ kind: 'failed', error }],
    ),
  ])
  return outcomes.flat()
}

function expectAll(outcomes: readonly unknown[], code: string, message: RegExp): void {
  expect(outcomes.length).toBeGreaterThan(0)
  for (const outcome of outcomes) {
    const error = expect.objectContaining({ code, message: expect.stringMatching(message) })
    expect(outcome).toEqual({ kind: 'failed', error })
  }
}

describe.each(WAYS)('$name:', ({ isFast, open, intercept, countRequests }) => {
  const storeOn = (client: DynamoDBClient, pauses?: number[]): Store =>
    open({ tableName: tables.tableName, client, clock: clockOf(pauses), random: () => 1 })

  describe('a store that cannot be used', () => {
    it('says that the table is missing, and what makes one', async () => {
      const store = dynamoDbStore({ tableName: 'not-there', client: engine.client() })
      const outcomes = await everyOutcome(store)
      // The last two go to the user's table, which is there.
      expectAll(outcomes.slice(0, -2), 'STORE_UNAVAILABLE', /tableDefinition\(\).*not-there/)
      expectAll(outcomes.slice(-2, -1), 'STORE_UNAVAILABLE', /not-there or stock/)
    })

    it('says that no server answers', async () => {
      const client = new Client({
        endpoint: 'http://127.0.0.1:9',
        region: 'eu-west-1',
        credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
        maxAttempts: 1,
      })
      const outcomes = await everyOutcome(storeOn(client))
      expectAll(outcomes, 'STORE_UNAVAILABLE', /nothing listens.*AWS_ENDPOINT_URL.*ECONNREFUSED/)
    })

    it('says that there is no Region, and where to give it', async () => {
      const region = async (): Promise<string> => Promise.reject(new Error('Region is missing'))
      const outcomes = await everyOutcome(storeOn(new Client({ region, maxAttempts: 1 })))
      expectAll(outcomes, 'STORE_UNAVAILABLE', /has no Region.*Set AWS_REGION/)
    })

    it.each([
      ['ExpiredTokenException', /credentials/],
      ['ProvisionedThroughputExceededException', /throttles/],
      ['InternalServerError', /failed/],
    ])('says so of %s, whatever the verb', async (name, message) => {
      const client = intercept(engine.client(), 'inside', async () => {
        throw serviceError(name)
      })
      expectAll(await everyOutcome(storeOn(client)), 'STORE_UNAVAILABLE', message)
    })

    it('does not blame the records for a table with another key', async () => {
      const client = engine.client()
      const TableName = `another-key-${isFast}`
      await client.send(
        new CreateTableCommand({
          TableName,
          BillingMode: 'PAY_PER_REQUEST',
          KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
          AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
        }),
      )
      const store = dynamoDbStore({ tableName: TableName, client })
      const [three, [one = { pk: '', sk: '' }]] = [items(3), items(1)]
      const outcomes = await Promise.all([
        store.create([one]),
        store.create(three),
        store.update([updateOf(one)]),
        store.update(three.map((item) => updateOf(item))),
        store.read([one]),
        store.read(three),
      ])
      expectAll(outcomes.flat(), 'STORE_UNAVAILABLE', /another key.*another-key/)
    })

    it.each([undefined, '', 'a', 'no spaces', '"quoted"'])('refuses %j as a table', (tableName) => {
      const options = { tableName } as { tableName: string }
      expect(() => dynamoDbStore(options)).toThrow(/tableName.*environment variable/)
    })
  })

  describe('a table of the user’s own that cannot be used', () => {
    const failing = async (error: Error): Promise<readonly unknown[]> => {
      const [item = { pk: '', sk: '' }] = items(1)
      await storeOn(engine.client()).create([item])
      const client = intercept(engine.client(), 'around', async ({ command, input, send }) => {
        const ours = 'TableName' in input && input.TableName === tables.tableName
        if (command === 'TransactWriteItemsCommand' || !ours) throw error
        return send()
      })
      const store = storeOn(client)
      const transacted = await store.transact(updateOf(item), [addOne(item.pk)])
      try {
        return [transacted, { kind: 'found', item: await store.readUser(addOne(item.pk)) }]
      } catch (thrown) {
        return [transacted, { kind: 'failed', error: thrown }]
      }
    }

    it('fails the attempt and not the message when the role may not use it', async () => {
      const message = `User: r is not authorized to perform: dynamodb:PutItem on resource: arn:aws:dynamodb:eu-west-1:1:table/${tables.userTable}`
      const error = Object.assign(serviceError('AccessDeniedException'), { message })
      for (const outcome of await failing(error)) {
        const expected = { code: 'RETRYABLE', cause: { name: 'AccessDeniedException' } }
        expect(outcome).toMatchObject({ kind: 'failed', error: expected })
      }
    })

    it('is not blamed for the framework’s table', async () => {
      const message = `not authorized: arn:aws:dynamodb:eu-west-1:1:table/${tables.tableName}`
      const error = Object.assign(serviceError('AccessDeniedException'), { message })
      const [transacted] = await failing(error)
      expect(transacted).toMatchObject({ error: { code: 'STORE_UNAVAILABLE', reason: 'setUp' } })
    })

    it('fails the attempt and not the message when it does not exist', async () => {
      for (const outcome of await failing(serviceError('ResourceNotFoundException'))) {
        const message = expect.stringContaining(tables.userTable)
        expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'RETRYABLE', message } })
      }
    })

    it.each([
      ['ThrottlingException', 'throttled'],
      ['ProvisionedThroughputExceededException', 'throttled'],
      ['InternalServerError', 'noAnswer'],
      ['TimeoutError', 'noAnswer'],
      ['CredentialsProviderError', 'setUp'],
    ])('counts as an outage when the error is %s', async (name, reason) => {
      const [transacted, read] = await failing(serviceError(name))
      const error = { code: 'STORE_UNAVAILABLE', reason, cause: { name } }
      expect(transacted).toMatchObject({ kind: 'failed', error })
      const userTable = tables.userTable
      expect(read).toMatchObject({ kind: 'failed', error: { ...error, userTable } })
    })

    it('with another key fails the record for good', async () => {
      for (const outcome of await failing(serviceError('ValidationException'))) {
        expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'TERMINAL' } })
      }
    })
  })

  describe('a table that goes by its ARN', () => {
    it('is never written by statements, which take none', async () => {
      const { tableName } = tables
      const arn = `arn:aws:dynamodb:eu-west-1:123456789012:table/${tableName}`
      const requests: string[] = []
      const client = intercept(engine.client(), 'around', async ({ command, input, send }) => {
        requests.push(command)
        expect(JSON.stringify(input)).toContain(arn)
        const named = JSON.parse(JSON.stringify(input).replaceAll(arn, tableName)) as typeof input
        const answer = JSON.stringify(await send(named))
        return JSON.parse(
          answer.replaceAll(JSON.stringify(tableName), JSON.stringify(arn)),
        ) as never
      })
      const store = dynamoDbStore({ tableName: arn, client })
      const some = items(5)
      expect(await store.create(some)).toEqual(some.map((item) => ({ kind: 'applied', item })))
      const updated = await store.update(some.map((item) => updateOf(item)))
      expect(updated.map(({ kind }) => kind)).toEqual(some.map(() => 'applied'))
      const after = some.map((item) => ({ kind: 'found', item: { ...item, done: true } }))
      expect(await store.read(some, { consistent: true })).toEqual(after)
      expect(new Set(requests)).toEqual(
        new Set(['PutItemCommand', 'UpdateItemCommand', 'BatchGetItemCommand']),
      )
    })
  })

  describe('a read that is refused as a whole', () => {
    it('is made key by key, and only the bad one fails', async () => {
      const some = items(5)
      await storeOn(engine.client()).create(some)
      const bad = some[2]?.pk
      const client = intercept(engine.client(), 'around', async ({ input, send }) => {
        if (JSON.stringify(input).includes(`"${bad}"`)) throw serviceError('ValidationException')
        return send()
      })
      const outcomes = await storeOn(client).read(some, { consistent: true })
      expect(outcomes.map(({ kind }) => kind)).toEqual([
        'found',
        'found',
        'failed',
        'found',
        'found',
      ])
      expectAll(outcomes.slice(2, 3), 'TERMINAL', /does not take/)
    })
  })

  describe('a client of its own', () => {
    it('is made at the first use, from the environment', async () => {
      const store = dynamoDbStore({ tableName: tables.tableName })
      vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', engine.endpoint)
      vi.stubEnv('AWS_REGION', 'eu-west-1')
      vi.stubEnv('AWS_ACCESS_KEY_ID', 'local')
      vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'local')
      const [item = { pk: '', sk: '' }] = items(1)
      expect(await store.create([item])).toEqual([{ kind: 'applied', item }])
    })
  })

  describe('PartiQL that is not granted', () => {
    it.each(['AccessDeniedException', 'UnknownOperationException'])(
      'is done without after %s, and said once for each verb',
      async (name) => {
        const lines: string[] = []
        const client = intercept(engine.client(), 'inside', async ({ command, send }) => {
          if (command === 'BatchExecuteStatementCommand') throw serviceError(name)
          return send()
        })
        const requests = countRequests(client)
        const logger = jsonLogger('WARN', (line) => lines.push(line))
        const store = open({ tableName: tables.tableName, client, logger })
        for (let round = 0; round < 2; round++) {
          const some = items(5)
          expect(await store.create(some)).toEqual(some.map((item) => ({ kind: 'applied', item })))
          const updated = await store.update(some.map((item) => updateOf(item)))
          expect(updated.map(({ kind }) => kind)).toEqual(some.map(() => 'applied'))
        }
        // The first of them goes through the SDK once more.
        const batches = requests.filter((command) => command.startsWith('Batch'))
        expect(batches).toHaveLength(isFast ? 3 : 2)
        expect(lines).toHaveLength(2)
        expect(lines[0]).toMatch(/INSERT.*dynamodb:PartiQLInsert/)
        expect(lines[1]).toMatch(/UPDATE.*dynamodb:PartiQLUpdate/)
      },
    )

    it('is done without when only the statements say so', async () => {
      const client = intercept(engine.client(), 'around', (call) =>
        call.command === 'BatchExecuteStatementCommand'
          ? answerStatements(call, () => ({ Error: { Code: 'AccessDenied', Message: 'injected' } }))
          : call.send(),
      )
      const some = items(4)
      const outcomes = await storeOn(client).create(some)
      expect(outcomes).toEqual(some.map((item) => ({ kind: 'applied', item })))
    })
  })

  describe('errors of single statements under HTTP 200', () => {
    it.each([
      'ThrottlingError',
      'TransactionConflict',
      'InternalServerError',
      'ProvisionedThroughputExceeded',
      'RequestLimitExceeded',
    ] as const)('are tried again by us: %s', async (Code) => {
      const pauses: number[] = []
      const client = intercept(engine.client(), 'around', (call) =>
        call.command === 'BatchExecuteStatementCommand'
          ? answerStatements(call, (_, at) =>
              call.nth < 2 && at % 2 === 0 ? { Error: { Code, Message: 'injected' } } : undefined,
            )
          : call.send(),
      )
      const requests = countRequests(client)
      const some = items(8)
      const outcomes = await storeOn(client, pauses).create(some)
      expect(outcomes).toEqual(some.map((item) => ({ kind: 'applied', item })))
      expect(requests).toHaveLength(3)
      expect(pauses).toEqual([40, 80])
    })

    it('are tried again by us, also when the others have given their items', async () => {
      const some = items(4)
      await storeOn(engine.client()).create(some)
      const client = intercept(engine.client(), 'around', (call) =>
        call.command === 'BatchExecuteStatementCommand'
          ? answerStatements(call, (_, at) =>
              call.nth === 0 && at % 2 === 0
                ? { Error: { Code: 'ThrottlingError', Message: 'injected' } }
                : undefined,
            )
          : call.send(),
      )
      const outcomes = await storeOn(client).update(some.map((item, n) => updateOf(item, { n })))
      expect(outcomes).toEqual(some.map((item, n) => ({ kind: 'applied', item: { ...item, n } })))
    })

    it.each([
      ['ThrottlingError', 'throttled', [40, 80, 160, 320, 400]],
      ['TransactionConflict', 'busy', [40, 80, 160, 320, ...Array.from({ length: 7 }, () => 400)]],
    ] as const)('fail only their entries when %s lasts', async (Code, reason, expected) => {
      const pauses: number[] = []
      const client = intercept(engine.client(), 'around', (call) =>
        answerStatements(call, ({ Parameters = [] }) =>
          Parameters.some(({ S }) => S === 'busy')
            ? { Error: { Code, Message: 'injected' } }
            : undefined,
        ),
      )
      const some = items(4).map((item, nth) => (nth === 2 ? { ...item, name: 'busy' } : item))
      const outcomes = await storeOn(client, pauses).create(some)
      expect(outcomes.map(({ kind }) => kind)).toEqual(['applied', 'applied', 'failed', 'applied'])
      expect(outcomes[2]).toMatchObject({ error: { code: 'STORE_UNAVAILABLE', reason } })
      expect(pauses).toEqual(expected)
    })

    it('distinguishes an item that is too large from an outage', async () => {
      const some = items(4).map((item, nth) =>
        nth === 1 ? { ...item, result: 'x'.repeat(410 * 1024) } : item,
      )
      const outcomes = await storeOn(engine.client()).create(some)
      expect(outcomes.map(({ kind }) => kind)).toEqual(['applied', 'failed', 'applied', 'applied'])
      expect(outcomes[1]).toMatchObject({ error: { code: 'TERMINAL' } })
      expect(await storeOn(engine.client()).create(some.slice(1, 2))).toMatchObject([
        { kind: 'failed', error: { code: 'TERMINAL' } },
      ])
    })

    it('take the refusing item from the answer, where the engine gives it', async () => {
      const Item = { pk: { S: 'a' }, sk: { S: 's' }, format: { N: '1' }, attemptId: { S: 'other' } }
      const Code = 'DuplicateItem' as const
      const client = intercept(engine.client(), 'around', (call) =>
        answerStatements(call, (_, at) => (at === 0 ? { Error: { Code, Item } } : undefined)),
      )
      const requests = countRequests(client)
      const some = items(3)
      const outcomes = await storeOn(client).create(some)
      const item = { pk: 'a', sk: 's', format: 1, attemptId: 'other' }
      expect(outcomes[0]).toEqual({ kind: 'refused', item })
      expect(requests).toEqual(['BatchExecuteStatementCommand'])
    })

    it('refuse nothing without the item: they report instead that the read failed', async () => {
      const some = items(3)
      await storeOn(engine.client()).create(some)
      const client = intercept(engine.client(), 'inside', async ({ command, send }) => {
        if (/Get/.test(command)) throw lostAnswer()
        return send()
      })
      expectAll(await storeOn(client).create(some), 'STORE_UNAVAILABLE', /gave no answer/)
    })
  })

  describe('an answer that is lost after the write', () => {
    const losing = (client: DynamoDBClient, lost: string): DynamoDBClient =>
      intercept(client, 'inside', async ({ command, send, nth }) => {
        const output = await send()
        if (command === lost && nth === 0) throw lostAnswer()
        return output
      })

    it.each([
      [1, 'PutItemCommand'],
      [3, 'BatchExecuteStatementCommand'],
    ])('shows the caller its own %i created', async (count, command) => {
      const client = losing(engine.client({ maxAttempts: 2 }), command)
      const some = items(count)
      const outcomes = await storeOn(client).create(some)
      expect(outcomes).toEqual(some.map((item) => ({ kind: 'refused', item })))
    })

    it.each([
      [1, 'UpdateItemCommand'],
      [3, 'BatchExecuteStatementCommand'],
    ])('shows the caller its own %i updated', async (count, command) => {
      const some = items(count)
      await storeOn(engine.client()).create(some)
      const client = losing(engine.client({ maxAttempts: 2 }), command)
      const outcomes = await storeOn(client).update(
        some.map((item) => updateOf(item, { attemptId: 'next' })),
      )
      const after = some.map((item) => ({ ...item, attemptId: 'next' }))
      expect(outcomes).toEqual(after.map((item) => ({ kind: 'refused', item })))
    })

    it('applies a transaction once', async () => {
      const [item = { pk: '', sk: '' }] = items(1)
      const client = losing(engine.client({ maxAttempts: 2 }), 'TransactWriteItemsCommand')
      await storeOn(engine.client()).create([item])
      const store = storeOn(client)
      expect(await store.transact(updateOf(item), [addOne(item.pk)])).toEqual({ kind: 'applied' })
      const key = { TableName: tables.userTable, Key: { id: item.pk } }
      expect(await store.readUser(key)).toEqual({ id: item.pk, total: 1 })
    })
  })

  describe('a batch that gets no clear answer', () => {
    const isMany = (command: string): boolean => command.startsWith('Batch')
    const nested = Object.assign(new SyntaxError('Unexpected token <'), { $metadata: {} })

    it.each([
      ['an HTML page', nested],
      ['an internal error', serviceError('InternalServerError', { $fault: 'server' })],
      ['an error of no known name', serviceError('UnknownError')],
      ['a lost connection', lostAnswer()],
    ])('is taken apart, however often that is needed: %s', async (_, error) => {
      const client = intercept(engine.client({ maxAttempts: 1 }), 'inside', async (call) => {
        if (isMany(call.command)) throw error
        return call.send()
      })
      const store = storeOn(client)
      for (let round = 0; round < 2; round++) {
        const some = items(30)
        expect(await store.create(some)).toEqual(some.map((item) => ({ kind: 'applied', item })))
        const updated = await store.update(some.map((item) => updateOf(item)))
        expect(updated.map(({ kind }) => kind)).toEqual(some.map(() => 'applied'))
        const after = some.map((item) => ({ kind: 'found', item: { ...item, done: true } }))
        expect(await store.read(some, { consistent: true })).toEqual(after)
      }
    })

    it('is taken apart when each statement has an error of its own that lasts', async () => {
      const client = intercept(engine.client(), 'around', (call) =>
        call.command === 'BatchExecuteStatementCommand'
          ? answerStatements(call, () => ({ Error: { Code: 'InternalServerError' } }))
          : call.send(),
      )
      const some = items(4)
      const outcomes = await storeOn(client).create(some)
      expect(outcomes).toEqual(some.map((item) => ({ kind: 'applied', item })))
    })

    it('shows the caller what the batch had written all the same', async () => {
      const client = intercept(engine.client({ maxAttempts: 1 }), 'inside', async (call) => {
        const output = await call.send()
        if (isMany(call.command)) throw lostAnswer()
        return output
      })
      const some = items(5)
      const own = some.map((item) => ({ kind: 'refused', item }))
      expect(await storeOn(client).create(some)).toEqual(own)
    })

    it('fails for the one entry that breaks it, and for no neighbour', async () => {
      const some = items(20)
      const poison = some[7]?.pk
      const client = intercept(engine.client({ maxAttempts: 1 }), 'inside', async (call) => {
        if (JSON.stringify(call.input).includes(`"${poison}"`)) throw lostAnswer()
        return call.send()
      })
      const store = storeOn(client)
      const expected = (kind: string) => some.map((_, nth) => (nth === 7 ? 'failed' : kind))
      const created = await store.create(some)
      expect(created.map(({ kind }) => kind)).toEqual(expected('applied'))
      expectAll(created.slice(7, 8), 'STORE_UNAVAILABLE', /gave no answer/)
      const read = await store.read(some, { consistent: true })
      expect(read.map(({ kind }) => kind)).toEqual(expected('found'))
    })

    it('is not asked about each entry in an outage, nor when the answer is clear', async () => {
      for (const [error, most] of [
        [lostAnswer(), 16],
        [serviceError('ThrottlingException'), 0],
        [serviceError('ExpiredTokenException'), 0],
      ] as const) {
        const requests: string[] = []
        const client = intercept(engine.client({ maxAttempts: 1 }), 'inside', async (call) => {
          requests.push(call.command)
          throw error
        })
        const outcomes = await storeOn(client).create(items(50))
        expectAll(outcomes, 'STORE_UNAVAILABLE', /./)
        const single = requests.filter((command) => !isMany(command)).length
        expect(single).toBeLessThanOrEqual(most * (isFast ? 2 : 1))
      }
    })
  })

  describe('keys left unread', () => {
    it('are asked for again', async () => {
      const some = items(5)
      await storeOn(engine.client()).create(some)
      const client = engine.client()
      const Keys = some.map(({ pk, sk }) => ({ pk: { S: pk }, sk: { S: sk } }))
      intercept(client, 'around', async ({ nth, send }) => {
        if (nth > 0) return send()
        const asked = { [tables.tableName]: { Keys: Keys.slice(0, 2) } }
        const left = { [tables.tableName]: { Keys: Keys.slice(2) } }
        return { ...(await send({ RequestItems: asked })), UnprocessedKeys: left }
      })
      const requests = countRequests(client)
      expect(await storeOn(client).read(some)).toEqual(
        some.map((item) => ({ kind: 'found', item })),
      )
      expect(requests).toEqual([BatchGetItemCommand.name, BatchGetItemCommand.name])
    })

    it('fail alone when that does not help', async () => {
      const some = items(3)
      await storeOn(engine.client()).create(some)
      const [, second] = some.map(({ pk, sk }) => ({ pk: { S: pk }, sk: { S: sk } }))
      const client = intercept(engine.client(), 'around', async ({ send }) => ({
        ...(await send()),
        UnprocessedKeys: { [tables.tableName]: { Keys: second ? [second] : [] } },
      }))
      const outcomes = await storeOn(client).read(some)
      expect(outcomes.map(({ kind }) => kind)).toEqual(['found', 'failed', 'found'])
      expectAll(outcomes.slice(1, 2), 'STORE_UNAVAILABLE', /throttles/)
    })
  })

  describe('transactions that collide', () => {
    const cancelled = (...codes: string[]): Error =>
      serviceError('TransactionCanceledException', {
        CancellationReasons: codes.map((Code) => ({ Code, Message: 'injected' })),
      })
    const colliding = async (times: number, error: Error): Promise<[unknown, unknown, number]> => {
      const [item = { pk: '', sk: '' }] = items(1)
      await storeOn(engine.client()).create([item])
      const tokens = new Set<unknown>()
      const client = intercept(engine.client(), 'around', async ({ input, nth, send }) => {
        tokens.add('ClientRequestToken' in input ? input.ClientRequestToken : undefined)
        if (nth < times) throw error
        return send()
      })
      const outcome = await storeOn(client).transact(updateOf(item), [addOne(item.pk)])
      const key = { TableName: tables.userTable, Key: { id: item.pk } }
      return [outcome, await storeOn(engine.client()).readUser(key), tokens.size]
    }

    it.each([
      [cancelled('TransactionConflict', 'None')],
      [cancelled('None', 'TransactionConflict')],
      [cancelled('None', 'ThrottlingError')],
      [cancelled('ProvisionedThroughputExceeded', 'None')],
      [cancelled('TransactionConflict', 'ConditionalCheckFailed')],
      [serviceError('TransactionInProgressException')],
    ])('are tried again with the same token: %j', async (error) => {
      const [outcome, counted, tokens] = await colliding(3, error)
      expect(outcome).toEqual({ kind: 'applied' })
      expect(counted).toMatchObject({ total: 1 })
      expect(tokens).toBe(1)
    })

    it.each([
      [12, cancelled('None', 'TransactionConflict'), 'busy', true],
      [12, cancelled('TransactionConflict', 'None'), 'busy', false],
      [12, cancelled('TransactionConflict', 'ConditionalCheckFailed'), 'busy', false],
      [6, cancelled('None', 'ThrottlingError'), 'throttled', true],
      [6, cancelled('ThrottlingError', 'None'), 'throttled', false],
      [12, serviceError('TransactionInProgressException'), 'busy', false],
      [1, serviceError('TransactionCanceledException'), 'noAnswer', false],
    ] as const)('fail after %i tries: %j', async (tries, error, reason, users) => {
      // Without reasons it is no clean answer: it is asked for once more, through the SDK.
      const more = isFast && !('CancellationReasons' in error) ? 1 : 0
      const [outcome, counted] = await colliding(tries + more, error)
      const userTable = users ? tables.userTable : undefined
      const expected = { code: 'STORE_UNAVAILABLE', reason, userTable }
      expect(outcome).toMatchObject({ kind: 'failed', error: expected })
      expect(counted).toBeUndefined()
    })

    it('never hide that the claim was lost', async () => {
      const [outcome] = await colliding(
        1,
        cancelled('ConditionalCheckFailed', 'TransactionConflict'),
      )
      expect(outcome).toEqual({ kind: 'refused', by: 'claim', item: undefined })
    })

    it('name the table whose part was wrong', async () => {
      const [ours] = await colliding(1, cancelled('ValidationError', 'None'))
      const [users] = await colliding(1, cancelled('None', 'ItemCollectionSizeLimitExceeded'))
      expectAll([ours], 'TERMINAL', new RegExp(`table ${tables.tableName} \\(ValidationError`))
      expectAll([users], 'TERMINAL', new RegExp(`table ${tables.userTable} \\(ItemCollectionSize`))
    })

    it('are recognised when the answer of an earlier try was lost', async () => {
      const [item = { pk: '', sk: '' }] = items(1)
      await storeOn(engine.client()).create([item])
      const client = intercept(
        engine.client({ maxAttempts: 2 }),
        'inside',
        async ({ nth, send }) => {
          if (nth === 1) throw cancelled('TransactionConflict', 'None')
          const output = await send()
          if (nth === 0) throw lostAnswer()
          return output
        },
      )
      const outcome = await storeOn(client).transact(updateOf(item), [addOne(item.pk)])
      expect(outcome).toEqual({ kind: 'applied' })
      const key = { TableName: tables.userTable, Key: { id: item.pk } }
      expect(await storeOn(engine.client()).readUser(key)).toEqual({ id: item.pk, total: 1 })
    })

    it('turn single writes away for good only after twelve tries', async () => {
      const [item = { pk: '', sk: '' }] = items(1)
      await storeOn(engine.client()).create([item])
      const client = intercept(engine.client(), 'around', async () => {
        throw serviceError('TransactionConflictException')
      })
      const pauses: number[] = []
      const outcomes = await storeOn(client, pauses).update([updateOf(item)])
      expect(outcomes).toMatchObject([
        { kind: 'failed', error: { code: 'STORE_UNAVAILABLE', reason: 'busy' } },
      ])
      expect(pauses).toHaveLength(11)
    })

    it('are distinguished from single writes that collide with one', async () => {
      const pauses: number[] = []
      const [item = { pk: '', sk: '' }] = items(1)
      const client = intercept(engine.client(), 'around', async ({ nth, send }) => {
        if (nth < 2) throw serviceError('TransactionConflictException')
        return send()
      })
      expect(await storeOn(client, pauses).create([item])).toEqual([{ kind: 'applied', item }])
      expect(pauses).toHaveLength(isFast ? 1 : 2)
    })
  })
})
