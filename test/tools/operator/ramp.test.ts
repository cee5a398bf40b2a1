import { documented } from '../../proof/formats/page.ts'
import { describe, expect, it } from 'vitest'
import { tokenKey } from '../../../src/library/protocol/claim/token/token.ts'
import { type DeadLetter, readDeadLetter } from '../../../src/tools/operator/dlq/deadLetter.ts'
import { fateKeys, fateOf, NOT_WATCHED, watchSent } from '../../../src/tools/operator/dlq/watch.ts'
import { rampUpTo } from '../../../src/tools/operator/dlq/ramp.ts'
import { memoryStore } from '../../../src/testing/index.ts'
import { testTime } from '../../flow/flowHarness.ts'
import { sqsRecord } from './deadLetterRecord.ts'

describe('a ramp', () => {
  it.each([
    [50, [1, 2, 5, 10, 20, 50]],
    [100, [1, 2, 5, 10, 20, 50, 100]],
    [7, [1, 2, 5, 7]],
    [1, [1]],
  ])('up to %i', (rate, rates) => {
    const ramp = rampUpTo(rate)
    const seen = [ramp.rate()]
    for (let sent = 0; sent < 500; sent++) if (ramp.sent(1)) seen.push(ramp.rate())
    expect(seen).toEqual(rates)
    expect(ramp.left()).toBe(Infinity)
  })

  it('none: the full rate at once', () => {
    const ramp = rampUpTo(50, [])
    expect([ramp.rate(), ramp.left(), ramp.sent(1_000)]).toEqual([50, Infinity, false])
  })
})

const deadLetter = readDeadLetter(sqsRecord({ consumer: 'orders', reason: 'exhausted' }), 0)
const token = (more: object) => ({
  pk: 'lock#orders/r1',
  sk: 'token',
  attemptId: 'a',
  attempt: 1,
  fence: 3,
  ...more,
})

describe('what became of a single record', () => {
  it.each([
    ['open', 'not delivered yet', { status: 'error', death: 1 }],
    ['open', 'its first attempt runs', { status: 'inProgress', death: 1, leaseUntil: 9 }],
    ['open', 'freed by an operator', { status: 'inProgress', attempt: 0, leaseUntil: 0 }],
    ['failed', 'a retry waits', { status: 'inProgress', death: 1, leaseUntil: 0 }],
    ['failed', 'its second attempt runs', { status: 'inProgress', attempt: 2, leaseUntil: 9 }],
    ['failed', 'dead again', { status: 'error', death: 2 }],
    ['failed', 'dying again', { status: 'dying', death: 2, leaseUntil: 9 }],
    ['failed', 'parked again', { status: 'unknown', death: 2 }],
    ['done', 'complete', { death: 1 }],
  ])('%s: %s', (fate, _, more) => {
    expect(fateKeys(deadLetter)).toEqual([tokenKey('orders', 'r1')])
    expect(fateOf(deadLetter, [token(more)])).toBe(fate)
  })

  it('open: the table does not know it', () => {
    expect(fateOf(deadLetter, [undefined])).toBe('open')
  })
})

