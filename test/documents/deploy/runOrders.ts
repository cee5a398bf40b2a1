import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { GetItemCommand } from '@aws-sdk/client-dynamodb'
import { SendMessageCommand } from '@aws-sdk/client-sqs'
import type { SQSBatchResponse } from 'aws-lambda'
import { tableDefinition } from 'lineclear/dynamodb'
import { mapQueue, startLocalCloud } from 'lineclear/local'

const NODE = resolve(import.meta.dirname, '../../../node_modules/.bin/node')

export interface OrdersRun {
  readonly reserved: string | undefined
  readonly paid: number
}

/** Has the bundle of `orders` take one message from a queue, delivered twice. */
export async function runOrders(files: ReadonlyMap<string, Buffer>): Promise<OrdersRun> {
  const folder = mkdtempSync(join(tmpdir(), 'lineclear-artefact-'))
  try {
    for (const [name, content] of files) {
      mkdirSync(dirname(join(folder, name)), { recursive: true })
      writeFileSync(join(folder, name), content)
    }
    return await takeOrder(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function takeOrder(folder: string): Promise<OrdersRun> {
  await using cloud = await startLocalCloud({
    queues: { orders: { visibilityTimeout: 180 }, paid: {} },
    topics: { orders: {}, paid: { subscriptions: [{ queue: 'paid' }] } },
    tables: { lineclear: tableDefinition(), stock: { hash: 'sku' } },
  })
  const environment = {
    ...cloud.environment,
    ORDERS_TOPIC: cloud.topicArn('orders'),
    PAID_TOPIC: cloud.topicArn('paid'),
  }
  const order = { orderId: 'o1', sku: 's1', quantity: 2 }
  await cloud.sqs.send(
    new SendMessageCommand({
      QueueUrl: cloud.queueUrl('orders'),
      MessageBody: JSON.stringify(order),
    }),
  )
  const mapping = mapQueue({
    cloud,
    queue: 'orders',
    handler: async (event) => {
      await invoke(folder, event, environment)
      return invoke(folder, event, environment)
    },
  })
  await mapping.drained({ timeout: '10m' })
  const Key = { sku: { S: 's1' } }
  const { Item } = await cloud.dynamodb.send(new GetItemCommand({ TableName: 'stock', Key }))
  const paid = cloud.inspectQueue('paid').ready.length
  return { reserved: Item?.['reserved']?.N, paid }
}

/** In a process of its own, as Lambda does: nothing but the bundle and its environment. */
async function invoke(
  folder: string,
  event: unknown,
  environment: Readonly<Record<string, string>>,
): Promise<SQSBatchResponse> {
  const runner = resolve(import.meta.dirname, 'runArtefact.ts')
  const file = join(folder, 'examples/orders/handler.mjs')
  const child = spawn(NODE, ['--enable-source-maps', runner, file, 'handler'], {
    cwd: folder,
    env: environment,
    timeout: 30_000,
  })
  child.stdin.end(JSON.stringify(event))
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)])
  const answer = /^ANSWER (.*)$/m.exec(out)?.[1]
  if (answer === undefined) throw new Error(`The bundle gave no answer: ${err}${out}`)
  return JSON.parse(answer) as SQSBatchResponse
}
