/** Joins the cloud of its environment, runs the handler of the orders example with faults, and prints what happened as JSON. */
import { joinLocalCloud, type LocalEvent, mapQueue } from 'lineclear/local'
import { ORDERS_CLOUD } from './ordersCloud.ts'

const events: LocalEvent[] = []
await using cloud = await joinLocalCloud(ORDERS_CLOUD)
await cloud.instrumentAll(import.meta.url)
const { handler } = await import('../../../examples/orders/handler.ts')
const { chargesMade } = await import('../../../examples/orders/payments.ts')
const mapping = mapQueue({
  cloud,
  queue: 'orders',
  handler,
  functionTimeout: 2_000,
  batchSize: 1,
  faults: { seed: 3, kill: 0.05, loseAnswer: 0.1 },
  observe: (event) => void events.push(event),
})
await mapping.drained({ timeout: '50s' })
const words = events.flatMap((event) => (event.type === 'call' ? [event.words] : []))
const left = (await cloud.queueContents('orders')).ready.length
console.log(JSON.stringify({ counts: mapping.counts, charges: chargesMade(), words, left }))
