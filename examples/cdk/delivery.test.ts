import { memoryCloud } from 'lineclear/testing'
import { expect, it, vi } from 'vitest'

it('packs and ships once for each key, and drops what is older', async () => {
  const deadLetter = { queue: 'dead', maxReceiveCount: 10 }
  const { store, sqs, clock, logger, ...cloud } = memoryCloud({
    queues: { pack: { deadLetter }, ship: { deadLetter }, dead: {} },
  })
  vi.stubEnv('PACK_QUEUE', cloud.queueUrl('pack'))
  vi.stubEnv('SHIP_QUEUE', cloud.queueUrl('ship'))
  const { stages } = await import('./delivery.ts')
  const calls: string[] = []
  const system = async (what: string, key: string): Promise<string> => {
    calls.push(key)
    if (calls.length === 1) throw new Error('no answer')
    return `parcel of ${what}`
  }
  const handlers = stages({ store, sqs, clock, logger }, { pack: system, ship: system })
  const changedAt = clock.now()
  cloud.send('pack', { orderId: 'o1', changedAt })
  await cloud.drain(handlers)
  cloud.send('pack', { orderId: 'o1', changedAt: changedAt - 1 })
  await cloud.drain(handlers)
  const [packed, again, shipped, ...more] = calls
  expect([again, more]).toEqual([packed, []])
  expect(shipped).not.toBe(packed)
  expect(cloud.messages('dead')).toEqual([])
})
