import { expect, test } from 'vitest'
import { countInvocations } from '../../../../src/tools/console/dev/running.ts'
import type { LocalEvent } from '../../../../src/testing/local/index.ts'

function begun(queue: string, invocation: number): LocalEvent {
  return {
    type: 'begun',
    at: 1,
    queue,
    function: queue,
    invocation,
    awsRequestId: 'a',
    messages: [],
  }
}

test('invocations are numbered on when the handlers are loaded again, each queue for itself', () => {
  const numbers = countInvocations()
  const numberOf = (event: LocalEvent) => numbers.numbered(event)
  for (const invocation of [1, 2, 3]) numberOf(begun('orders', invocation))
  numberOf(begun('mails', 1))
  numbers.restart()
  expect(numberOf(begun('orders', 1))).toMatchObject({ invocation: 4 })
  expect(numberOf(begun('mails', 1))).toMatchObject({ invocation: 2 })
  numbers.restart()
  expect(numberOf(begun('orders', 1))).toMatchObject({ invocation: 5 })
})

test('an event of no invocation stays as it is', () => {
  const event: LocalEvent = {
    type: 'depth',
    at: 1,
    queue: 'orders',
    ready: 1,
    inFlight: 0,
    delayed: 0,
  }
  expect(countInvocations().numbered(event)).toBe(event)
})
