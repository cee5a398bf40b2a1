import { lockTokens } from 'lineclear'
import type { LocalCloud } from 'lineclear/local'
import { applyPlan } from '../../../src/tools/operator/plan/applyPlan.ts'
import { NO_READER } from '../operator/noReader.ts'
import { planDecision } from '../../../src/tools/operator/plan/planDecision.ts'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { awsMessenger } from '../../../src/library/adapters/send/awsMessenger.ts'
import { counting } from '../../flow/trip.ts'
import { deliver, emptyAll, hand, receive, send, sendCopy } from '../../flow/flowHarness.ts'
import { countOf } from './counts.ts'
import { consumerOn, operatorHarness, startCloud } from './operatorHarness.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startCloud()
})
afterEach(() => emptyAll(cloud))
afterAll(() => cloud.stop())

const MINUTE = 60_000

describe('a request with an unknown outcome', () => {
  const unknownRequest = async () => {
    const harness = await operatorHarness(cloud)
    const seat = harness.tableName
    const calls: string[] = []
    const handler = consumerOn(harness, async (_payload, ctx) => {
      await ctx.write('seat', counting(seat))
      const receipt = await ctx.call(
        'charge',
        () => {
          calls.push('charge')
          if (calls.length === 1) throw new Error('socket hang up')
          return 'paid'
        },
        { ifUnknown: 'stop' },
      )
      await ctx.write(`receipt ${receipt}`, counting(`${seat} ${receipt}`))
    })
    await send(cloud, 'book', { n: 1 })
    const [record] = await receive(cloud, 'book')
    if (record === undefined) throw new Error('nothing came')
    await hand(cloud, 'book', [record], handler)
    const [deadLetter] = await receive(cloud, 'dead')
    if (deadLetter === undefined) throw new Error('no dead letter')
    const id = `orders/${record.messageId}`
    return { harness, handler, record, deadLetter, id, calls, seat }
  }

  it('is found by ls, and explained', async () => {
    const { harness, id, record } = await unknownRequest()
    const { code, out } = await harness.cli('ls', '--status', 'unknown')
    expect(code).toBe(0)
    expect(out).toContain(id)
    expect(out).toContain('1 in total')
    const explained = await harness.cli('explain', id)
    expect(explained.code).toBe(0)
    expect(explained.out).toContain('its outcome is unknown')
    expect(explained.out).toContain("call 'charge': begun, outcome unknown")
    expect(explained.out).toContain('if delivered now: dropped')
    expect(explained.out).toContain(`lineclear decide ${id} again --made charge=JSON`)
    expect(explained.out).toContain(`lineclear dlq redrive dead --id ${record.messageId}`)
  })

  it('resolved as done it never runs again; the second time there is nothing to do', async () => {
    const { harness, id, handler, deadLetter, calls } = await unknownRequest()
    const plan = await harness.cli('decide', id, 'done')
    expect(plan.code).toBe(0)
    expect(plan.out).toContain(`decide ${id} done --apply`)
    expect((await harness.cli('ls', '--json')).out).toContain('"status": "unknown"')
    const applied = await harness.apply('decide', id, 'done', '--why', 'the bank says so')
    expect(applied).toMatchObject({ code: 0, err: '' })
    expect(await harness.item(`lock#${id}`, 'token')).toMatchObject({
      operatorDid: 'decide done',
      operatorBy: 'ann',
      operatorAt: new Date(harness.clock.now()).toISOString(),
      operatorWhy: 'the bank says so',
    })
    const [, request = ''] = id.split('/')
    const explained = await harness.cli('explain', id)
    expect(explained.out).toContain(
      `if its dead letter is still on its queue: lineclear dlq discard dead --id ${request}`,
    )
    const again = await harness.apply('decide', id, 'done')
    expect(again).toMatchObject({ code: 0 })
    expect(again.out).toContain('Nothing to do')
    expect((await harness.cli('ls')).out).toContain('Nothing')
    await sendCopy(cloud, 'book', deadLetter)
    expect(await deliver(cloud, 'book', handler)).toEqual({ came: 1, kept: 0 })
    expect(calls).toEqual(['charge'])
    expect((await harness.cli('explain', id)).out).toContain('the bank says so')
  })

  it('released it runs with the message sent again, and the effect made before is not repeated', async () => {
    const { harness, id, handler, deadLetter, calls, seat } = await unknownRequest()
    const unsaid = await harness.apply('decide', id, 'free')
    expect(unsaid).toMatchObject({ code: 1 })
    expect(unsaid.out).toContain("the outcome of the call 'charge' is not known")
    expect(unsaid.out).toContain('--not-done charge')
    const release = ['decide', id, 'free', '--not-done', 'charge'] as const
    expect((await harness.apply(...release)).code).toBe(0)
    expect((await harness.apply('decide', id, 'free')).out).toContain('free already')
    await sendCopy(cloud, 'book', deadLetter)
    expect(await deliver(cloud, 'book', handler)).toEqual({ came: 1, kept: 0 })
    expect(calls).toEqual(['charge', 'charge'])
    expect(await countOf(cloud, seat)).toBe(1)
    expect(await countOf(cloud, `${seat} paid`)).toBe(1)
  })

  it('reopened with the result of the unknown call, the rest runs and the call is not repeated', async () => {
    const { harness, id, handler, record, deadLetter, calls, seat } = await unknownRequest()
    const args = ['decide', id, 'again', '--made', 'charge="by hand"']
    expect((await harness.apply(...args)).code).toBe(0)
    expect((await harness.apply('decide', id, 'again')).out).toContain('Nothing to do')
    const redrive = `lineclear dlq redrive dead --id ${record.messageId}`
    expect((await harness.cli('explain', id)).out).toContain(
      `next: it may run again, and waits for its message. Redrive its dead letter: ${redrive}`,
    )
    await sendCopy(cloud, 'book', deadLetter)
    expect(await deliver(cloud, 'book', handler)).toEqual({ came: 1, kept: 0 })
    expect(calls).toEqual(['charge'])
    expect(await countOf(cloud, seat)).toBe(1)
    expect(await countOf(cloud, `${seat} by hand`)).toBe(1)
    expect((await harness.cli('ls')).out).toContain('Nothing')
  })

  it('reopened it is redriven: status says so while its dead letter is on its queue, and of the table alone', async () => {
    const { harness, id, deadLetter } = await unknownRequest()
    await harness.apply('decide', id, 'again', '--not-done', 'charge')
    harness.clock.advance(3 * MINUTE)
    const gone = await harness.cli('status', '--no-queues')
    expect(gone.out).toContain('an operator lets it run again: its dead letter has to be redriven')
    await sendCopy(cloud, 'dead', deadLetter)
    const { out } = await harness.cli('status')
    expect(out).toMatch(/next: lineclear dlq redrive dead --group \S+\n/)
    expect(out).toContain('then: an operator lets them run again')
  })

  it('reopened without an answer it says that the outcome of the call stays unknown', async () => {
    const { harness, id } = await unknownRequest()
    expect((await harness.cli('decide', id, 'again')).out).toContain('stays unknown')
    const both = ['--made', 'charge=1', '--not-done', 'charge']
    expect(await harness.apply('decide', id, 'again', ...both)).toMatchObject({
      code: 1,
      out: expect.stringContaining("the call 'charge' was made or was not made: say one"),
    })
    const twice = ['--made', 'charge=1', '--made', 'charge=2']
    expect(await harness.cli('decide', id, 'again', ...twice)).toMatchObject({
      code: 2,
      err: expect.stringContaining('--made: expected one for the call charge'),
    })
    const wrong = await harness.apply('decide', id, 'again', '--not-done', 'refund')
    expect(wrong.code).toBe(1)
    expect(wrong.out).toContain('unknown: charge')
  })

  it('is not changed by a plan that was made before it changed', async () => {
    const { harness, id } = await unknownRequest()
    const lookup = { reader: NO_READER, store: harness.store, now: harness.clock.now() }
    const old = await planDecision(`lock#${id}`, 'done', {}, lookup)
    const operator = {
      by: 'ann',
      why: 'test',
      force: true,
      now: harness.clock.now(),
      messenger: awsMessenger({ sqs: cloud.sqs }),
    }
    const newer = await planDecision(`lock#${id}`, 'again', {}, lookup)
    if (old.kind !== 'change' || newer.kind !== 'change') throw new Error('two plans')
    expect(await applyPlan(harness.store, newer, operator)).toEqual({ kind: 'applied' })
    const before = await harness.item(`lock#${id}`, 'token')
    expect(await applyPlan(harness.store, old, { ...operator, by: 'bob' })).toEqual({
      kind: 'refused',
      because: 'outdated',
    })
    expect(await harness.item(`lock#${id}`, 'token')).toEqual(before)
  })
})

