import middyjs from '@middy/core'
import type { Context, SQSEvent } from 'aws-lambda'
import { recordHandler } from 'lineclear'
import { memoryCloud } from 'lineclear/testing'
import { sqsPartialBatchFailure } from '../migrating/sqsPartialBatchFailure.ts'

/**
 * https://github.com/middyjs/middy/pull/1205 and 1366 (@middy/sqs-partial-batch-failure 6.4.5): the usual handler of a FIFO
 * queue maps its records to promises, so that a group's messages run side by side.
 */
type Change = { readonly status: string; readonly takesMs: number }

function shop() {
  const cloud = memoryCloud({ queues: { 'orders.fifo': {} } })
  const send = (change: Change): void =>
    cloud.send('orders.fifo', change, { groupId: 'order-1', deduplicationId: change.status })
  send({ status: 'placed', takesMs: 20 })
  send({ status: 'cancelled', takesMs: 0 })
  const statuses: string[] = []
  const write = async ({ status, takesMs }: Change): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, takesMs))
    statuses.push(status)
  }
  return { cloud, statuses, write }
}

export async function before(): Promise<object> {
  const { cloud, statuses, write } = shop()
  const handler = middyjs(({ Records }: SQSEvent) =>
    Promise.allSettled(Records.map(({ body }) => write(JSON.parse(body) as Change))),
  ).use(sqsPartialBatchFailure())
  await cloud.deliver('orders.fifo', (event, context: Context) => handler(event, context))
  return statuses
}

export async function after(): Promise<object> {
  const { cloud, statuses, write } = shop()
  const { store, clients, clock, logger } = cloud
  const options = { name: 'orders', store, clients, clock, logger }
  const handler = recordHandler(options, (change) => write(change as Change))
  await cloud.deliver('orders.fifo', handler)
  return statuses
}
