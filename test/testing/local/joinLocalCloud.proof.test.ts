import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { GetItemCommand } from '@aws-sdk/client-dynamodb'
import { type LocalCloud, startLocalCloud } from 'lineclear/local'
import { expect, it } from 'vitest'
import { send } from './helpers.ts'
import { ORDERS_CLOUD } from './ordersCloud.ts'

const runFile = promisify(execFile)
const ORDERS = 15

it('runs a handler that makes its own clients in another process, with faults: nothing is lost or doubled', async () => {
  await using cloud = await startLocalCloud(ORDERS_CLOUD)
  for (let number = 1; number <= ORDERS; number++) {
    const order = { orderId: `order-${number}`, sku: 'apple', quantity: 1 }
    await send(cloud, 'orders', { MessageBody: JSON.stringify(order) })
  }
  const { stdout } = await runFile(
    process.execPath,
    ['--conditions=lineclear:source', resolve(import.meta.dirname, 'joinChild.ts')],
    {
      env: {
        ...process.env,
        ...cloud.environment,
        ORDERS_TOPIC: cloud.topicArn('orders'),
        PAID_TOPIC: cloud.topicArn('paid'),
      },
    },
  )
  const said = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Said
  expect(said.counts.kills).toBeGreaterThan(0)
  expect(said.counts.lostAnswers).toBeGreaterThan(0)
  expect(said).toMatchObject({ charges: ORDERS, left: 0 })
  const kinds = new Set(said.words.map((words) => words.replaceAll(/[\w-]{36}/g, 'ID')))
  expect([...kinds]).toEqual(
    expect.arrayContaining([
      'claims orders/ID',
      'effect reserve of orders/ID: updates stock sku=apple',
      'keeps the result of charge of orders/ID',
      'publishes to paid',
      'completes orders/ID',
      'looks at orders/ID',
      'takes over orders/ID',
    ]),
  )
  const Key = { sku: { S: 'apple' } }
  const read = new GetItemCommand({ TableName: 'stock', Key, ConsistentRead: true })
  expect((await cloud.dynamodb.send(read)).Item?.['reserved']?.N).toBe(String(ORDERS))
  expect(announced(cloud).size).toBe(ORDERS)
})

/** What the child says. */
interface Said {
  readonly counts: { readonly kills: number; readonly lostAnswers: number }
  readonly words: readonly string[]
}

/** The same announcement may come twice, under one id. */
function announced(cloud: LocalCloud): ReadonlySet<string> {
  const orders = cloud.inspectQueue('paid').ready.map(({ body }) => {
    const { Message } = JSON.parse(body) as { readonly Message: string }
    return (JSON.parse(Message) as { readonly orderId: string }).orderId
  })
  return new Set(orders)
}
