import { lockTokens } from 'lineclear'
import type { LocalCloud } from 'lineclear/local'
import { applyPlan, reopenToken, resolveToken } from 'lineclear/operator'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { awsMessenger } from '../../../src/queue/awsMessenger.ts'
import { counting } from '../../flow/trip.ts'
import { deliver, emptyAll, hand, receive, send, sendAgain } from '../../flow/office.ts'
import { countOf } from './counts.ts'
import { consumerOn, operatorDesk, startCloud } from './desk.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startCloud()
})
afterEach(() => emptyAll(cloud))
afterAll(() => cloud.stop())

const MINUTE = 60_000

describe('a request parked as unknown', () => {
  const parked = async () => {
    const desk = await operatorDesk(cloud)
    const seat = desk.tableName
    const calls: string[] = []
    const handler = consumerOn(desk, async (_payload, ctx) => {
      await ctx.applyOnce('seat', counting(seat))
      const receipt = await ctx.once(
        'charge',
        () => {
          calls.push('charge')
          if (calls.length === 1) throw new Error('socket hang up')
          return 'paid'
        },
        { effect: 'once' },
      )
      await ctx.applyOnce(`receipt ${receipt}`, counting(`${seat} ${receipt}`))
    })
    await send(cloud, 'book', { n: 1 })
    const [record] = await receive(cloud, 'book')
    if (record === undefined) throw new Error('nothing came')
    await hand(cloud, 'book', [record], handler)
    const [letter] = await receive(cloud, 'dead')
    if (letter === undefined) throw new Error('no dead letter')
    const id = `orders/${record.messageId}`
    return { desk, handler, record, letter, id, calls, seat }
  }

  it('is found by ls, and explained', async () => {
    const { desk, id } = await parked()
    const { code, out } = await desk.cli('ls', '--status', 'unknown')
    expect(code).toBe(0)
    expect(out).toContain(id)
    expect(out).toContain('1 in all')
    const explained = await desk.cli('explain', id)
    expect(explained.code).toBe(0)
    expect(explained.out).toContain('nobody knows whether it was done')
    expect(explained.out).toContain("call 'charge': begun, in doubt")
    expect(explained.out).toContain('a copy that comes now: dropped')
    expect(explained.out).toContain(`lineclear tokens reopen ${id} --answer charge=JSON`)
  })

  it('resolved as done it never runs again; the second time there is nothing to do', async () => {
    const { desk, id, handler, letter, calls } = await parked()
    const plan = await desk.cli('tokens', 'resolve', id)
    expect(plan.code).toBe(0)
    expect(plan.out).toContain(`tokens resolve ${id} --apply`)
    expect((await desk.cli('ls', '--json')).out).toContain('"status": "unknown"')
    const applied = await desk.cli('tokens', 'resolve', id, '--apply', '--why', 'the bank says so')
    expect(applied).toMatchObject({ code: 0, err: '' })
    expect(await desk.item(`lock#${id}`, 'token')).toMatchObject({
      operatorDid: 'tokens resolve',
      operatorBy: 'ann',
      operatorAt: new Date(desk.clock.now()).toISOString(),
      operatorWhy: 'the bank says so',
    })
    const again = await desk.cli('tokens', 'resolve', id, '--apply')
    expect(again).toMatchObject({ code: 0 })
    expect(again.out).toContain('Nothing to do')
    expect((await desk.cli('ls')).out).toContain('Nothing')
    await sendAgain(cloud, 'book', letter)
    expect(await deliver(cloud, 'book', handler)).toEqual({ came: 1, kept: 0 })
    expect(calls).toEqual(['charge'])
    expect((await desk.cli('explain', id)).out).toContain('the bank says so')
  })

  it('released it runs with the message sent again, and the effect made before is not repeated', async () => {
    const { desk, id, handler, letter, calls, seat } = await parked()
    expect((await desk.cli('tokens', 'release', id, '--apply')).code).toBe(0)
    expect((await desk.cli('tokens', 'release', id, '--apply')).out).toContain('free already')
    await sendAgain(cloud, 'book', letter)
    expect(await deliver(cloud, 'book', handler)).toEqual({ came: 1, kept: 0 })
    expect(calls).toEqual(['charge', 'charge'])
    expect(await countOf(cloud, seat)).toBe(1)
    expect(await countOf(cloud, `${seat} paid`)).toBe(1)
  })

  it('reopened with the answer of the call in doubt, the rest is done and the call is not repeated', async () => {
    const { desk, id, handler, letter, calls, seat } = await parked()
    const args = ['tokens', 'reopen', id, '--answer', 'charge="by hand"', '--apply']
    expect((await desk.cli(...args)).code).toBe(0)
    expect((await desk.cli('tokens', 'reopen', id, '--apply')).out).toContain('Nothing to do')
    await sendAgain(cloud, 'book', letter)
    expect(await deliver(cloud, 'book', handler)).toEqual({ came: 1, kept: 0 })
    expect(calls).toEqual(['charge'])
    expect(await countOf(cloud, seat)).toBe(1)
    expect(await countOf(cloud, `${seat} by hand`)).toBe(1)
    expect((await desk.cli('ls')).out).toContain('Nothing')
  })

  it('reopened without an answer it says that the call stays in doubt', async () => {
    const { desk, id } = await parked()
    expect((await desk.cli('tokens', 'reopen', id)).out).toContain('stays in doubt')
    const wrong = await desk.cli('tokens', 'reopen', id, '--not-done', 'refund', '--apply')
    expect(wrong.code).toBe(1)
    expect(wrong.out).toContain('in doubt: charge')
  })

  it('is not changed by a plan that was made before it changed', async () => {
    const { desk, id } = await parked()
    const lookup = { store: desk.store, now: desk.clock.now() }
    const old = await resolveToken(lookup, id, { as: 'done' })
    const operator = {
      by: 'ann',
      why: 'test',
      force: true,
      now: desk.clock.now(),
      messenger: awsMessenger({ sqs: cloud.sqs }),
    }
    const newer = await reopenToken(lookup, id)
    if (old.kind !== 'change' || newer.kind !== 'change') throw new Error('two plans')
    expect(await applyPlan(desk.store, newer, operator)).toEqual({ kind: 'applied' })
    const before = await desk.item(`lock#${id}`, 'token')
    expect(await applyPlan(desk.store, old, { ...operator, by: 'bob' })).toEqual({
      kind: 'refused',
      because: 'outdated',
    })
    expect(await desk.item(`lock#${id}`, 'token')).toEqual(before)
  })
})

