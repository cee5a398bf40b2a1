import {
  absent,
  atLeast,
  defineFlow,
  idempotent,
  lockTokens,
  newerThan,
  onceForever,
  type RecordContext,
  recordHandler,
} from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { startLocalCloud } from 'lineclear/local'
import { sweepHandler } from 'lineclear/operator'
import {
  exploreCrashes,
  fakeClock,
  memoryCloud,
  memoryStore,
  snsWrapped,
  sqsEvent,
  sqsRecord,
} from 'lineclear/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'

/**
 * What people write by mistake, as JavaScript or through `any`: what the types refuse stands in test/types. Each is answered
 * by one line that names what is wrong.
 */
const store = memoryStore()
const schema = z.object({ id: z.string() })
/** Whatever is written, the compiler lets it pass. */
const any = (value: unknown): never => value as never
const record = (options: object, work: unknown = () => {}) =>
  recordHandler(any({ name: 'orders', store, ...options }), any(work))
const flow = (options: object) =>
  defineFlow(
    any({
      name: 'trip',
      store,
      key: ({ id }: { id: string }) => id,
      stages: { book: { schema } },
      ...options,
    }),
  )

const calledWithoutScope: (event: object) => unknown = any(
  idempotent(any({ store, key: () => 'k' }), () => 1),
)

type Row = readonly [mistake: string, make: () => unknown, line: RegExp]

const SET_UP: readonly Row[] = [
  ['no options', () => recordHandler(any(undefined), () => {}), /the first argument: expected an/],
  [
    'handler first',
    () =>
      recordHandler(
        any(() => {}),
        any({}),
      ),
    /the (first|second) argument/,
  ],
  ['no handler', () => record({}, 'work'), /the second argument: expected a function/],
  ['no name', () => record({ name: undefined }), /name: expected letters/],
  ['a name with spaces', () => record({ name: 'my orders' }), /name: expected letters/],
  ['a table for a store', () => record({ store: 'lineclear' }), /store: expected a store/],
  ['a client for a store', () => record({ store: { send() {} } }), /store: expected a store/],
  ['an unset queue URL', () => record({ queueUrl: undefined, deadLetterQueueUrl: '' }), /URL/],
  ['a queue name for a URL', () => record({ queueUrl: 'orders' }), /queueUrl: expected the URL/],
  ['a queue ARN for a URL', () => record({ queueUrl: 'arn:aws:sqs:x:1:q' }), /queueUrl: expected/],
  ['topics as a text', () => record({ topics: 'arn:aws:sns:x:1:t' }), /topics: expected a list/],
  ['topics by name', () => record({ topics: ['paid'] }), /topics: expected a list/],
  ['a misspelt option', () => record({ retries: {} }), /retries: expected one of/],
  ['maxRetries', () => record({ retry: { maxRetries: 3 } }), /retry\.maxRetries: expected one of/],
  ['no attempts', () => record({ retry: { maxAttempts: 0 } }), /maxAttempts: expected a whole/],
  ['a delay in words', () => record({ retry: { delay: 'soon' } }), /retry\.delay/],
  ['a retention of an hour', () => record({ retention: '1h' }), /retention: expected at least 1 d/],
  ['a duration in words', () => record({ reserve: '1 second' }), /reserve/],
  ['concurrency 0', () => record({ concurrency: 0 }), /concurrency: expected a whole number/],
  ['a class for a schema', () => record({ schema: Date }), /schema: expected a Standard Schema/],
  ['an id that is a field name', () => record({ id: 'orderId' }), /id: expected a function/],
  ['console.log for a logger', () => record({ logger: console.log }), /logger: expected a logger/],
  ['a URL for a client', () => record({ sqs: 'http://localhost' }), /sqs: expected a SQSClient/],
  ['parse: xml', () => record({ parse: 'xml' }), /parse: expected 'json' or 'text'/],
  ['a flow without stages', () => flow({ stages: {} }), /stages/],
  ['a flow without a key', () => flow({ key: undefined }), /key/],
  ['a stage without a schema', () => flow({ stages: { book: {} } }), /schema/],
  ['a misspelt option of a flow', () => flow({ stage: {} }), /stage/],
  ['an unknown stage', () => flow({}).handle(any('pay'), () => {}), /pay/],
  [
    'an unknown step',
    () =>
      flow({}).complete(
        any('quote'),
        any(() => {}),
      ),
    /quote/,
  ],
  ['a key without a scope', () => calledWithoutScope({}), /scope/],
  ['lock tokens without a scope', () => lockTokens(store, any({})), /scope/],
  ['once for ever without a scope', () => onceForever(store, any({})), /scope/],
  ['a store without a table', () => dynamoDbStore(any({ tableName: undefined })), /tableName/],
  ['events without a store', () => onceForever(any(undefined), { scope: 'e' }), /store/],
  ['a sweeper without a store', () => sweepHandler(any({})), /store/],
  ['a table without a key', () => memoryStore(any({ tables: { stock: {} } })), /stock/],
  ['queues as a list', () => memoryCloud(any({ queues: ['orders'] })), /queues\.0|a list|expected/],
  ['a misspelt option of a queue', () => memoryCloud(any({ queues: { a: { dlq: 'b' } } })), /dlq/],
  [
    'a topic to no queue',
    () => memoryCloud({ topics: { paid: { subscriptions: [{ queue: 'no' }] } } }),
    /name of a described queue/,
  ],
  [
    'a local cloud of nothing known',
    () => startLocalCloud(any({ queue: {} })),
    /queue: unknown opt/,
  ],
  ['undefined as a payload', () => sqsEvent(undefined), /payload: expected/],
  ['a function as a payload', () => sqsRecord(() => {}), /payload: expected/],
  ['SNS without a topic', () => snsWrapped({}, any({})), /topicArn/],
  ['a clock at a Date', () => fakeClock(any(new Date())), /epoch|milliseconds/],
  ['exploring nothing', () => exploreCrashes(any(undefined), {}), /expected/],
  ['four faults at once', () => exploreCrashes(() => record({}), {}, { faults: 4 }), /faults/],
]

