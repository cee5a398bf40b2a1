import {
  idempotent,
  lockTokens,
  type Metrics,
  onceForever,
  RejectedError,
  StaleError,
  TerminalError,
  UnknownOutcomeError,
  type HandlerResult,
} from 'lineclear'
import { fakeClock, memoryStore } from 'lineclear/testing'
import { describe, expect, it } from 'vitest'
import { consumerOf } from '../../deliver/consumerOf.ts'
import { quietLogger } from '../../deliver/quietLogger.ts'
import { openQueueDouble } from '../../proof/random/queueDouble.ts'
import { CALL_ENDS, RECORD_ENDS } from './catalogue.ts'

/** Adds up what is reported, whatever its dimensions, and keeps the names of these. */
function openSums() {
  const sums: Record<string, number> = {}
  const dimensions = new Set<string>()
  const metrics: Metrics = {
    addDimension: (name) => dimensions.add(name),
    addMetric: (name, _unit, value) => (sums[name] = (sums[name] ?? 0) + value),
    publishStoredMetrics() {},
  }
  const of = (name: string): number => sums[name] ?? 0
  const together = (names: readonly string[]): number =>
    names.reduce((sum, name) => sum + of(name), 0)
  return { metrics, sums, of, together, dimensions }
}

const never = new Promise<never>(() => {})
const fail = (error: Error) => (): never => {
  throw error
}

/** Each way in which a handler ends by itself, and the metric of its delivery. */
const ENDED: readonly (readonly [metric: string, work: () => HandlerResult])[] = [
  ['completed', () => {}],
  ['stale', fail(new StaleError('newer data'))],
  ['resent', fail(new Error('try again'))],
  ['deadLettered', fail(new TerminalError('never'))],
  ['rejected', fail(new RejectedError('no order'))],
  ['unknown', fail(new UnknownOutcomeError('perhaps charged'))],
]

describe('attempts of records', () => {
  it.each(ENDED)('%s: an attempt that has ended is not lost', async (metric, work) => {
    const { metrics, sums, of, together } = openSums()
    const { send, deliver } = consumerOf(work, {
      metrics,
      deadLetterQueueUrl: 'https://sqs.eu-west-1.amazonaws.com/123456789012/dead-letters',
      retry: { transport: 'resend' },
    })
    await deliver(send('{}'))
    expect(sums).toMatchObject({ received: 1, started: 1, [metric]: 1 })
    expect(together(RECORD_ENDS)).toBe(of('received'))
    expect(sums).not.toHaveProperty('lostAttempts')
  })

  it('copies and attempts that are not due are no attempts, and none is lost', async () => {
    const { metrics, sums, of, together } = openSums()
    let calls = 0
    const { sendStamped, deliver } = consumerOf(
      () => {
        if ((calls += 1) === 1) throw new Error('try again')
      },
      { metrics, retry: { transport: 'visibility' } },
    )
    const message = sendStamped('r-1')
    await deliver(message)
    await deliver(message)
    expect(sums).toMatchObject({ received: 2, started: 1, retrying: 1, deferred: 1 })
    expect(together(RECORD_ENDS)).toBe(of('received'))
    expect(sums).not.toHaveProperty('lostAttempts')
  })

  it('an attempt that is cut off is found lost by the next delivery, once', async () => {
    const { metrics, of } = openSums()
    let calls = 0
    const { clock, sendStamped, deliver } = consumerOf(() => ((calls += 1) < 3 ? never : {}), {
      metrics,
      left: 200,
    })
    const message = sendStamped('r-1')
    await deliver(message)
    expect([of('timedOut'), of('lostAttempts')]).toEqual([1, 0])
    clock.advance(60_000)
    await deliver(message)
    expect([of('timedOut'), of('lostAttempts')]).toEqual([2, 1])
    clock.advance(60_000)
    await deliver(message)
    expect([of('completed'), of('lostAttempts')]).toEqual([1, 2])
    await deliver(message)
    expect([of('duplicate'), of('lostAttempts')]).toEqual([1, 2])
  })

  it('the last attempt of a request is found lost by the delivery that dead-letters it', async () => {
    const { metrics, of } = openSums()
    const { clock, sendStamped, deliver, reasons } = consumerOf(() => never, {
      metrics,
      left: 200,
      retry: { maxAttempts: 1 },
      deadLetterQueueUrl: 'https://sqs.eu-west-1.amazonaws.com/123456789012/dead-letters',
    })
    const message = sendStamped('r-1')
    await deliver(message)
    clock.advance(60_000)
    await deliver(message)
    expect(reasons()).toEqual(['exhausted'])
    expect([of('deadLettered'), of('lostAttempts')]).toEqual([1, 1])
  })
})

