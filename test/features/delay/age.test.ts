import { defineFlow, recordHandler } from 'lineclear'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { delayedCloud, HOUR, MINUTE } from './delayedCloud.ts'

const DAY = 24 * HOUR

/** A message that waits in the table is as old as if it had been sent when it is due. */
describe('the age of a delayed message', () => {
  it('counts from when it is due: after the whole retention it is not too old', async () => {
    const cloud = delayedCloud()
    const orders = cloud.reminding('30d')
    const ran: unknown[] = []
    const reminders = recordHandler({ name: 'reminders', ...cloud.options }, (payload, ctx) => {
      ran.push([payload, ctx.sentAt])
    })
    cloud.send('orders', { key: 'k' })
    const sentAt = cloud.clock.now()
    cloud.clock.advance(MINUTE)
    await cloud.deliver('orders', orders)
    cloud.clock.advance(30 * DAY)
    await cloud.sweep()
    cloud.clock.advance(HOUR)
    await cloud.deliver('reminders', reminders)
    expect(ran).toEqual([[{ key: 'k' }, sentAt]])
  })

  it('a flow that it starts has its whole time', async () => {
    const cloud = delayedCloud()
    const flow = defineFlow({
      name: 'trip',
      ...cloud.options,
      key: ({ key }) => key,
      giveUpAfter: '1d',
      stages: { book: { schema: z.object({ key: z.string() }), queueUrl: cloud.queueUrl('book') } },
    })
    const ran: unknown[] = []
    const book = flow.stageHandler('book', (payload) => void ran.push(payload))
    const orders = recordHandler({ name: 'orders', ...cloud.options }, async (order, ctx) => {
      await ctx.send(cloud.queueUrl('book'), order, { delay: '2d' })
    })
    cloud.send('orders', { key: 'k' })
    await cloud.deliver('orders', orders)
    cloud.clock.advance(2 * DAY)
    await cloud.sweep()
    await cloud.deliver('book', book)
    expect(cloud.messages('dead').map(({ carried }) => carried.error)).toEqual([])
    expect(ran).toEqual([{ key: 'k' }])
  })
})
