import { memoryCloud } from 'lineclear/testing'
import { expect, it } from 'vitest'
import { claims } from './claims.ts'

const DAY = 86_400_000

function open() {
  const cloud = memoryCloud({ queues: { judge: {}, opinions: {} } })
  const { store, clients, clock, logger } = cloud
  return { cloud, ...claims({ store, clients, clock, logger }, cloud.queueUrl) }
}

const first = { claimId: 'c-1', policy: 'p', cents: 500 }
const second = { claimId: 'c-2', policy: 'p', cents: 700 }
const states = ({ cloud }: ReturnType<typeof open>) =>
  cloud.store.userItems('claims').map(({ claimId, state }) => [claimId, state])

it('works on the claims of a policy one after the other, and forgets none', async () => {
  const shop = open()
  const { cloud, flow, judge, opinions } = shop
  await flow.start(first, { uniqueRequestId: 'c-1' })
  await flow.start(second, { uniqueRequestId: 'c-2' })
  await cloud.deliver('judge', judge)
  expect(states(shop)).toEqual([['c-1', 'open']])
  await flow.answer('opinion', { claimId: 'c-1', isJust: true })
  await cloud.deliver('opinions', opinions)
  cloud.clock.advance(DAY)
  await cloud.deliver('judge', judge)
  expect(states(shop)).toEqual([
    ['c-1', 'paid'],
    ['c-2', 'open'],
  ])
})

it('waits longer when the expert asks for it', async () => {
  const shop = open()
  const { cloud, flow, judge, opinions, postpone } = shop
  await flow.start(first, { uniqueRequestId: 'c-1' })
  await cloud.deliver('judge', judge)
  cloud.clock.advance(DAY / 2)
  expect([await postpone('c-1'), await postpone('c-9')]).toEqual([true, false])
  cloud.clock.advance(2 * DAY)
  expect(await flow.answer('opinion', { claimId: 'c-1', isJust: false })).toBe('accepted')
  await cloud.deliver('opinions', opinions)
  expect(states(shop)).toEqual([['c-1', 'refused']])
})
