import { memoryCloud } from 'lineclear/testing'
import { describe, expect, it } from 'vitest'
import { readOptions } from '../../src/library/entries/consumer/readOptions.ts'
import { compose, type Feature } from '../../src/library/run/deliver/feature.ts'
import { handleBatch } from '../../src/library/run/deliver/handleBatch.ts'
import { tokenStrategy } from '../../src/library/run/deliver/tokenStrategy.ts'

const MINUTE = 60_000

/** Starts so many records in each batch, and lets the others come back in a minute. Made through the seam only. */
function quota(most: number, now: () => number, told: string[]): Feature {
  let left = most
  return {
    batch: (records, next) => {
      left = most
      told.push(`batch of ${records.length}`)
      return next()
    },
    admit: (wanted) => {
      const admitted = Math.min(wanted, left)
      left -= admitted
      return Promise.resolve({ admitted, probe: undefined, until: now() + MINUTE })
    },
    watch: () => ({
      settled: ({ kind }) => told.push(kind),
      ended: () => told.push('ended'),
    }),
  }
}

it('a feature of its own needs nothing but the seam', async () => {
  const cloud = memoryCloud({ queues: { orders: {} } })
  const { store, clients, clock, logger } = cloud
  const ran: unknown[] = []
  const told: string[] = []
  const handle = (payload: unknown): void => void ran.push(payload)
  const consumer = readOptions({ name: 'orders', store, clients, clock, logger }, handle)
  const features = compose([consumer.features, quota(2, () => clock.now(), told)])
  const strategy = tokenStrategy(handle)
  for (const n of [1, 2, 3]) cloud.send('orders', { n })

  await cloud.deliver('orders', (event, context) =>
    handleBatch(event, context, { ...consumer, features }, strategy),
  )
  expect(ran).toHaveLength(2)
  expect(told).toEqual(['batch of 3', 'notStarted', 'completed', 'completed', 'ended'])

  clock.advance(MINUTE)
  await cloud.deliver('orders', (event, context) =>
    handleBatch(event, context, { ...consumer, features }, strategy),
  )
  expect(ran).toHaveLength(3)
})

describe('composed features', () => {
  const noting = (name: string, told: string[]): Feature => ({
    batch: async (_records, next) => {
      told.push(`${name} begins`)
      const end = await next()
      told.push(`${name} ends`)
      return end
    },
    watch: () => ({
      ran: () => told.push(`${name} ran`),
      settled: () => told.push(`${name} settled`),
      noticed: () => told.push(`${name} noticed`),
      ended: () => told.push(`${name} ended`),
    }),
    raise: async () => void told.push(`${name} raised`),
  })

  it('nest: the first one is the outermost, and is told last', async () => {
    const told: string[] = []
    const both = compose([noting('outer', told), noting('inner', told)])
    await both.batch?.([], async () => void told.push('batch'))
    const watch = both.watch?.(console)
    watch?.ran?.(1, 1, console)
    watch?.settled?.({ kind: 'completed' }, 0)
    watch?.noticed?.('lostAttempts', 1)
    watch?.ended?.()
    expect(told).toEqual([
      'outer begins',
      'inner begins',
      'batch',
      'inner ends',
      'outer ends',
      'inner ran',
      'outer ran',
      'inner settled',
      'outer settled',
      'inner noticed',
      'outer noticed',
      'inner ended',
      'outer ended',
    ])
  })

  it('raise their fences one after the other', async () => {
    const told: string[] = []
    const { raise } = compose([noting('first', told), noting('second', told)])
    const fencing = {
      subject: '',
      request: '',
      epoch: 0,
      stage: '',
      fence: 1,
      isSurelyFirst: false,
    }
    await raise?.({ fencing, retention: 1, timeLeft: () => 1 })
    expect(told).toEqual(['first raised', 'second raised'])
  })

  it('have nothing between the kernel and what only one of them has, and nothing at all without one', () => {
    const one: Feature = { heldUntil: () => 1 }
    expect(compose([one, noting('other', [])]).heldUntil).toBe(one.heldUntil)
    expect(compose([])).toEqual({})
  })

  it('are refused when two of them would answer the same question', () => {
    const one = { heldUntil: () => 1 }
    expect(() => compose([one, one])).toThrow('two features of one consumer have heldUntil')
  })
})