describe('calls with a key', () => {
  function callsOf() {
    const clock = { ...fakeClock(), sleep: async () => {} }
    const sums = openSums()
    const shared = { logger: quietLogger(), metrics: sums.metrics, clock, name: 'pay' }
    return { clock, store: memoryStore(), shared, ...sums }
  }

  it('each call has begun or has not, and each one that has begun ends or is lost', async () => {
    const { store, shared, of, together } = callsOf()
    const options = { ...shared, store, waitForOther: 1, payload: (id: string) => id }
    const pay = idempotent({ ...options, key: (id: string) => id.slice(0, 1) }, (id: string) => {
      if (id.startsWith('t')) throw new TerminalError('no such card')
      if (id.startsWith('r')) throw new Error('busy')
      if (id.startsWith('u')) throw new UnknownOutcomeError('perhaps')
      return id
    })
    const ids = ['a', 'a', 'a2', 't', 't', 'r', 'r', 'u', 'u', '']
    await Promise.allSettled(ids.map((id) => pay(id)))
    expect(of('started')).toBe(together(CALL_ENDS))
    expect(of('lostAttempts')).toBe(0)
    const notBegun = ['replayed', 'conflict', 'missingKey', 'blocked', 'inProgress']
    expect(of('started') + together(notBegun)).toBe(ids.length)
  })

  it('a call that ended without a word is found lost by the call that takes over', async () => {
    const { clock, store, shared, sums } = callsOf()
    const locks = lockTokens({ store, ...shared })
    await locks.begin('t', 'killed', 1_000)
    clock.advance(60_000)
    const lock = await locks.begin('t', 'next', 1_000)
    if (lock.existing === undefined) await lock.release()
    await locks.begin('t', 'after a release', 1_000)
    expect(sums).toEqual({ started: 3, lostAttempts: 1, released: 1 })
  })
})

const NO_ANSWER = { kind: 'failed', error: new Error('no answer') }

describe('onceForever', () => {
  const QUEUE = 'https://sqs.eu-west-1.amazonaws.com/123456789012/events'

  it('counts each call by its outcome, under its name', async () => {
    const { metrics, sums, dimensions } = openSums()
    const queues = openQueueDouble(() => 0)
    let refuses = false
    const send: typeof queues.client.send = (command: never) =>
      refuses ? Promise.reject(new Error('down')) : queues.client.send(command)
    const events = onceForever({
      store: memoryStore(),
      name: 'events',
      metrics,
      logger: quietLogger(),
      clients: { sqs: { send } as never },
    })
    await events.acquire('a')
    await events.acquire('a')
    refuses = true
    await expect(events.thenEnqueue('b', 1, { queueUrl: QUEUE })).rejects.toThrow(/down/)
    refuses = false
    await events.thenEnqueue('b', 1, { queueUrl: QUEUE })
    await events.thenEnqueue('b', 1, { queueUrl: QUEUE })
    await events.thenEnqueue('c', 1, { queueUrl: QUEUE })
    await expect(events.thenEnqueue('c', 2, { queueUrl: QUEUE })).rejects.toThrow(/different/)
    expect([...dimensions]).toEqual(['name'])
    expect(sums).toEqual({
      acquired: 1,
      duplicate: 2,
      notQueued: 1,
      queuedAgain: 1,
      queued: 1,
      conflict: 1,
    })
  })

  it('a store that does not answer is counted, and metrics that throw change nothing', async () => {
    const { metrics, sums } = openSums()
    const down = { ...memoryStore(), create: async () => [NO_ANSWER] }
    const options = { name: 'events', logger: quietLogger() }
    const events = onceForever({ store: down as never, ...options, metrics })
    await expect(events.acquire('a')).rejects.toThrow(/no answer/)
    await expect(events.thenEnqueue('a', 1, { queueUrl: QUEUE })).rejects.toThrow(/no answer/)
    expect(sums).toEqual({ unavailable: 2 })
    const publishStoredMetrics = fail(new Error('no metrics today'))
    const broken = { ...metrics, publishStoredMetrics }
    expect(
      await onceForever({ store: memoryStore(), ...options, metrics: broken }).acquire('a'),
    ).toBe(true)
  })
})
