import { randomUUID } from 'node:crypto'
import middyjs from '@middy/core'
import { idempotent, invocationHandler, lockTokens, onceForever } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { idempotency } from 'lineclear/middy'
import { fakeClock } from 'lineclear/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { lambdaContext } from '../deliver/lambdaContext.ts'
import { quietLogger } from '../deliver/quietLogger.ts'
import { clientOf } from './measure/counts.ts'
import { startDatabase, type Database } from './database/startDatabase.ts'

let database: Database
beforeAll(async () => {
  database = await startDatabase()
})
afterAll(() => database.stop())

const MINUTE = 60_000

type Common = ReturnType<typeof common>

function common() {
  database.reset()
  const store = dynamoDbStore({ tableName: 'lineclear', client: clientOf(database) })
  return { store, logger: quietLogger(), clock: fakeClock() }
}

type Work = () => Promise<string>
const key = (): string => 'k'

/** One call of a function that runs once per key; each form has the same key and the same claim. */
const FORMS: Readonly<Record<string, (of: Common, work: Work) => Promise<unknown>>> = {
  idempotent: (of, work) => idempotent({ ...of, name: 's', key }, work)(),
  'idempotent, in a Lambda': (of, work) =>
    idempotent({ ...of, name: 's', key }, async (_event: object, _context?: unknown) => work())(
      {},
      lambdaContext(10_000),
    ),
  middleware: (of, work) =>
    middyjs(work).use(idempotency({ ...of, name: 's', key }))({}, lambdaContext(10_000)),
  invocationHandler: (of, work) =>
    invocationHandler({ ...of, name: 's', key: key }, work)({}, lambdaContext(10_000)),
}

async function unitsOf(work: () => unknown): Promise<readonly number[]> {
  database.startCounting()
  await work()
  const { requests, writeUnits, readUnits } = database.counts()
  return [requests, writeUnits, readUnits]
}

it.each(Object.entries(FORMS))(
  '%s: a call that goes well costs 2 write units on the table and its index, a replay 1',
  async (_form, call) => {
    const of = common()
    expect(await unitsOf(() => call(of, async () => 'done'))).toEqual([2, 2, 0])
    expect(await unitsOf(() => call(of, async () => 'again'))).toEqual([1, 1, 0])
  },
)

it('a call that fails costs 2, and the next one, which is in the index while it runs, 5', async () => {
  const of = common()
  const { idempotent: call } = FORMS
  const failing = async () => Promise.reject(new Error('no'))
  expect(await unitsOf(() => call?.(of, failing).catch(() => {}))).toEqual([2, 2, 0])
  expect(await unitsOf(() => call?.(of, async () => 'done'))).toEqual([3, 5, 0])
})

it('a call that is parked for an operator costs 3: it enters the index at its end', async () => {
  const parking = idempotent(
    { ...common(), name: 's', key, classify: () => 'unknown' as const },
    async () => Promise.reject(new Error('no answer')),
  )
  expect(await unitsOf(() => parking().catch(() => {}))).toEqual([2, 3, 0])
})

it('a key that is used again after its retention costs 3: its claim is refused once', async () => {
  const of = common()
  const { idempotent: call } = FORMS
  await call?.(of, async () => 'done')
  of.clock.advance(25 * 60 * MINUTE)
  expect(await unitsOf(() => call?.(of, async () => 'again'))).toEqual([3, 3, 0])
})

it('a renewal of the lease costs 1', async () => {
  const of = common()
  const { promise: work, resolve } = Promise.withResolvers<string>()
  const first = idempotent({ ...of, name: 's', key, lease: '30s' }, () => work)()
  await expect.poll(() => database.counts().requests).toBe(1)
  const renewed = await unitsOf(async () => {
    of.clock.advance(12_000)
    await expect.poll(() => database.counts().requests).toBe(1)
  })
  expect(renewed).toEqual([1, 1, 0])
  resolve('done')
  expect(await first).toBe('done')
})

it('a lock token is in the index while it is held: 4', async () => {
  const locks = lockTokens<string>({ store: common().store, name: 's', logger: quietLogger() })
  const held = async () => {
    const lock = await locks.begin(randomUUID(), 'me', 1_000)
    if (lock.existing === undefined) await lock.endWithSuccess('done')
  }
  expect(await unitsOf(held)).toEqual([2, 4, 0])
})

it('an event that is accepted for ever is in the index until it is queued: 4', async () => {
  const { store, logger } = common()
  const sqs = { send: async () => ({ Successful: [{ Id: '0' }] }) } as never
  const once = onceForever({ store, name: 's', logger, clients: { sqs } })
  const queueUrl = 'https://sqs.eu-west-1.amazonaws.com/123456789012/events'
  expect(await unitsOf(() => once.thenEnqueue('e', { id: 1 }, { queueUrl }))).toEqual([2, 4, 0])
})
