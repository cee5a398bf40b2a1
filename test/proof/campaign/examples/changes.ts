import { setTimeout as sleep } from 'node:timers/promises'
import { rowsOf } from '../../../../examples/rows.ts'
import { reconcile, sweepHandler } from '../../../../src/ops/operator/index.ts'
import { dynamoDbReader, dynamoDbStore } from '../../../../src/store/dynamodb/index.ts'
import type { Course, Place } from './course.ts'

const silent = { debug() {}, info() {}, warn() {}, error() {} }

/** Pieces of an order, and of what it is changed to. */
const CHANGES = [3, 2, 1]

/** Orders that are changed while they are worked on. Each change has goods of its own: they show how often it was made and undone. */
export async function changes({ cloud, mark, count }: Place): Promise<Course> {
  const example = await import('../../../../examples/orders-supersede/handler.ts')
  const { chargesThatStand } = await import('../../../../examples/orders-supersede/payments.ts')
  const chargedBefore = chargesThatStand()
  const orders = Array.from({ length: Math.ceil(count / CHANGES.length) }, (_, nth) => nth)
  const all = orders.flatMap((order) =>
    CHANGES.map((quantity, change) => ({
      orderId: `${mark}-changed-${order}`,
      sku: `${mark}-changed-${order}-${change}`,
      quantity,
      isLast: change === CHANGES.length - 1,
    })),
  )
  const skus = new Set(all.map(({ sku }) => sku))
  const placed = async () =>
    (await rowsOf(cloud, 'placed')).filter(({ sku }) => skus.has(String(sku)))
  const items = async () =>
    (await rowsOf(cloud, 'lineclear')).filter(({ pk }) =>
      String(pk).startsWith(`flow#changed-orders/${mark}-`),
    )
  const isQueued = (queue: string): boolean => {
    const { ready, delayed, inFlight } = cloud.inspectQueue(queue)
    return ready.length + delayed.length + inFlight.length > 0
  }
  const isAtWork = async (): Promise<boolean> =>
    ['reserve', 'pay'].some(isQueued) ||
    (await items()).some(
      ({ sk, undo, uniquerequestid }) =>
        undo === 'due' || undo === 'sent' || (sk === 'stage' && uniquerequestid !== undefined),
    )
  return {
    handlers: { reserve: example.reserve, pay: example.pay },
    async send() {
      for (const { isLast: _last, ...order } of all) {
        const changedAt = new Date().toISOString()
        await example.start({ ...order, changedAt }, { uniqueRequestId: order.sku })
        await sleep(20)
      }
      const store = dynamoDbStore({ tableName: 'lineclear', client: cloud.dynamodb })
      const sweep = sweepHandler({ store, sqs: cloud.sqs, logger: silent, grace: '1s' })
      for (let until = Date.now() + 120_000; Date.now() < until; await sleep(1_000)) {
        await sweep()
        if (!(await isAtWork())) return
      }
    },
    async books() {
      const stand = new Set((await placed()).map(({ id }) => id))
      const stock = await rowsOf(cloud, 'stock')
      const reserved = (wanted: string): number =>
        Number(stock.find(({ sku }) => sku === wanted)?.['reserved'] ?? 0)
      const undone = (await items()).filter(({ undo }) => undo !== undefined)
      const { anomalies } = await reconcile({
        table: dynamoDbReader({ tableName: 'lineclear', client: cloud.dynamodb }),
        ledger: async function* () {
          for (const id of stand) yield { id: String(id), at: Date.now() }
        },
        flow: 'changed-orders',
        effects: ['pay:store'],
      })
      const kept = (sku: string, quantity: number): number => (stand.has(sku) ? quantity : 0)
      const last = all.filter(({ isLast }) => isLast)
      return {
        wanted: {
          changes: all.length,
          'newest changes': last.length,
          'pieces of changes': all.reduce((sum, { sku, quantity }) => sum + kept(sku, quantity), 0),
          'charges of changes': stand.size,
          'changes undone': undone.length,
          'anomalies of changes': 0,
        },
        had: {
          changes: all.filter(({ sku, quantity }) => reserved(sku) === kept(sku, quantity)).length,
          'newest changes': last.filter(({ sku }) => stand.has(sku)).length,
          'pieces of changes': all.reduce((sum, { sku }) => sum + reserved(sku), 0),
          'charges of changes': chargesThatStand() - chargedBefore,
          'changes undone': undone.filter(({ undo }) => undo === 'undone').length,
          'anomalies of changes': anomalies.length,
        },
      }
    },
  }
}