describe('a request whose attempt hangs', () => {
  const hanging = async () => {
    const harness = await operatorHarness(cloud)
    const going = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    let attempts = 0
    const handler = consumerOn(harness, async (_payload, ctx) => {
      attempts += 1
      const mine = attempts
      begun.resolve()
      if (mine === 1) await going.promise
      await ctx.write('count', counting(harness.tableName))
    })
    await send(cloud, 'book', { n: 1 })
    const [record] = await receive(cloud, 'book')
    if (record === undefined) throw new Error('nothing came')
    const late = hand(cloud, 'book', [record], handler, 10 * MINUTE)
    await begun.promise
    return { harness, handler, record, late, going, id: `orders/${record.messageId}` }
  }

  it('is not released without --force; with it the late attempt can write nothing', async () => {
    const { harness, handler, record, late, going, id } = await hanging()
    const refused = await harness.apply('decide', id, 'free')
    expect(refused.code).toBe(1)
    expect(refused.out).toContain('--force')
    expect(await harness.item(`lock#${id}`, 'token')).not.toHaveProperty('operatorDid')
    expect((await harness.apply('decide', id, 'free', '--force')).code).toBe(0)
    going.resolve()
    expect(await late).toEqual({ kept: 1 })
    expect(await countOf(cloud, harness.tableName)).toBe(0)
    await hand(cloud, 'book', [record], handler)
    expect(await countOf(cloud, harness.tableName)).toBe(1)
  })

  it('is shown as lost when its lease is over, and can be resolved', async () => {
    const { harness, late, going, id } = await hanging()
    harness.clock.advance(11 * MINUTE)
    expect((await harness.cli('explain', id)).out).toContain('its attempt was lost')
    expect((await harness.apply('decide', id, 'done')).code).toBe(0)
    going.resolve()
    expect(await late).toEqual({ kept: 1 })
    expect(await countOf(cloud, harness.tableName)).toBe(0)
  })
})

