import { expect, it } from 'vitest'
import { consumerOf } from './consumerOf.ts'

it('the records of a group that stay on the queue come back together with the first: SQS locks the group while one is hidden', async () => {
  const { clock, queue, send, deliver } = consumerOf(() => Promise.reject(new Error('not yet')), {
    queue: 'orders.fifo',
  })
  const messages = [1, 2, 3].map((n) => send(JSON.stringify({ n })))
  await deliver(messages)
  const waits = queue.messages.map(({ visibleAt }) => visibleAt - clock.now())
  expect(new Set(waits).size).toBe(1)
  expect(waits[0]).toBeLessThan(5_000)
})
