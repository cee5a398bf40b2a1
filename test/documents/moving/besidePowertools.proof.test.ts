import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch'
import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency'
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb'
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { SendMessageCommand } from '@aws-sdk/client-sqs'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda'
import { dynamoDbStore, tableDefinition } from 'lineclear/dynamodb'
import { type LocalCloud, mapQueue, startLocalCloud } from 'lineclear/local'
import { sqsEvent, sqsRecord } from 'lineclear/testing'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { ordersBesidePowertools } from '../../../examples/migrating/besidePowertools.ts'
import { powertoolsId } from '../../../examples/migrating/powertoolsId.ts'
import { untilQuiet } from '../../../examples/quiet.ts'
import { rowsOf } from '../../../examples/rows.ts'
import { lambdaContext } from '../../deliver/lambdaContext.ts'
import { quietLogger } from '../../deliver/quietLogger.ts'

beforeEach(() => {
  for (const level of ['warn', 'error'] as const) vi.spyOn(console, level).mockReturnValue()
})

/** As its documentation shows it. A bank that gets an order under one key from each side: two keys are two charges. */
function oldConsumer(
  awsSdkV3Client: DynamoDBClient,
  charge: (orderId: string) => Promise<void>,
): (event: SQSEvent, context: Context) => Promise<SQSBatchResponse> {
  const processor = new BatchProcessor(EventType.SQS)
  const layer = { tableName: 'idempotency', awsSdkV3Client }
  const persistenceStore = new DynamoDBPersistenceLayer(layer)
  const config = new IdempotencyConfig({ eventKeyJmesPath: 'powertools_json(body).orderId' })
  const take = makeIdempotent(
    ({ body }: SQSRecord) => charge((JSON.parse(body) as { orderId: string }).orderId),
    { persistenceStore, config, keyPrefix: 'orders' },
  )
  return (event, context) => {
    config.registerLambdaContext(context)
    const options = { context, throwOnFullBatchFailure: false }
    return processPartialResponse(event, take, processor, options)
  }
}

const start = (): Promise<LocalCloud> =>
  startLocalCloud(
    {
      queues: {
        orders: { visibilityTimeout: 3, deadLetter: { queue: 'dead', maxReceiveCount: 1_000 } },
        dead: {},
      },
      tables: {
        lineclear: tableDefinition(),
        empty: tableDefinition({ tableName: 'empty' }),
        idempotency: { hash: 'id' },
      },
    },
    { logger: quietLogger() },
  )

it('a consumer with Powertools and its successor read one queue at once, with redeliveries and kills: each order is charged once', async () => {
  await using cloud = await start()
  const tables = DynamoDBDocumentClient.from(cloud.dynamodb)
  const charged = new Set<string>()
  const charge = async (orderId: string, key = 'old'): Promise<void> =>
    void charged.add(`${orderId} ${key}`)
  const store = dynamoDbStore({ tableName: 'lineclear', client: cloud.dynamodb })
  const queueUrl = cloud.queueUrl('orders')
  const given = { store, clients: { sqs: cloud.sqs }, logger: quietLogger(), queueUrl }
  const ids = Array.from({ length: 40 }, (_, nth) => `order-${nth}`)
  for (const orderId of [...ids, ...ids]) {
    const MessageBody = JSON.stringify({ orderId, cents: 500 })
    await cloud.sqs.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody }))
  }
  const faults = { duplicate: 0.2, duplicateLater: 0.1, shuffle: true, kill: 0.02 }
  const both = { cloud, queue: 'orders', logger: quietLogger(), batchSize: 2, faults }
  const handler = oldConsumer(cloud.dynamodb, charge)
  await using old = mapQueue({ ...both, handler, functionTimeout: '2s' })
  await using successor = mapQueue({
    ...both,
    faults: { ...faults, loseAnswer: 0.02 },
    handler: ordersBesidePowertools(given, tables, charge),
  })
  await untilQuiet([old, successor])
  const orders = [...charged].map((each) => each.split(' ')[0])
  expect(orders).toHaveLength(ids.length)
  expect(new Set(orders)).toEqual(new Set(ids))
  expect([...charged].some((each) => each.endsWith(' old'))).toBe(true)
  expect([...charged].every((each) => each.endsWith(' old'))).toBe(false)
  expect(cloud.inspectQueue('dead').ready).toEqual([])
})

describe('one order', () => {
  /** The bank charges, and its first answers are lost. */
  function sides(cloud: LocalCloud, lost: number, lockFor?: number, keyPrefix = 'orders') {
    const tables = DynamoDBDocumentClient.from(cloud.dynamodb)
    const charges: string[] = []
    const charge = async (_orderId: string, key = 'old'): Promise<void> => {
      if (charges.push(key) <= lost) throw new Error('the answer is lost')
    }
    const given = { clients: { sqs: cloud.sqs }, logger: quietLogger() }
    const queueUrl = cloud.queueUrl('orders')
    const here = (tableName = 'lineclear') => {
      const store = dynamoDbStore({ tableName, client: cloud.dynamodb })
      return ordersBesidePowertools(
        { ...given, store, queueUrl },
        tables,
        charge,
        keyPrefix,
        lockFor,
      )
    }
    return { charges, here, old: oldConsumer(cloud.dynamodb, charge) }
  }
  const event = () => sqsEvent(sqsRecord({ orderId: 'o1', cents: 500 }, { sentAt: Date.now() }))

  it.each([
    ['for longer than a message lives', undefined, 1],
    ['as Powertools locks, and that has ended', -1, 2],
  ])('is begun and unfinished here, locked %s', async (_, lockFor, times) => {
    await using cloud = await start()
    const { charges, here, old } = sides(cloud, 1, lockFor)
    await here()(event(), lambdaContext())
    const { batchItemFailures } = await old(event(), lambdaContext())
    expect(charges).toHaveLength(times)
    expect(batchItemFailures).toHaveLength(2 - times)
  })

  it('that is charged here is dropped there, also after the way back', async () => {
    await using cloud = await start()
    const { charges, here, old } = sides(cloud, 0)
    expect(await here()(event(), lambdaContext())).toEqual({ batchItemFailures: [] })
    expect(await old(event(), lambdaContext())).toEqual({ batchItemFailures: [] })
    expect(charges).toHaveLength(1)
  })

  it('that is charged here is dropped here, too, when Lineclear has forgotten it', async () => {
    await using cloud = await start()
    const { charges, here } = sides(cloud, 0)
    await here()(event(), lambdaContext())
    expect(await here('empty')(event(), lambdaContext())).toEqual({ batchItemFailures: [] })
    expect(charges).toHaveLength(1)
  })

  it('that is charged there is dropped here', async () => {
    await using cloud = await start()
    const { charges, here, old } = sides(cloud, 0)
    await old(event(), lambdaContext())
    expect(await here()(event(), lambdaContext())).toEqual({ batchItemFailures: [] })
    expect(charges).toEqual(['old'])
  })

  it('has the id that Powertools gives it, and under another prefix it is charged twice', async () => {
    await using cloud = await start()
    const { charges, here, old } = sides(cloud, 0, undefined, 'wrong')
    await old(event(), lambdaContext())
    const [row] = await rowsOf(cloud, 'idempotency')
    expect(row?.['id']).toBe(powertoolsId('orders', 'o1'))
    expect(row?.['id']).not.toBe(powertoolsId('wrong', 'o1'))
    await here()(event(), lambdaContext())
    expect(charges).toHaveLength(2)
  })
})