it('the plan to release a request says that nothing lists it any more, and what runs it', async () => {
  const { cli, store } = await operatorHarness(cloud)
  const lost = { sk: 'token', status: 'inProgress', attemptId: 'a', attempt: 2, fence: 2 }
  await store.create([
    { ...lost, pk: 'lock#orders/lost', leaseUntil: 1 },
    { ...lost, pk: 'lock#orders/dead', leaseUntil: 0, status: 'error', death: 1 },
  ])
  const gone = await cli('decide', 'orders/lost', 'free')
  expect(gone.out).toContain('If its message is gone (its queue is empty), send it again')
  const dead = await cli('decide', 'orders/dead', 'free')
  expect(dead.out).toContain('Redrive its dead letter: lineclear dlq redrive --all --id dead')
  const resolved = await cli('decide', 'orders/dead', 'done')
  expect(resolved.out).toContain('to take it off: lineclear dlq discard --all --id dead')
  expect((await cli('explain', 'orders/lost')).out).toContain(
    'lineclear redrive orders/lost finds it. If no queue has it: send it again',
  )
})

it('an id that a request and a key share is explained under the name of each, and so are the commands', async () => {
  const { cli, store } = await operatorHarness(cloud)
  const lost = { sk: 'token', status: 'inProgress', attemptId: 'a', attempt: 2, fence: 2 }
  const pks = ['lock#orders/r1', 'key#orders/r1']
  await store.create(pks.map((pk) => ({ ...lost, pk, leaseUntil: 1 })))
  const { out } = await cli('explain', 'orders/r1')
  expect(out).toContain('request lock#orders/r1\n')
  expect(out).toContain('key key#orders/r1\n')
  for (const pk of pks) {
    expect(out).toContain(`lineclear decide ${pk} done`)
    expect((await cli('decide', pk, 'done')).code).toBe(0)
  }
})

