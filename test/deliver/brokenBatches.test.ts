import { PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb'
import { recordHandler } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { memoryCloud } from 'lineclear/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTables, type Engine, startDynoxide } from '../store/dynoxide.ts'
import { intercept } from '../store/seam.ts'
import { quietLogger } from './quietLogger.ts'

let engine: Engine
beforeAll(async () => void (engine = await startDynoxide()))
afterAll(() => engine.stop())

const ORDERS = 40
const html = (): Error => Object.assign(new SyntaxError('Unexpected token <'), { $metadata: {} })

/** An engine one of whose batch calls always fails, and queues that take no call of several. @returns what is at rest in the end */
async function afterAllOrders(breaks: (command: string) => boolean, poison?: string) {
  const { tableName, userTable } = await createTables(engine.client())
  await engine
    .client()
    .send(
      new PutItemCommand({ TableName: userTable, Item: { id: { S: 'sum' }, total: { N: '0' } } }),
    )
  const client = intercept(engine.client(), 'inside', async (call) => {
    if (breaks(call.command)) throw html()
    if (poison !== undefined && JSON.stringify(call.input).includes(poison)) throw html()
    return call.send()
  })
  const cloud = memoryCloud({ queues: { orders: {}, next: {}, dead: {} } })
  const { sqs } = cloud.clients
  const faulty = {
    config: sqs.config,
    async send(command: { readonly input: { readonly Entries?: readonly unknown[] } }) {
      if ((command.input.Entries?.length ?? 0) > 1) throw html()
      return sqs.send(command as never)
    },
  }
  const handler = recordHandler(
    {
      name: 'orders',
      store: dynamoDbStore({ tableName, client }),
      clients: { sqs: faulty as never },
      clock: cloud.clock,
      logger: quietLogger(),
      deadLetterQueueUrl: cloud.queueUrl('dead'),
      id: ({ order }: { order: string }) => order,
    } as never,
    async (payload, ctx) => {
      const { order } = payload as { readonly order: string }
      await ctx.write('sum', { TableName: userTable, Key: { id: 'sum' }, add: { total: 1 } })
      await ctx.send(cloud.queueUrl('next'), { order })
    },
  )
  for (let nth = 0; nth < ORDERS; nth++) cloud.send('orders', { order: `order-${nth}` })
  return {
    cloud,
    handler,
    userTable,
    read: () => engine.client().send(new ScanCommand({ TableName: userTable })),
  }
}

describe.each([
  ['BatchExecuteStatementCommand', (command: string) => command === 'BatchExecuteStatementCommand'],
  ['every batch', (command: string) => command.startsWith('Batch')],
])('on an engine that answers %s with an HTML page', (_, breaks) => {
  it('every order is booked once and passed on once', async () => {
    const { cloud, handler, read } = await afterAllOrders(breaks)
    await cloud.drain({ orders: handler })
    const { Items } = await read()
    expect(Items).toEqual([{ id: { S: 'sum' }, total: { N: String(ORDERS) } }])
    expect(cloud.messages('dead')).toEqual([])
    const passed = cloud.messages('next').map(({ payload }) => JSON.stringify(payload))
    expect(new Set(passed).size).toBe(ORDERS)
    expect(passed).toHaveLength(ORDERS)
  })
})

it('one poisoned order holds up no other of its batch', async () => {
  const poison = 'order-17'
  const { cloud, handler, read } = await afterAllOrders(() => false, poison)
  for (let nth = 0; nth < ORDERS / 10 + 2; nth++) {
    await cloud.deliver('orders', handler).catch(() => undefined)
  }
  const { Items } = await read()
  expect(Items).toEqual([{ id: { S: 'sum' }, total: { N: String(ORDERS - 1) } }])
  expect(cloud.messages('next')).toHaveLength(ORDERS - 1)
  expect(cloud.messages('orders')).toMatchObject([{ payload: { order: poison } }])
})
