import { TerminalError } from 'lineclear'
import type { LocalCloud } from 'lineclear/local'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { notIn } from '../proof/hostile/mode.ts'
import { deliver, flowHarness, emptyAll, receive, sendCopy, startFlowCloud } from './flowHarness.ts'
import { tripOn } from './trip.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startFlowCloud()
})
afterEach(() => emptyAll(cloud))
afterAll(() => cloud.stop())

const calm = notIn(
  ['twice', 'atOnce', 'lost', 'dying', 'ten', 'killed', 'clocks'],
  'it counts deliveries one by one',
)
const CONFLICT = { kind: 'deadLettered', reason: 'conflict' }

function tripOf(process: 'newest' | 'every') {
  const harness = flowHarness(cloud)
  const trip = tripOn(cloud, harness, { process })
  const ran: unknown[] = []
  const now = { broken: false }
  const book = trip.stageHandler('book', ({ n }) => {
    ran.push(n)
    if (now.broken) throw new TerminalError('broken')
  })
  let at = harness.clock.now() - 10_000
  const sentAt = new Map<string, number>()
  const begin = async (uniqueRequestId: string, n: number): Promise<void> => {
    sentAt.set(uniqueRequestId, sentAt.get(uniqueRequestId) ?? (at += 1))
    const time = sentAt.get(uniqueRequestId) ?? at
    await trip.start({ key: 'k', n }, { uniqueRequestId, sentAt: time })
    await deliver(cloud, 'book', book)
  }
  return { harness, trip, ran, now, book, begin }
}

describe.each(['newest', 'every'] as const)(
  'another payload under one id (process %s)',
  (process) => {
    it(
      'is dead-lettered once the request has ended; the same one is a duplicate',
      calm,
      async () => {
        const { harness, ran, begin } = tripOf(process)
        await begin('r1', 1)
        await begin('r1', 1)
        expect(harness.settled.at(-1)).toEqual({ kind: 'duplicate' })
        await begin('r1', 2)
        expect(harness.settled.at(-1)).toEqual(CONFLICT)
        expect(ran).toEqual([1])
      },
    )

    it('is dead-lettered while the request runs, and does not end its run', calm, async () => {
      const { harness, trip, begin, book } = tripOf(process)
      const waiting = trip.stageHandler('book', (_booking, ctx) =>
        ctx.next('ship', { key: ctx.key }),
      )
      const sentAt = harness.clock.now() - 10_000
      await trip.start({ key: 'k', n: 1 }, { uniqueRequestId: 'r1', sentAt })
      await deliver(cloud, 'book', waiting)
      await begin('r1', 2)
      expect(harness.settled.at(-1)).toEqual(CONFLICT)
      expect(harness.record()).toMatchObject({ uniquerequestid: 'r1' })
      await trip.start({ key: 'k', n: 1 }, { uniqueRequestId: 'r1', sentAt })
      await deliver(cloud, 'book', book)
      expect(harness.settled.at(-1)).toEqual({ kind: 'duplicate' })
    })

    it(
      'does not reopen a dead request; a redrive of its own dead letter still does',
      calm,
      async () => {
        const { harness, ran, now, book, begin } = tripOf(process)
        now.broken = true
        await begin('r1', 1)
        const [deadLetter] = await receive(cloud, 'dead')
        if (deadLetter === undefined) throw new Error('no dead letter')
        now.broken = false
        await emptyAll(cloud)
        await sendCopy(cloud, 'book', { ...deadLetter, body: '{"key":"k","n":2}' })
        await deliver(cloud, 'book', book)
        expect(harness.settled.at(-1)).toEqual(CONFLICT)
        await emptyAll(cloud)
        await sendCopy(cloud, 'book', deadLetter)
        await deliver(cloud, 'book', book)
        expect(harness.settled.at(-1)).toEqual({ kind: 'completed' })
        expect(ran).toEqual([1, 1])
      },
    )
  },
)

describe('a request of an every flow that the record has forgotten', () => {
  it.each([1, 7, 8, 9, 20])('is recognised by its payload after %i more', calm, async (more) => {
    const { harness, ran, begin } = tripOf('every')
    await begin('r0', 0)
    for (let n = 1; n <= more; n++) await begin(`r${n}`, n)
    await begin('r0', 0)
    expect(harness.settled.at(-1)).toEqual({ kind: 'duplicate' })
    await begin('r0', 99)
    expect(harness.settled.at(-1)).toEqual(CONFLICT)
    expect(ran).toHaveLength(more + 1)
  })
})

