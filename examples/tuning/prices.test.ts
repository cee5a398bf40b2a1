import type { Settlement } from 'lineclear'
import { memoryCloud } from 'lineclear/testing'
import { expect, it } from 'vitest'
import { prices } from './prices.ts'

function open() {
  const cloud = memoryCloud({ queues: { lines: {}, dead: {} } })
  const { store, clients, clock, logger } = cloud
  const ends: Settlement['kind'][] = []
  const given = {
    store,
    clients,
    clock,
    logger,
    deadLetterQueueUrl: cloud.queueUrl('dead'),
    onSettled: ({ kind }: Settlement) => ends.push(kind),
  }
  return { cloud, ends, given }
}

it('reads a line that is no JSON, and drops it when it comes twice', async () => {
  const { cloud, ends, given } = open()
  for (let nth = 0; nth < 2; nth++) cloud.send('lines', 'apple;120;EUR')
  await cloud.drain({ lines: prices(given) })
  expect(ends.toSorted()).toEqual(['completed', 'duplicate'])
  expect(cloud.store.userItems('prices')).toEqual([{ sku: 'apple', cents: 120, currency: 'EUR' }])
})

it('does not run again what it has run under its former name', async () => {
  const { cloud, ends, given } = open()
  cloud.send('lines', 'apple;120;EUR')
  await cloud.drain({ lines: prices(given, 'price-lines') })
  cloud.send('lines', 'apple;120;EUR')
  await cloud.drain({ lines: prices(given) })
  expect(ends).toEqual(['completed', 'duplicate'])
})

it('dead-letters a line in another currency', async () => {
  const { cloud, given } = open()
  cloud.send('lines', 'apple;120;EUR')
  await cloud.drain({ lines: prices(given) })
  cloud.send('lines', 'apple;131;USD')
  await cloud.drain({ lines: prices(given) })
  expect(cloud.messages('dead')).toMatchObject([
    { payload: 'apple;131;USD', carried: { reason: 'conflict' } },
  ])
})