describe('a request whose attempt hangs', () => {
  const hanging = async () => {
    const desk = await operatorDesk(cloud)
    const going = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    let attempts = 0
    const handler = consumerOn(desk, async (_payload, ctx) => {
      attempts += 1
      const mine = attempts
      begun.resolve()
      if (mine === 1) await going.promise
      await ctx.applyOnce('count', counting(desk.tableName))
    })
    await send(cloud, 'book', { n: 1 })
    const [record] = await receive(cloud, 'book')
    if (record === undefined) throw new Error('nothing came')
    const late = hand(cloud, 'book', [record], handler, 10 * MINUTE)
    await begun.promise
    return { desk, handler, record, late, going, id: `orders/${record.messageId}` }
  }

  it('is not taken from it without --force; with it the late attempt can write nothing', async () => {
    const { desk, handler, record, late, going, id } = await hanging()
    const refused = await desk.cli('tokens', 'release', id, '--apply')
    expect(refused.code).toBe(1)
    expect(refused.out).toContain('--force')
    expect(await desk.item(`lock#${id}`, 'token')).not.toHaveProperty('operatorDid')
    expect((await desk.cli('tokens', 'release', id, '--apply', '--force')).code).toBe(0)
    going.resolve()
    expect(await late).toEqual({ kept: 1 })
    expect(await countOf(cloud, desk.tableName)).toBe(0)
    await hand(cloud, 'book', [record], handler)
    expect(await countOf(cloud, desk.tableName)).toBe(1)
  })

  it('is shown as lost when its lease is over, and can be resolved', async () => {
    const { desk, late, going, id } = await hanging()
    desk.clock.advance(11 * MINUTE)
    expect((await desk.cli('explain', id)).out).toContain('its attempt was lost')
    expect((await desk.cli('tokens', 'resolve', id, '--apply')).code).toBe(0)
    going.resolve()
    expect(await late).toEqual({ kept: 1 })
    expect(await countOf(cloud, desk.tableName)).toBe(0)
  })
})