describe('a key', () => {
  const parkedKey = async (error: string) => {
    const harness = await operatorHarness(cloud)
    const locks = lockTokens({ store: harness.store, name: 'refunds', ...timeOf(harness) })
    const lock = await locks.begin('p1', 'here', 1_000)
    if (lock.existing !== undefined) throw new Error('taken')
    await lock.endWithError(error)
    return { harness, locks, lock }
  }

  it('that is resolved with a result gives it to later callers', async () => {
    const { harness, locks } = await parkedKey('who knows')
    const args = ['decide', 'refunds/p1', 'done', '--result', '{"cents":5}']
    expect((await harness.apply(...args)).code).toBe(0)
    const { existing } = await locks.begin('p1', 'here', 1_000)
    expect(existing).toMatchObject({ status: 'complete', result: { cents: 5 } })
  })

  it.each([
    ['forever', 'for ever'],
    ['1d', '1.0'],
  ] as const)('that is resolved is kept for its own retention: %s', async (retention, kept) => {
    const harness = await operatorHarness(cloud)
    const locks = lockTokens({
      store: harness.store,
      name: 'refunds',
      retention,
      ...timeOf(harness),
    })
    const lock = await locks.begin('p1', 'here', 1_000)
    if (lock.existing !== undefined) throw new Error('taken')
    await lock.endWithError('who knows')
    expect((await harness.apply('decide', 'refunds/p1', 'done')).code).toBe(0)
    const item = await harness.item('key#refunds/p1', 'token')
    const left = item?.['ttl'] === undefined ? undefined : Number(item['ttl']) - Date.now() / 1_000
    // Tenths of a day: the clocks of the hostile runs differ by minutes.
    expect(left === undefined ? 'for ever' : (left / 86_400).toFixed(1)).toBe(kept)
  })

  it('that shares its id with a request is asked for by its full name', async () => {
    const { harness, locks } = await parkedKey('who knows')
    await harness.store.create([
      { pk: 'lock#refunds/p1', sk: 'token', status: 'error', attemptId: 'a', attempt: 1, fence: 1 },
    ])
    const unclear = await harness.apply('decide', 'refunds/p1', 'done')
    expect([unclear.code, unclear.out]).toEqual([1, expect.stringContaining('key#refunds/p1')])
    expect((await harness.apply('decide', 'key#refunds/p1', 'done')).code).toBe(0)
    expect((await locks.begin('p1', 'here', 1_000)).existing?.status).toBe('complete')
    expect(await harness.item('lock#refunds/p1', 'token')).toMatchObject({ status: 'error' })
  })

  it('that is resolved as failed gives its error to later callers', async () => {
    const { harness, locks } = await parkedKey('who knows')
    await harness.apply('decide', 'refunds/p1', 'done', '--error', 'card refused')
    const { existing } = await locks.begin('p1', 'here', 1_000)
    expect(existing).toMatchObject({ status: 'complete', error: 'card refused' })
  })

  it('that is released is free, with a higher fence', async () => {
    const { harness, locks, lock } = await parkedKey('who knows')
    const unsaid = await harness.apply('decide', 'refunds/p1', 'free')
    expect(unsaid).toMatchObject({ code: 1 })
    expect(unsaid.out).toContain('If nothing was done, add --not-done section; if it was done: ')
    const release = ['decide', 'refunds/p1', 'free', '--not-done', 'section'] as const
    expect((await harness.apply(...release)).code).toBe(0)
    const next = await locks.begin('p1', 'there', 1_000)
    if (next.existing !== undefined) throw new Error('not free')
    expect(next.fence).toBeGreaterThan(lock.fence + 1)
    expect(await next.endWithSuccess(1)).toEqual({ kind: 'marked' })
    const done = await harness.apply('decide', 'refunds/p1', 'free')
    expect(done.code).toBe(1)
    expect(done.out).toContain('run it twice')
  })

  it('that was released while its holder ran is not ended by that holder', async () => {
    const harness = await operatorHarness(cloud)
    const locks = lockTokens({ store: harness.store, name: 'refunds', ...timeOf(harness) })
    const lock = await locks.begin('p1', 'here', 60_000)
    if (lock.existing !== undefined) throw new Error('taken')
    const unsaid = await harness.cli('decide', 'refunds/p1', 'free', '--force')
    expect(unsaid).toMatchObject({ code: 1 })
    expect(unsaid.out).toContain('add --not-done section --force')
    await harness.apply('decide', 'refunds/p1', 'free', '--not-done', 'section', '--force')
    expect(await lock.endWithSuccess('late')).toEqual({ kind: 'taken over' })
    const next = await locks.begin('p1', 'there', 1_000)
    expect(next.existing).toBeUndefined()
  })
})

it('an unknown id ends with 4', async () => {
  const harness = await operatorHarness(cloud)
  for (const word of ['done', 'free', 'again']) {
    expect(await harness.apply('decide', 'orders/none', word)).toMatchObject({ code: 4 })
  }
})

function timeOf({ options: { clock, logger } }: Awaited<ReturnType<typeof operatorHarness>>) {
  return { clock, logger }
}
