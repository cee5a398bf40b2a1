import { circuitBreaker } from 'lineclear'
import type { LocalCloud } from 'lineclear/local'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { deliver } from '../../deliver/deliver.ts'
import { send } from '../../flow/flowHarness.ts'
import { consumerOn, operatorHarness, startCloud } from './operatorHarness.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startCloud()
})
afterAll(() => cloud.stop())

it('status shows an open circuit, with its error, and nothing when it is off again', async () => {
  const harness = await operatorHarness(cloud)
  const { cli, clock } = harness
  let down = true
  const breaker = circuitBreaker({ after: 1, when: () => true })
  const handler = consumerOn(
    harness,
    () => {
      if (down) throw new Error('bank is down')
    },
    { circuitBreaker: breaker, retry: { transport: 'visibility' } },
  )
  await send(cloud, 'book', { n: 1 })
  await deliver(cloud, 'book', handler)
  const on = await cli('status', '--no-queues')
  expect(on).toMatchObject({ code: 1 })
  expect(on.out).toMatch(/circuitOpen +1 of orders .*bank is down/)
  expect(on.out).toContain('next: lineclear pause --consumer orders --for 1h')
  clock.advance(3_600_000)
  expect((await cli('status', '--no-queues')).out).not.toContain('overdue')
  down = false
  clock.advance(60_000)
  await send(cloud, 'book', { n: 2 })
  await deliver(cloud, 'book', handler)
  expect((await cli('status', '--no-queues')).out).not.toContain('circuitOpen')
})