describe('what became of a stage', () => {
  const flow = { name: 'trip', key: 'k', id: 'r1', epoch: 1, sentAt: 1, from: 'book' }
  const ofStage = readDeadLetter(sqsRecord({ consumer: 'trip.ship', flow } as never), 1)
  const run = (ship: string | undefined, id = 'r1') => ({
    pk: 'flow#trip/k',
    sk: 'stage',
    epoch: 2,
    fence: 4,
    uniquerequestid: id,
    giveUpAt: 9,
    ...(ship !== undefined && { 'stage:ship': ship }),
  })
  const dead = (more: object) => ({
    pk: 'flow#trip/k',
    sk: 'dead#r1',
    uniquerequestid: 'r1',
    epoch: 1,
    fence: 3,
    'stage:ship': 'dead 1 exhausted',
    ...more,
  })
  it.each([
    ['open', run('open 1 a 9 0'), undefined],
    ['failed', run('open 2 a 9 0'), undefined],
    ['failed', run('retry 1 a 9 1 sent'), undefined],
    ['open', run('retry 0 a 9 1 sent'), undefined],
    ['failed', run('dying 1 a 9 exhausted'), undefined],
    ['done', run('settled ends'), undefined],
    ['open', run('dead 1 exhausted'), undefined],
    ['failed', run('dead 2 exhausted'), undefined],
    ['open', undefined, dead({})],
    ['failed', undefined, dead({ 'stage:ship': 'dead 2 exhausted' })],
    ['done', undefined, dead({ ttl: 1 })],
    ['done', run('open 1 a 9 0', 'r2'), dead({ ttl: 1 })],
    ['open', undefined, undefined],
  ])('%s: %j %j', (fate, item, kept) => {
    expect(fateKeys(ofStage)).toEqual([
      { pk: 'flow#trip/k', sk: 'stage' },
      { pk: 'flow#trip/k', sk: 'dead#r1' },
    ])
    expect(fateOf(ofStage, [item, kept])).toBe(fate)
  })
})

describe('the watch', () => {
  const open = (stopAfter: number) => {
    const store = documented(memoryStore())
    const clock = testTime()
    const queue: DeadLetter[] = []
    const source = { now: 100, lookAhead: async () => queue.splice(0) }
    return {
      store,
      queue,
      watch: watchSent({ store, stopAfter }, { source, clock, signal: undefined }),
    }
  }

  it('counts the first 100, and is failing at the number that was given', async () => {
    const { store, watch } = open(1)
    watch.sent(Array.from({ length: 150 }, (_, n) => ({ ...deadLetter, uniqueRequestId: `r${n}` })))
    await watch.look()
    expect(watch.counts()).toEqual({ ...NOT_WATCHED, open: 100 })
    await store.create([
      { ...token({ status: 'error', death: 2 }), pk: 'lock#orders/r7' },
      { ...token({}), pk: 'lock#orders/r8' },
    ])
    await watch.wait()
    expect(watch.counts()).toEqual({ ...NOT_WATCHED, done: 1, failed: 1, open: 98 })
    expect(watch.isFailing()).toBe(true)
  })

  it('sees that one is refused again, which reaches no record, on the queue alone', async () => {
    const { queue, watch } = open(1)
    watch.sent([deadLetter, { ...deadLetter, uniqueRequestId: 'r2' }])
    queue.push({ ...deadLetter, sentAt: 100 })
    await watch.wait()
    expect(watch.counts()).toMatchObject({ failed: 1, open: 1 })
    expect(watch.isFailing()).toBe(true)
  })

  it('one that was over before has not completed; it may be refused as a conflict', async () => {
    const { store, queue, watch } = open(5)
    await store.create([token({}), { ...token({}), pk: 'lock#orders/r2' }])
    const both = [deadLetter, { ...deadLetter, uniqueRequestId: 'r2' }]
    await watch.beforeSend(both)
    watch.sent(both)
    queue.push({ ...deadLetter, sentAt: 100 })
    await watch.finish()
    expect(watch.counts()).toMatchObject({ done: 0, over: 1, failed: 1 })
  })

  it('one that comes back to the dead-letter queue has failed, and one that was there before has not', () => {
    const { watch } = open(2)
    const moved = readDeadLetter(sqsRecord({ movedFrom: 'arn:aws:sqs:eu-west-1:1:orders' }), 0)
    watch.sent([moved, { ...moved, uniqueRequestId: 'r2' }])
    expect(watch.counts()).toMatchObject({ unknown: 2 })
    watch.received([
      { ...moved, sentAt: 99 },
      { ...moved, uniqueRequestId: 'r2', sentAt: 100 },
    ])
    expect(watch.counts()).toMatchObject({ unknown: 1, failed: 1 })
    expect(watch.isFailing()).toBe(false)
  })
})