const stock = { TableName: 'stock', Key: { sku: 's' } }
type Call = readonly [mistake: string, work: (ctx: RecordContext) => unknown, line: RegExp]

const CALLS: readonly Call[] = [
  [
    'newerThan a Date',
    (ctx) => ctx.put({ ...stock, put: {}, guard: newerThan('at', any(new Date())) }),
    /newerThan.*Date/,
  ],
  [
    'newerThan nothing',
    (ctx) => ctx.put({ ...stock, put: {}, guard: newerThan('at', any(undefined)) }),
    /newerThan/,
  ],
  [
    'at least a flag',
    (ctx) => ctx.put({ ...stock, put: {}, guard: atLeast('n', any(true)) }),
    /atLeast/,
  ],
  ['no target', (ctx) => ctx.sendTo(any(undefined), {}), /sendTo/],
  ['a queue name', (ctx) => ctx.sendTo('mail', {}), /sendTo: expected the URL/],
  ['a topic for a queue', (ctx) => ctx.sendTo('arn:aws:sns:x:1:t', {}), /sendTo: expected the URL/],
  ['a queue for a topic', (ctx) => ctx.publish('https://sqs.x/1/q', {}), /publish/],
  ['an undefined payload', (ctx) => ctx.sendTo('https://sqs.x/1/q', undefined), /payload/],
  [
    'a forgotten await',
    (ctx) => ctx.sendTo('https://sqs.x/1/q', Promise.resolve(1)),
    /await|Promise/,
  ],
  ['a Map as payload', (ctx) => ctx.sendTo('https://sqs.x/1/q', new Map()), /Map/],
  ['NaN in a payload', (ctx) => ctx.sendTo('https://sqs.x/1/q', { n: NaN }), /NaN/],
  [
    'DelaySeconds',
    (ctx) => ctx.sendTo('https://sqs.x/1/q', {}, any({ DelaySeconds: 5 })),
    /DelaySec/,
  ],
  [
    'a delay of an hour',
    (ctx) => ctx.sendTo('https://sqs.x/1/q', {}, { delay: '1h' }),
    /15 minutes/,
  ],
  ['no group', (ctx) => ctx.sendTo('https://sqs.x/1/q.fifo', {}), /groupId/],
  ['Item for put', (ctx) => ctx.put(any({ ...stock, Item: {} })), /Item/],
  ['a write of nothing', (ctx) => ctx.update(any(stock)), /update/],
  ['applyOnce of nothing', (ctx) => ctx.applyOnce('a', any(stock)), /applyOnce/],
  [
    'applyOnce without a name',
    (ctx) => ctx.applyOnce('', any({ ...stock, add: { n: 1 } })),
    /name/,
  ],
  ['add in update', (ctx) => ctx.update(any({ ...stock, add: { n: 1 } })), /applyOnce/],
  [
    'an expression',
    (ctx) => ctx.update(any({ ...stock, UpdateExpression: 'a' })),
    /UpdateExpression/,
  ],
  [
    'a guard that is not called',
    (ctx) => ctx.put(any({ ...stock, put: {}, guard: absent })),
    /guard/,
  ],
  ['an unknown guard', (ctx) => ctx.put(any({ ...stock, put: {}, guard: { is: 1 } })), /guard/],
  ['a Date', (ctx) => ctx.put(any({ ...stock, put: { at: new Date() } })), /at.*Date/],
  ['an empty key', (ctx) => ctx.put({ TableName: 'stock', Key: { sku: '' }, put: {} }), /sku/],
  ['no key', (ctx) => ctx.put(any({ TableName: 'stock', put: {} })), /Key/],
  ['no table', (ctx) => ctx.put(any({ Key: { sku: 's' }, put: {} })), /TableName/],
  ['another key', (ctx) => ctx.put({ TableName: 'stock', Key: { id: 's' }, put: {} }), /id|sku/],
  [
    'a missing table',
    (ctx) => ctx.put({ TableName: 'stocks', Key: { sku: 's' }, put: {} }),
    /stocks/,
  ],
  ['get without a key', (ctx) => ctx.get(any({ TableName: 'stock' })), /Key/],
  ['once without a call', (ctx) => ctx.once('charge', any(5)), /once/],
  ['once without a name', (ctx) => ctx.once(any(undefined), () => 1), /name/],
  ['effect: exactly', (ctx) => ctx.once('charge', () => 1, any({ effect: 'exactly' })), /effect/],
  ['verify without verify', (ctx) => ctx.once('c', () => 1, any({ effect: 'verify' })), /verify/],
  [
    'two calls of one name',
    async (ctx) => [await ctx.once('c', () => 1), await ctx.once('c', () => 2)],
    /'c'|twice/,
  ],
  ['a delay in words', (ctx) => ctx.defer(any('soon')), /defer|delay/],
  ['the message for a key', (ctx) => ctx.idempotencyKey(any({})), /idempotencyKey|name/],
]

