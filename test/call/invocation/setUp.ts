import type { Context } from 'aws-lambda'
import type { InvocationContext, InvocationHandlerOptions, Store } from 'lineclear'
import { invocationHandler } from 'lineclear'
import { dynamoDbStore, tableDefinition } from 'lineclear/dynamodb'
import { startLocalCloud } from 'lineclear/local'
import { type FakeClock, memoryCloud } from 'lineclear/testing'
import { afterAll, beforeAll } from 'vitest'
import { lambdaContext } from '../../deliver/lambdaContext.ts'
import { quietLogger } from '../../deliver/quietLogger.ts'
import { withoutSdk } from '../../testing/withoutSdk.ts'
import type { UserItem } from '../../../src/library/protocol/store/store.ts'

export const STORES = ['memory', 'DynamoDB'] as const
export type StoreKind = (typeof STORES)[number]

export interface Order {
  readonly id?: string
  readonly cents: number
}

export type Work = (event: Order, ctx: InvocationContext) => unknown

/** Names that no other test of this process uses: the tests share one table. */
let worlds = 0

/** The store of the test: in memory, or the engine of DynamoDB. */
export function storesFor(kind: StoreKind): () => Store {
  let stop: (() => Promise<void>) | undefined
  let made: (() => Store) | undefined
  beforeAll(async () => {
    if (kind === 'memory') return
    const tables = { lineclear: tableDefinition(), sums: { hash: 'id' } }
    const cloud = withoutSdk(await startLocalCloud({ tables }, { logger: quietLogger() }))
    stop = () => cloud.stop()
    made = () => dynamoDbStore({ tableName: 'lineclear', client: cloud.dynamodb })
  })
  afterAll(() => stop?.())
  return () => made?.() ?? memoryCloud().store
}

export interface World {
  readonly name: string
  readonly store: Store
  readonly clock: FakeClock
  readonly queueUrl: string
  /** The handler, as a new sandbox would make it. */
  readonly handler: (
    work: Work,
    more?: Partial<InvocationHandlerOptions<Order, unknown>>,
  ) => (event: Order, context: Context) => Promise<unknown>
  /** Payloads on the queue. */
  sent(): readonly unknown[]
  sentIds(): ReadonlySet<string | undefined>
  sum(): Promise<UserItem | undefined>
  token(key: string): Promise<Readonly<Record<string, unknown>> | undefined>
  /** Adds to the sum of this world. */
  readonly add: (cents: number) => {
    TableName: string
    Key: { id: string }
    add: { cents: number }
  }
}

export function openWorld(store: Store): World {
  const name = `handler-${(worlds += 1)}`
  const { clients, clock, queueUrl, messages } = memoryCloud({ queues: { booked: {} } })
  return {
    name,
    store,
    clock,
    queueUrl: queueUrl('booked'),
    handler: (work, more = {}) => {
      const logger = quietLogger()
      const options = { name, store, clients, clock, logger, waitForOther: 0, ...more }
      return invocationHandler(options, async (event: Order, ctx) => work(event, ctx))
    },
    sent: () => messages('booked').map(({ body }) => JSON.parse(body) as unknown),
    sentIds: () => new Set(messages('booked').map(({ carried }) => carried.uniqueRequestId)),
    sum: () => store.readUser({ TableName: 'sums', Key: { id: name } }),
    token: async (key) => {
      const [read] = await store.read([{ pk: `key#${name}/${key}`, sk: 'token' }], {
        consistent: true,
      })
      return read?.kind === 'found' ? read.item : undefined
    },
    add: (cents) => ({ TableName: 'sums', Key: { id: name }, add: { cents } }),
  }
}

/** The context of one Lambda request, with `left` milliseconds. */
export function request(awsRequestId: string, left: number = 900_000): Context {
  return { ...lambdaContext(left), awsRequestId }
}
