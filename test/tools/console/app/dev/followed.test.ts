import { expect, it } from 'vitest'
import type { DevSent } from '../../../../../src/tools/console/dev/index.ts'
import { endOf, followedOf } from '../../../../../src/tools/console/app/dev/ending.ts'
import { newActivity } from '../../../../../src/tools/console/app/stream/activity.ts'
import { begun, ended } from '../stream/events.ts'

function sent(number: number, given: Partial<DevSent> = {}): DevSent {
  const at = new Date(10_000).toISOString()
  return {
    number,
    sentAt: at,
    to: 'orders',
    request: `m-${number}`,
    copies: 1,
    payload: {},
    ...given,
  }
}

function invocations(...events: readonly ReturnType<typeof begun>[]) {
  const activity = newActivity()
  for (const event of events) activity.take(event)
  return activity.invocations
}

it('a request is followed by its message id, to its newest invocation', () => {
  const list = invocations(begun(1, 10_500), { ...begun(2, 11_000), messages: begun(1).messages })
  expect(followedOf([sent(1), sent(7)], list)).toMatchObject([
    { invocation: { number: 2 }, times: 2 },
    { invocation: undefined, times: 0 },
  ])
})

it('a request that is done is not taken for another of its invocation that comes again', () => {
  const messages = [1, 2].map((number) => ({ messageId: `m-${number}`, receiveCount: 1 }))
  const activity = newActivity()
  activity.take({ ...begun(1, 10_500), messages })
  activity.take(ended(1, { failures: ['m-2'] }))
  const words = followedOf([sent(1), sent(2)], activity.invocations).map(
    ({ invocation, messages: own }) =>
      endOf({ end: invocation?.end, messages: own, logs: [] }).word,
  )
  expect(words).toEqual(['done', 'retried later'])
})

it('a request is followed by the id that its sender stamped on it', () => {
  const messages = [{ messageId: 'other', uniqueRequestId: 'u-1', receiveCount: 1 }]
  const list = invocations({ ...begun(1, 10_500), messages })
  const [found] = followedOf([sent(1, { request: 'x', uniqueRequestId: 'u-1' })], list)
  expect(found?.invocation?.number).toBe(1)
})

it('what ran before it was sent is another message', () => {
  const [found] = followedOf([sent(1)], invocations(begun(1, 5_000)))
  expect(found?.invocation).toBeUndefined()
})
