import { tableDefinition } from 'lineclear/dynamodb'
import { mapQueue, startLocalCloud } from 'lineclear/local'
import { type Keep, stopAtEnd } from '../keep.ts'
import { FAULTS, untilQuiet } from '../quiet.ts'
import { rowsOf } from '../rows.ts'
import { chargesMade } from './payments.ts'

export interface ChainResult {
  readonly carts: number
  readonly deliveries: number
  readonly charged: number
  readonly charges: number
  readonly sales: number
}

const QUEUE = { visibilityTimeout: 18, deadLetter: { queue: 'dead', maxReceiveCount: 100 } }

/** Sends each cart through two Lambdas, with every fault switched on, and counts what happened. */
export async function run(
  carts: number,
  say: (line: string) => void,
  keep: Keep = stopAtEnd,
): Promise<ChainResult> {
  await using cloud = await startLocalCloud({
    queues: { validate: QUEUE, charge: QUEUE, dead: {} },
    tables: { lineclear: tableDefinition(), carts: { hash: 'cartId' }, sales: { hash: 'id' } },
  })
  Object.assign(process.env, cloud.environment, {
    VALIDATE_QUEUE: cloud.queueUrl('validate'),
    CHARGE_QUEUE: cloud.queueUrl('charge'),
  })
  const { validate, charge, start } = await import('./handler.ts')
  const common = { cloud, functionTimeout: '3s', faults: FAULTS } as const
  const mappings = [
    mapQueue({ ...common, queue: 'validate', handler: validate }),
    mapQueue({ ...common, queue: 'charge', handler: charge }),
  ]
  say(`Sending ${carts} carts through two Lambdas that are killed, doubled and shuffled …`)
  for (let number = 1; number <= carts; number++) {
    const order = { cartId: `cart-${number}`, orderedAt: new Date().toISOString(), items: number }
    await start(order, { uniqueRequestId: `order-${number}` })
  }
  await untilQuiet(mappings)

  const [sale] = await rowsOf(cloud, 'sales')
  const rows = await rowsOf(cloud, 'carts')
  const result = {
    carts,
    deliveries: mappings.reduce((sum, { counts }) => sum + counts.deliveries, 0),
    charged: rows.filter(({ state }) => state === 'charged').length,
    charges: chargesMade(),
    sales: Number(sale?.['count']),
  }
  say(
    `${result.deliveries} deliveries: ${result.charged} carts charged, ${result.charges} payments, ${result.sales} sales booked.`,
  )
  await keep(cloud)
  return result
}
