import { recordHandler } from 'lineclear'
import { type CrashCloud, exploreCrashes } from 'lineclear/testing'
import { expect, it } from 'vitest'

/** As yours, with the clients and the outside system handed in. */
function orders({ store, clients, clock, logger, outside, topicArn }: CrashCloud) {
  return recordHandler({ name: 'orders', store, clients, clock, logger }, async (_, ctx) => {
    await ctx.write('reserve', { TableName: 'stock', Key: { sku: 's' }, add: { reserved: 1 } })
    const receipt = await ctx.call('charge', (key) => outside('charge', key))
    await ctx.publish(topicArn('paid'), { receipt })
  })
}

it('loses and doubles nothing, whatever goes wrong', async () => {
  const report = await exploreCrashes(orders, { orderId: 'o1' })
  expect(report).toMatchObject({ lost: 0, doubled: 0, stale: 0, stuck: 0, complete: true })
}, 600_000)

it('would find a charge that carries no key', async () => {
  const careless = (cloud: CrashCloud) => {
    const { store, clients, clock, logger, outside } = cloud
    return recordHandler({ name: 'orders', store, clients, clock, logger }, () => outside('charge'))
  }
  const { text } = await exploreCrashes(careless, { orderId: 'o1' })
  expect(text).toMatch("doubled: call 'charge': 2 times, 1 without faults")
})
