import { memoryCloud } from 'lineclear/testing'
import { expect, it, vi } from 'vitest'

it('books once, ships what the carrier answers once, and drops what is older', async () => {
  const deadLetter = { queue: 'dead', maxReceiveCount: 10 }
  const { store, clients, clock, logger, ...cloud } = memoryCloud({
    queues: { pack: { deadLetter }, booked: { deadLetter }, ship: { deadLetter }, dead: {} },
  })
  for (const name of ['pack', 'booked', 'ship']) {
    vi.stubEnv(`${name.toUpperCase()}_QUEUE`, cloud.queueUrl(name))
  }
  // Once they are set: it reads them when it is loaded.
  const { stages } = await import('./delivery.ts')
  const asked: string[] = []
  const shipped: string[] = []
  const { pack, booked, ship } = stages(
    { store, clients, clock, logger },
    {
      book: async (_, bookingId) => {
        if (asked.push(bookingId) === 1) throw new Error('no answer')
      },
      ship: async (parcel) => `label ${shipped.push(parcel)}`,
    },
  )
  const changedAt = clock.now()
  cloud.send('pack', { orderId: 'o1', changedAt })
  cloud.send('pack', { orderId: 'o1', changedAt })
  await cloud.drain({ pack })
  expect(new Set(asked).size).toBe(1)

  const answer = { bookingId: asked[0], parcel: 'p1' }
  cloud.send('booked', answer)
  cloud.send('booked', answer)
  cloud.send('pack', { orderId: 'o1', changedAt: changedAt - 1 })
  await cloud.drain({ pack, booked, ship })
  expect({ asked: asked.length, shipped }).toEqual({ asked: 2, shipped: ['p1'] })
  expect(cloud.messages('dead')).toEqual([])
})
