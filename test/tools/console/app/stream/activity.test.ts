import { describe, expect, it } from 'vitest'
import { newActivity } from '../../../../../src/tools/console/app/stream/activity.ts'
import { begun, call, ended } from './events.ts'

describe('the activity', () => {
  it('joins the events of each invocation', () => {
    const activity = newActivity()
    activity.take(begun(1))
    activity.take(begun(2))
    activity.take(call(1, { words: 'one' }))
    activity.take(call(2, { words: 'two' }))
    activity.take(ended(1, { outcome: 'failed', error: 'boom' }))
    expect(activity.invocations).toMatchObject([
      { number: 1, calls: [{ words: 'one' }], end: { outcome: 'failed', error: 'boom' } },
      { number: 2, calls: [{ words: 'two' }], end: undefined },
    ])
  })

  it('counts what runs', () => {
    const activity = newActivity()
    activity.take(begun(1, 1_000, 10))
    expect(activity.running('worker')).toBe(1)
    activity.take(ended(1, { at: 2_000, failures: ['m-1', 'm-2'] }))
    // An end that comes twice, or without its beginning, changes nothing.
    activity.take(ended(1, { at: 2_000 }))
    activity.take(ended(9, { at: 2_000 }))
    expect(activity.running('worker')).toBe(0)
  })

  it('keeps the newest depth of each queue', () => {
    const activity = newActivity()
    const depth = { type: 'depth', queue: 'orders', inFlight: 0, delayed: 0, at: 0 } as const
    activity.take({ ...depth, ready: 3 })
    activity.take({ ...depth, ready: 1 })
    expect(activity.depths.get('orders')?.ready).toBe(1)
  })

  it('ends what ran in a process that is gone', () => {
    const activity = newActivity()
    activity.take(begun(1))
    activity.take({ type: 'mapping', at: 5, state: 'stopped', queue: 'orders', function: 'worker' })
    expect(activity.invocations[0]?.end).toEqual({ at: 5, outcome: 'killed', failures: ['m-1'] })
    expect(activity.running('worker')).toBe(0)
  })
})

describe('the memory of the activity', () => {
  it('is that of the newest invocations', () => {
    const activity = newActivity(100)
    for (let number = 1; number <= 500; number += 1) {
      activity.take(begun(number))
      for (let each = 1; each <= 4; each += 1) activity.take(call(number, { call: each }))
      activity.take(ended(number))
    }
    expect(activity.invocations).toHaveLength(20)
    expect(activity.invocations.at(-1)?.number).toBe(500)
    expect(activity.running('worker')).toBe(0)
  })

  it('is bounded for one invocation that calls without end', () => {
    const activity = newActivity(100)
    activity.take(begun(1))
    for (let each = 1; each <= 5_000; each += 1) activity.take(call(1, { call: each }))
    expect(activity.invocations[0]?.calls).toHaveLength(500)
  })

  it('does not count a running invocation that it has forgotten', () => {
    const activity = newActivity(10)
    for (let number = 1; number <= 30; number += 1) activity.take(begun(number))
    expect(activity.running('worker')).toBe(activity.invocations.length)
    for (let number = 1; number <= 30; number += 1) activity.take(ended(number))
    expect(activity.running('worker')).toBe(0)
  })
})
