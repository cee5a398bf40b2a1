import { expect, test } from 'vitest'
import { runningInvocations } from '../../../../src/tools/console/dev/running.ts'
import { newSession } from '../../../../src/tools/console/dev/session.ts'
import type { CallEvent, InvocationBegun, LocalEvent } from '../../../../src/testing/local/index.ts'

const OF = { queue: 'orders', function: 'orders', invocation: 1, awsRequestId: 'a' }

function begun(...ids: readonly string[]): InvocationBegun {
  const messages = ids.map((messageId) => ({ messageId, receiveCount: 1 }))
  return { ...OF, type: 'begun', at: 1, messages }
}

function struck(about: Partial<CallEvent>): CallEvent {
  return {
    ...OF,
    type: 'call',
    at: 2,
    began: 1,
    call: 3,
    attempt: 1,
    action: 'PublishBatch',
    words: 'publishes to paid',
    outcome: 'never',
    fault: 'killAfter',
    ...about,
  }
}

function twoSent() {
  const session = newSession()
  for (const number of [1, 2]) {
    const deliveries = [{ queue: 'orders', messageId: `m${number}` }]
    session.add({ to: 'orders', payload: { number } }, { request: `r${number}`, deliveries })
  }
  return session
}

test('a fault is recorded for the message that it struck, if that is known', () => {
  const session = twoSent()
  session.observe(begun('m2'))
  session.observe(struck({}))
  session.observe(begun('m1', 'm2'))
  session.observe(struck({}))
  session.observe(struck({ requests: ['r1'], effect: 'reserve' }))
  const fault = { consumer: 'orders', fault: 'killAfter', action: 'PublishBatch' }
  expect(session.recorded().faults).toEqual([
    { ...fault, message: 2 },
    fault,
    { ...fault, message: 1, effect: 'reserve' },
  ])
})

test('calls that no fault struck are not recorded', () => {
  const session = twoSent()
  const { fault: _, ...unharmed } = struck({ outcome: 'ended' })
  for (const event of [begun('m1'), unharmed]) session.observe(event)
  expect(session.recorded().faults).toEqual([])
})

test('a sandbox that died is recorded by the call that it was at, or that was its last', () => {
  const { fault: _, ...call } = struck({})
  const death = { ...OF, type: 'fault', at: 3, fault: 'sandboxDeath' } as const
  const ended = { ...OF, type: 'ended', at: 4, outcome: 'killed', failures: ['m1'] } as const
  const recordedOf = (...events: readonly LocalEvent[]) => {
    const session = twoSent()
    for (const event of [begun('m1'), ...events, ended]) session.observe(event)
    return session.recorded().faults
  }
  const at = { consumer: 'orders', message: 1 }
  const before = { ...call, call: 2, action: 'GetItem', outcome: 'ended' } as const
  expect(recordedOf(before, death, call)).toEqual([
    { ...at, fault: 'killAfter', action: 'PublishBatch' },
  ])
  expect(recordedOf(before, death)).toEqual([{ ...at, fault: 'sandboxDeath', action: 'GetItem' }])
  expect(recordedOf(death)).toEqual([{ ...at, fault: 'killBefore' }])
})

test('of calls that are alike the one that was struck is recorded, and the id that a payload gave', () => {
  const session = twoSent()
  const { fault: _, ...first } = struck({ call: 1, outcome: 'ended', requests: ['order-1'] })
  session.observe(begun('m1'))
  session.observe(first)
  session.observe(struck({ call: 2, requests: ['order-1'] }))
  const [fault] = session.recorded().faults
  expect(fault).toMatchObject({ message: 1, request: 'order-1', nth: 2 })
})

test('a statement of a batch that another transaction refuses is recorded, though its call has ended', () => {
  const session = twoSent()
  const { fault: _, ...call } = struck({ action: 'BatchExecuteStatement', outcome: 'ended' })
  session.observe(begun('m1'))
  session.observe({ ...OF, type: 'fault', at: 1, fault: 'conflict', call: 3, attempt: 0 })
  session.observe(call)
  expect(session.recorded().faults).toMatchObject([
    { message: 1, fault: 'conflict', action: 'BatchExecuteStatement' },
  ])
})

test('a message that a fault has delivered twice is recorded with two copies', () => {
  const session = twoSent()
  session.observe({ ...OF, type: 'fault', at: 1, fault: 'duplicate', messageId: 'm2' })
  expect(session.recorded().send).toEqual([
    { to: 'orders', payload: { number: 1 } },
    { to: 'orders', payload: { number: 2 }, copies: 2 },
  ])
})

test('a request that was sent twice is one', () => {
  const session = twoSent()
  session.add({ to: 'orders', payload: { number: 2 } }, { request: 'r2', deliveries: [] })
  expect(session.requests().map(({ request }) => request)).toEqual(['r1', 'r2'])
  expect(session.count()).toBe(3)
})

test('invocations whose process is replaced end as killed, once', () => {
  const running = runningInvocations()
  running.observe(begun('m1'))
  running.observe({ ...begun('m2'), awsRequestId: 'b' })
  running.observe({ ...OF, type: 'ended', at: 2, outcome: 'answered', failures: [] })
  expect(running.count('orders')).toBe(1)
  expect(running.killed('reload', 5)).toEqual([
    {
      ...OF,
      awsRequestId: 'b',
      type: 'ended',
      at: 5,
      outcome: 'killed',
      failures: ['m2'],
      error: 'reload',
    },
  ])
  expect(running.killed('reload', 6)).toEqual([])
})

test('of a long session the newest thousand sends are done again, and books still know all', () => {
  const session = twoSent()
  session.observe(begun('m1'))
  session.observe(struck({}))
  for (let number = 3; number <= 1_002; number++) {
    const deliveries = [{ queue: 'orders', messageId: `m${number}` }]
    session.add({ to: 'orders', payload: { number } }, { request: `r${number}`, deliveries })
  }
  session.observe({ ...OF, type: 'fault', at: 1, fault: 'duplicate', messageId: 'm3' })
  session.observe(struck({ requests: ['r1002'] }))
  const { send, faults } = session.recorded()
  expect(send).toHaveLength(1_000)
  expect(send[0]).toEqual({ to: 'orders', payload: { number: 3 }, copies: 2 })
  expect(faults).toMatchObject([{ message: 1_000 }])
  expect(session.requests()).toHaveLength(1_002)
})
