import {
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
} from '@aws-sdk/client-sqs'
import { recordHandler, type RecordHandlerOptions, RetryableError, TerminalError } from 'lineclear'
import { dynamoDbStore, tableDefinition } from 'lineclear/dynamodb'
import { type LocalCloud, mapQueue, startLocalCloud } from 'lineclear/local'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { untilQuiet } from '../../../examples/quiet.ts'
import { quietLogger } from '../../deliver/quietLogger.ts'
import { EVERY_FAULT } from '../campaign/faults.ts'
import { valuesOf } from './ledger.ts'

const REQUESTS = 40
const Order = z.object({ id: z.string() })
const number = (id: string): number => Number(id.split('-')[1])

type Act = NonNullable<RecordHandlerOptions<typeof Order>['onFailure']>

function startShop(): Promise<LocalCloud> {
  const consumed = { visibilityTimeout: 3, deadLetter: { queue: 'dead', maxReceiveCount: 1_000 } }
  return startLocalCloud(
    {
      queues: { reported: consumed, final: consumed, dead: {} },
      tables: { lineclear: tableDefinition(), stock: { hash: 'id' }, told: { hash: 'id' } },
    },
    { logger: quietLogger() },
  )
}

/** Each reserves; every second one dies, as long as nothing is repaired. */
function consumers(cloud: LocalCloud, isRepaired: () => boolean) {
  const shared = {
    store: dynamoDbStore({ tableName: 'lineclear', client: cloud.dynamodb }),
    clients: { sqs: cloud.sqs },
    logger: quietLogger(),
    schema: Order,
    id: ({ id }: { readonly id: string }) => id,
    retry: { maxAttempts: 100, delay: () => 500 },
  }
  const ran: string[] = []
  const tell: Act = async (order, ctx, { deaths }) => {
    const Key = { id: `${order?.id} died ${deaths}` }
    await ctx.write('tell', { TableName: 'told', Key, add: { times: 1 } })
    if (number(order?.id ?? '') % 3 === 0 && ctx.attempt === 1) throw new RetryableError('later')
  }
  const takeBack: Act = async (order, ctx, end) => {
    await tell(order, ctx, end)
    if (!end.made.some(({ name }) => name === 'reserve')) throw new TerminalError('what was made?')
    const Key = { id: order?.id ?? '' }
    await ctx.write('release', { TableName: 'stock', Key, add: { reserved: -1 } })
  }
  const consumer = (
    name: string,
    more: Pick<RecordHandlerOptions<typeof Order>, 'dead' | 'onFailure'>,
  ) =>
    recordHandler(
      { ...shared, ...more, name, queueUrl: cloud.queueUrl(name) },
      async ({ id }, ctx) => {
        if (isRepaired()) ran.push(id)
        await ctx.write('reserve', { TableName: 'stock', Key: { id }, add: { reserved: 1 } })
        if (number(id) % 2 === 0 && !isRepaired()) throw new TerminalError('no such account')
      },
    )
  return {
    ran,
    reported: consumer('reported', { onFailure: tell }),
    final: consumer('final', { dead: 'final', onFailure: takeBack }),
  }
}

/** As an operator does it, who knows nothing of Lineclear: each letter goes back to the queue that it came from. */
async function redriveAll(cloud: LocalCloud): Promise<void> {
  const QueueUrl = cloud.queueUrl('dead')
  const receive = { QueueUrl, MaxNumberOfMessages: 10, MessageAttributeNames: ['All'] }
  for (;;) {
    const { Messages = [] } = await cloud.sqs.send(new ReceiveMessageCommand(receive))
    if (Messages.length === 0) return
    for (const { Body = '', MessageAttributes, ReceiptHandle } of Messages) {
      const { id } = Order.parse(JSON.parse(Body))
      const back = { QueueUrl: cloud.queueUrl(id.split('-')[0] ?? ''), MessageBody: Body }
      await cloud.sqs.send(new SendMessageCommand({ ...back, MessageAttributes }))
      await cloud.sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }))
    }
  }
}

it('what follows a death happens once under every fault, also when all letters are redriven', async () => {
  await using cloud = await startShop()
  let repaired = false
  const { ran, reported, final } = consumers(cloud, () => repaired)
  const ids = ['reported', 'final'].flatMap((name) =>
    Array.from({ length: REQUESTS }, (_, nth) => `${name}-${nth}`),
  )
  for (const id of ids) {
    const QueueUrl = cloud.queueUrl(id.split('-')[0] ?? '')
    await cloud.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify({ id }) }))
  }
  const given = { cloud, functionTimeout: 5_000, logger: quietLogger(), faults: EVERY_FAULT }
  await using one = mapQueue({ ...given, queue: 'reported', handler: reported })
  await using other = mapQueue({ ...given, queue: 'final', handler: final })
  await untilQuiet([one, other])

  const dead = ids.filter((id) => number(id) % 2 === 0)
  const told = Object.fromEntries(dead.map((id) => [`${id} died 1`, 1]))
  const isTakenBack = (id: string): boolean => dead.includes(id) && id.startsWith('final')
  const stock = Object.fromEntries(ids.map((id) => [id, isTakenBack(id) ? 0 : 1]))
  expect(await valuesOf(cloud, 'told', 'times')).toEqual(told)
  expect(await valuesOf(cloud, 'stock', 'reserved')).toEqual(stock)

  repaired = true
  await redriveAll(cloud)
  await untilQuiet([one, other])
  expect(await valuesOf(cloud, 'told', 'times')).toEqual(told)
  expect(await valuesOf(cloud, 'stock', 'reserved')).toEqual(stock)
  expect(ran.filter((id) => id.startsWith('final'))).toEqual([])
  expect(new Set(ran)).toEqual(new Set(dead.filter((id) => id.startsWith('reported'))))
})