const refusal = async (make: () => unknown): Promise<string> => {
  try {
    const made: unknown = await make()
    return `nothing was said: ${typeof made}`
  } catch (error) {
    return error instanceof Error ? error.message : 'no error'
  }
}

describe('a mistake in the set-up is refused at once', () => {
  it.each(SET_UP)('%s', async (_, make, line) => {
    const said = await refusal(make)
    expect(said).toMatch(line)
    expect(said).not.toMatch(/^nothing was said|is not a function|Cannot read/)
    expect(said.split('\n')).toHaveLength(1)
  })
})

describe('a mistake in a handler dead-letters the record at once, with what is wrong', () => {
  it.each(CALLS)('%s', async (_, work, line) => {
    const cloud = memoryCloud({
      queues: { orders: { deadLetter: { queue: 'dead', maxReceiveCount: 5 } }, dead: {} },
      tables: { stock: { hash: 'sku' } },
    })
    const { sqs, sns, clock, logger } = cloud
    const options = { name: 'orders', store: cloud.store, sqs, sns, clock, logger }
    const handler = recordHandler(options, (_payload, ctx) => work(ctx))
    cloud.send('orders', { id: 'o1' })
    await cloud.drain({ orders: handler })
    const [dead] = cloud.messages('dead')
    expect(dead?.carried.error).toMatch(line)
    expect(dead?.carried.error).not.toMatch(/is not a function|Cannot read/)
    expect(cloud.store.userItems('stock')).toEqual([])
  })
})