describe('a key', () => {
  const parkedKey = async (error: string) => {
    const desk = await operatorDesk(cloud)
    const locks = lockTokens(desk.store, { scope: 'refunds', ...desk.options })
    const lock = await locks.begin('p1', 'here', 1_000)
    if (lock.existing !== undefined) throw new Error('taken')
    await lock.endWithError(error)
    return { desk, locks, lock }
  }

  it('that is resolved with a result gives it to later callers', async () => {
    const { desk, locks } = await parkedKey('who knows')
    const args = ['tokens', 'resolve', 'refunds/p1', '--result', '{"cents":5}', '--apply']
    expect((await desk.cli(...args)).code).toBe(0)
    const { existing } = await locks.begin('p1', 'here', 1_000)
    expect(existing).toMatchObject({ status: 'complete', result: { cents: 5 } })
  })

  it.each([
    ['forever', 'for ever'],
    ['1d', '1.0'],
  ] as const)(
    'that is resolved is remembered as its own retention says: %s',
    async (retention, kept) => {
      const desk = await operatorDesk(cloud)
      const locks = lockTokens(desk.store, { scope: 'refunds', retention, ...desk.options })
      const lock = await locks.begin('p1', 'here', 1_000)
      if (lock.existing !== undefined) throw new Error('taken')
      await lock.endWithError('who knows')
      expect((await desk.cli('tokens', 'resolve', 'refunds/p1', '--apply')).code).toBe(0)
      const item = await desk.item('key#refunds/p1', 'token')
      const left =
        item?.['ttl'] === undefined ? undefined : Number(item['ttl']) - Date.now() / 1_000
      // Tenths of a day: the clocks of the hostile runs differ by minutes.
      expect(left === undefined ? 'for ever' : (left / 86_400).toFixed(1)).toBe(kept)
    },
  )

  it('that shares its id with a request is asked for by its full name', async () => {
    const { desk, locks } = await parkedKey('who knows')
    await desk.store.create([
      { pk: 'lock#refunds/p1', sk: 'token', status: 'error', attemptId: 'a', attempt: 1, fence: 1 },
    ])
    const unclear = await desk.cli('tokens', 'resolve', 'refunds/p1', '--apply')
    expect([unclear.code, unclear.out]).toEqual([1, expect.stringContaining('key#refunds/p1')])
    expect((await desk.cli('tokens', 'resolve', 'key#refunds/p1', '--apply')).code).toBe(0)
    expect((await locks.begin('p1', 'here', 1_000)).existing?.status).toBe('complete')
    expect(await desk.item('lock#refunds/p1', 'token')).toMatchObject({ status: 'error' })
  })

  it('that is resolved as failed gives its error to later callers', async () => {
    const { desk, locks } = await parkedKey('who knows')
    await desk.cli('tokens', 'resolve', 'refunds/p1', '--error', 'card refused', '--apply')
    const { existing } = await locks.begin('p1', 'here', 1_000)
    expect(existing).toMatchObject({ status: 'complete', error: 'card refused' })
  })

  it('that is released is free, with a higher fence', async () => {
    const { desk, locks, lock } = await parkedKey('who knows')
    expect((await desk.cli('tokens', 'release', 'refunds/p1', '--apply')).code).toBe(0)
    const next = await locks.begin('p1', 'there', 1_000)
    if (next.existing !== undefined) throw new Error('not free')
    expect(next.fence).toBeGreaterThan(lock.fence + 1)
    expect(await next.endWithSuccess(1)).toEqual({ kind: 'marked' })
    const done = await desk.cli('tokens', 'release', 'refunds/p1', '--apply')
    expect(done.code).toBe(1)
    expect(done.out).toContain('done twice')
  })

  it('that was released under a live holder is not ended by it', async () => {
    const desk = await operatorDesk(cloud)
    const locks = lockTokens(desk.store, { scope: 'refunds', ...desk.options })
    const lock = await locks.begin('p1', 'here', 60_000)
    if (lock.existing !== undefined) throw new Error('taken')
    await desk.cli('tokens', 'release', 'refunds/p1', '--apply', '--force')
    expect(await lock.endWithSuccess('late')).toEqual({ kind: 'taken over' })
    const next = await locks.begin('p1', 'there', 1_000)
    expect(next.existing).toBeUndefined()
  })
})

it('what is not there ends with 4', async () => {
  const desk = await operatorDesk(cloud)
  for (const verb of ['resolve', 'release', 'reopen']) {
    expect(await desk.cli('tokens', verb, 'orders/none', '--apply')).toMatchObject({ code: 4 })
  }
})
