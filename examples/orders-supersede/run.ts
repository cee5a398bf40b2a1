import { setTimeout as sleep } from 'node:timers/promises'
import { dynamoDbStore, tableDefinition } from 'lineclear/dynamodb'
import { mapQueue, startLocalCloud } from 'lineclear/local'
import { sweepHandler } from 'lineclear'
import { type Keep, stopAtEnd } from '../keep.ts'
import { FAULTS, untilQuiet } from '../quiet.ts'
import { rowsOf } from '../rows.ts'
import { chargesThatStand } from './payments.ts'

export interface SupersedeResult {
  readonly orders: number
  /** Orders that stand at the end, and those whose effects were undone. */
  readonly placed: number
  readonly undone: number
  /** Reserved pieces, and pieces of the orders that stand. */
  readonly reserved: number
  readonly ordered: number
  readonly charges: number
}

const QUEUE = { visibilityTimeout: 18, deadLetter: { queue: 'dead', maxReceiveCount: 100 } }

/** Changes each order while it is being reserved and paid, with every fault switched on, and compares the books. */
export async function run(
  orders: number,
  say: (line: string) => void,
  keep: Keep = stopAtEnd,
): Promise<SupersedeResult> {
  await using cloud = await startLocalCloud({
    queues: { reserve: QUEUE, pay: QUEUE, dead: {} },
    tables: { lineclear: tableDefinition(), stock: { hash: 'sku' }, placed: { hash: 'id' } },
  })
  Object.assign(process.env, cloud.environment, {
    RESERVE_QUEUE: cloud.queueUrl('reserve'),
    PAY_QUEUE: cloud.queueUrl('pay'),
  })
  const { reserve, pay, start } = await import('./handler.ts')
  const common = { cloud, functionTimeout: '3s', faults: FAULTS } as const
  const mappings = [
    mapQueue({ ...common, queue: 'reserve', handler: reserve }),
    mapQueue({ ...common, queue: 'pay', handler: pay }),
  ]
  const store = dynamoDbStore({ tableName: 'lineclear', client: cloud.dynamodb })
  const sweep = sweepHandler({ store, clients: { sqs: cloud.sqs }, grace: '1s', logger: SILENT })
  say(`Placing ${orders} orders, each of which is changed while it is being worked on …`)
  for (let number = 1; number <= orders; number++) {
    for (const [change, quantity] of [3, 2, 1].entries()) {
      const order = { orderId: `order-${number}`, changedAt: new Date().toISOString() }
      const id = `order-${number}-${change}`
      await start({ ...order, sku: 'apple', quantity }, { uniqueRequestId: id })
      await sleep(20)
    }
  }
  let ended: readonly (string | number | undefined)[] = []
  do {
    await untilQuiet(mappings)
    await sweep()
    ended = (await rowsOf(cloud, 'lineclear')).map(({ undo }) => undo)
  } while (ended.some((undo) => undo === 'due' || undo === 'sent'))

  const [stock] = await rowsOf(cloud, 'stock')
  const placed = await rowsOf(cloud, 'placed')
  const result = {
    orders,
    placed: placed.length,
    undone: ended.filter((undo) => undo === 'undone').length,
    reserved: Number(stock?.['reserved']),
    ordered: placed.reduce((sum, { quantity }) => sum + Number(quantity), 0),
    charges: chargesThatStand(),
  }
  say(
    `${result.placed} orders stand, ${result.undone} were undone: ${result.reserved} pieces are reserved for ${result.ordered}, ` +
      `${result.charges} charges stand.`,
  )
  await keep(cloud)
  return result
}

const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
