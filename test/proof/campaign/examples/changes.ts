import { setTimeout as sleep } from 'node:timers/promises'
import { rowsOf } from '../../../../examples/rows.ts'
import { reconcile } from '../../../../src/tools/operator/reconcile/reconcile.ts'
import { dynamoDbReader } from '../../../../src/store/dynamodb/dynamoDbReader.ts'
import { started, type Course, type Place } from './course.ts'

/** Pieces of an order, and of what it is changed to. */
const CHANGES = [3, 2, 1]

/** Every fifth order is changed while its goods are reserved: on a busy machine the changes of the others arrive together. */
const BEGUN = 5

/** Orders that are changed while they are worked on. Each change has goods of its own: they show how often it was made and undone. */
export async function changes({ cloud, mark, count, example, sweeper }: Place): Promise<Course> {
  const exported = await example(
    'orders-supersede/handler.ts',
    import('../../../../examples/orders-supersede/handler.ts'),
  )
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
  const isReserved = async (wanted: string): Promise<boolean> =>
    (await rowsOf(cloud, 'stock')).some(({ sku }) => sku === wanted)
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
    handlers: { reserve: exported.reserve, pay: exported.pay },
    async send() {
      for (const [nth, { isLast, ...order }] of all.entries()) {
        const changedAt = new Date().toISOString()
        await started((as) => exported.start({ ...order, changedAt }, as), order.sku)
        await sleep(20)
        const isWaitedFor = !isLast && Math.floor(nth / CHANGES.length) % BEGUN === 0
        const until = Date.now() + (isWaitedFor ? 10_000 : 0)
        while (Date.now() < until && !(await isReserved(order.sku))) await sleep(50)
      }
      const sweep = sweeper({ grace: '1s' })
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