describe('a copy of a running request, whose id(payload) was changed', () => {
  const renamed = {
    id: ({ n = 0 }: { readonly n?: number | undefined }) => `n${n}`,
    sentAt: () => 1,
  }

  function deployments() {
    const harness = flowHarness(cloud)
    const options = { ...harness.options, retry: { delay: () => 0 } }
    const good = tripOn(cloud, { ...harness, options }, {})
    const bad = tripOn(cloud, { ...harness, options }, renamed)
    const ran: unknown[] = []
    const book = good.stageHandler('book', ({ n }) => {
      ran.push(n)
      if (ran.length === 1) throw new Error('not now')
    })
    return {
      harness,
      good,
      ran,
      book,
      renamed: bad.stageHandler('book', ({ n }) => void ran.push(n)),
    }
  }

  it(
    'ends its run, and a redrive of its dead letter reopens it once the id is set back',
    calm,
    async () => {
      const { harness, good, ran, book, renamed: bad } = deployments()
      await good.start({ key: 'k', n: 1 }, { uniqueRequestId: 'r1' })
      await deliver(cloud, 'book', book)
      expect(harness.settled.at(-1)?.kind).toBe('resent')
      await deliver(cloud, 'book', bad)
      expect(harness.settled.at(-1)).toEqual(CONFLICT)
      expect(harness.record()).not.toHaveProperty('uniquerequestid')
      const [deadLetter] = await receive(cloud, 'dead')
      if (deadLetter === undefined) throw new Error('no dead letter')
      for (const [stage, end] of [
        [bad, CONFLICT],
        [book, { kind: 'completed' }],
        [book, { kind: 'duplicate' }],
      ] as const) {
        await emptyAll(cloud)
        await sendCopy(cloud, 'book', deadLetter)
        await deliver(cloud, 'book', stage)
        expect(harness.settled.at(-1)).toEqual(end)
      }
      expect(ran).toEqual([1, 1])
    },
  )

  it.each([
    ['another payload', '{"key":"k","n":2}', ''],
    ['another request', '{"key":"k","n":1}', 'r2'],
  ])('ends no run of %s', calm, async (_whose, body, id) => {
    const { harness, good, book, renamed: bad } = deployments()
    await good.start({ key: 'k', n: 1 }, { uniqueRequestId: 'r1' })
    await deliver(cloud, 'book', book)
    const [copy] = await receive(cloud, 'book')
    if (copy === undefined) throw new Error('no copy')
    await emptyAll(cloud)
    const { uniquerequestid: own, ...attributes } = copy.messageAttributes
    const stamp = { dataType: 'String', stringValue: id || own?.stringValue }
    await sendCopy(cloud, 'book', {
      body,
      messageAttributes: { ...attributes, uniquerequestid: stamp },
    })
    await deliver(cloud, 'book', bad)
    expect(harness.settled.at(-1)).toEqual(CONFLICT)
    expect(harness.record()).toHaveProperty('uniquerequestid', 'r1')
  })
})

describe('a message of a later stage', () => {
  /** A run whose stage `ship` has failed once, or died, and the message that it has left. */
  async function shipping(maxAttempts: number) {
    const harness = flowHarness(cloud)
    const trip = tripOn(cloud, harness, { retry: { maxAttempts } })
    const now = { broken: true }
    const ran: unknown[] = []
    const book = trip.stageHandler('book', (_booking, ctx) => ctx.next('ship', { key: ctx.key }))
    const ship = trip.stageHandler('ship', ({ key }) => {
      if (now.broken) throw new Error('not yet')
      ran.push(key)
    })
    await trip.start({ key: 'k' }, { uniqueRequestId: 'r1' })
    await deliver(cloud, 'book', book)
    await deliver(cloud, 'ship', ship)
    const [left] = await receive(cloud, maxAttempts === 1 ? 'dead' : 'ship')
    if (left === undefined) throw new Error('no message is left')
    await emptyAll(cloud)
    const end = async (body: string): Promise<unknown> => {
      await sendCopy(cloud, 'ship', { ...left, body })
      await deliver(cloud, 'ship', ship)
      return harness.settled.at(-1)
    }
    return { harness, now, ran, own: left.body, end }
  }

  it.each([
    ['cannot be read', 'no JSON'],
    ['is another one', '{"key":"other"}'],
  ])('whose payload %s neither ends the run nor takes its place', calm, async (_what, body) => {
    const { harness, now, ran, own, end } = await shipping(3)
    expect(await end(body)).toEqual(CONFLICT)
    expect(harness.record()).toHaveProperty('uniquerequestid', 'r1')
    now.broken = false
    expect(await end(own)).toEqual({ kind: 'completed' })
    expect(ran).toEqual(['k'])
    expect(Object.keys(harness.record() ?? {})).not.toContain('payload:ship')
  })

  it(
    'that carries the death of its stage revives it with the same payload alone',
    calm,
    async () => {
      const { now, ran, own, end } = await shipping(1)
      now.broken = false
      for (const body of ['{"key":"other"}', 'no JSON']) expect(await end(body)).toEqual(CONFLICT)
      expect(await end(own)).toEqual({ kind: 'completed' })
      expect(await end(own)).toEqual({ kind: 'duplicate' })
      expect(ran).toEqual(['k'])
    },
  )
})
