import { SendMessageCommand } from '@aws-sdk/client-sqs'
import { tableDefinition } from 'lineclear/dynamodb'
import { mapQueue, startLocalCloud } from 'lineclear/local'
import { type Keep, stopAtEnd } from '../keep.ts'
import { chargesThatStand } from '../orders-supersede/payments.ts'
import { FAULTS, untilQuiet } from '../quiet.ts'
import { rowsOf } from '../rows.ts'

export interface UndoResult {
  readonly orders: number
  /** Orders that died, and those whose effects were undone. */
  readonly refused: number
  readonly undone: number
  readonly reserved: number
  readonly charges: number
}

/** Sends orders, a third of which no carrier takes, with every fault switched on, and compares the books. */
export async function run(
  orders: number,
  say: (line: string) => void,
  keep: Keep = stopAtEnd,
): Promise<UndoResult> {
  await using cloud = await startLocalCloud({
    queues: {
      shipments: { visibilityTimeout: 18, deadLetter: { queue: 'dead', maxReceiveCount: 100 } },
      dead: {},
    },
    tables: { lineclear: tableDefinition(), stock: { hash: 'sku' } },
  })
  Object.assign(process.env, cloud.environment)
  const { handler } = await import('./handler.ts')
  const mapping = mapQueue({
    cloud,
    queue: 'shipments',
    handler,
    functionTimeout: '3s',
    faults: FAULTS,
  })
  const isRefused = (number: number): boolean => number % 3 === 0
  say(`Sending ${orders} orders; every third goes where no carrier delivers …`)
  for (let number = 1; number <= orders; number++) {
    const country = isRefused(number) ? 'Atlantis' : 'Malta'
    const order = { orderId: `order-${number}`, sku: 'apple', country }
    const QueueUrl = cloud.queueUrl('shipments')
    await cloud.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(order) }))
  }
  await untilQuiet([mapping])

  const tokens = await rowsOf(cloud, 'lineclear')
  const [stock] = await rowsOf(cloud, 'stock')
  const result = {
    orders,
    refused: Math.floor(orders / 3),
    undone: tokens.filter(({ status }) => status === 'undone').length,
    reserved: Number(stock?.['reserved']),
    charges: chargesThatStand(),
  }
  say(
    `${result.undone} of ${result.refused} dead orders were undone: ${result.reserved} pieces are reserved and ` +
      `${result.charges} charges stand for ${orders - result.refused} parcels.`,
  )
  await keep(cloud)
  return result
}
