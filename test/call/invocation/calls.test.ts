import middyjs from '@middy/core'
import type { Context } from 'aws-lambda'
import { callContext, callEffects, idempotent, type InvocationContext } from 'lineclear'
import { idempotency } from 'lineclear/middy'
import { memoryCloud } from 'lineclear/testing'
import { describe, expect, it } from 'vitest'
import { readToken } from '../../../src/claim/token/token.ts'
import { planReopen } from '../../../src/tools/operator/plan/planToken.ts'
import { quietLogger } from '../../deliver/quietLogger.ts'
import { openWorld, request, STORES, storesFor } from './setUp.ts'

function open() {
  const cloud = memoryCloud({ queues: { booked: {} } })
  const { store, sqs, clock } = cloud
  const options = { store, clock, logger: quietLogger(), waitForOther: 0 } as const
  const book = async (id: string, ctx: InvocationContext): Promise<void> => {
    await ctx.applyOnce('book', { TableName: 'sums', Key: { id }, add: { count: 1 } })
    await ctx.sendTo(cloud.queueUrl('booked'), { id })
  }
  const counted = async (id: string) => {
    const row = await store.readUser({ TableName: 'sums', Key: { id } })
    return { count: row?.['count'] ?? 0, sent: cloud.messages('booked').length }
  }
  return { options, effects: callEffects({ sqs }), book, counted }
}

describe('idempotent with effects', () => {
  it('gives its function ctx, whose effects happen once per key', async () => {
    const { options, effects, book, counted } = open()
    let runs = 0
    const once = idempotent(
      { ...options, effects, scope: 'orders', key: (id: string) => id },
      async (id: string, ctx) => {
        runs += 1
        await book(id, ctx)
        if (runs === 1) throw new Error('not yet')
        return { id, lambda: ctx.lambda }
      },
    )
    await expect(once('a')).rejects.toThrow('not yet')
    expect(await counted('a')).toEqual({ count: 1, sent: 0 })
    const answer = { id: 'a', lambda: undefined }
    expect(await Promise.all([once('a'), once('b')])).toMatchObject([answer, { id: 'b' }])
    expect(await once('a')).toEqual(answer)
    expect(await counted('a')).toEqual({ count: 1, sent: 2 })
  })

  it('gives a fence that grows with each attempt at a key', async () => {
    const { options, effects } = open()
    const fences: number[] = []
    const once = idempotent(
      { ...options, effects, scope: 'orders', key: (id: string) => id },
      async (_id: string, ctx) => {
        fences.push(ctx.fence)
        if (fences.length === 1) throw new Error('not yet')
      },
    )
    await expect(once('a')).rejects.toThrow('not yet')
    await once('a')
    expect(fences[1]).toBeGreaterThan(fences[0] ?? Infinity)
  })

  it('fails a call whose unawaited effect failed, and refuses effects after its end', async () => {
    const { options, effects } = open()
    let late: InvocationContext | undefined
    const once = idempotent(
      { ...options, effects, scope: 'orders', key: () => 'k' },
      async (_id: string, ctx) => {
        late = ctx
        void ctx.put({ TableName: 't', Key: { id: 1 }, put: { of: new Map() as never } })
      },
    )
    await expect(once('a')).rejects.toThrow('ctx.put')
    await expect(late?.get({ TableName: 't', Key: { id: 1 } })).rejects.toThrow(
      'ctx was used after',
    )
  })

  it('refuses when beside effects, and effects that are none', () => {
    const { options, effects } = open()
    const more = { ...options, scope: 'orders', key: () => 'k' }
    expect(() => idempotent({ ...more, effects, when: () => true }, () => 1)).toThrow('when')
    expect(() => idempotent({ ...more, effects: {} as never }, () => 1)).toThrow(
      'effects: expected callEffects()',
    )
    expect(() => callEffects({ sqs: {} as never })).toThrow('callEffects: sqs')
  })
})

describe('the middleware with effects', () => {
  function chain(work: (ctx: InvocationContext) => Promise<unknown>) {
    const { options, effects, ...others } = open()
    const own = { ...options, effects, scope: 'orders', key: () => 'k', tenant: 'none' } as const
    const handler = middyjs(async (_event: unknown, context: Context) =>
      work(callContext(context)),
    ).use(idempotency(own))
    return { ...others, call: (id: string): Promise<unknown> => handler({}, request(id)) }
  }

  it('gives the handler ctx by its context; messages leave before the answer is stored', async () => {
    let runs = 0
    const { call, counted, book } = chain(async (ctx) => {
      runs += 1
      await book('a', ctx)
      if (runs === 1) throw new Error('not yet')
      return runs
    })
    await expect(call('r-1')).rejects.toThrow('not yet')
    expect(await counted('a')).toEqual({ count: 1, sent: 0 })
    expect([await call('r-2'), await call('r-3')]).toEqual([2, 2])
    expect(await counted('a')).toEqual({ count: 1, sent: 1 })
  })

  it('throws when a message was not taken, and keeps the effects', async () => {
    let target = 'https://sqs.eu-west-1.amazonaws.com/1/missing'
    const { call, counted, book } = chain(async (ctx) => {
      await book('a', ctx)
      await ctx.sendTo(target, {})
      return 'done'
    })
    await expect(call('r-1')).rejects.toThrow('did not take a message')
    target = 'https://sqs.eu-west-1.amazonaws.com/123456789012/booked'
    expect(await counted('a')).toMatchObject({ count: 1 })
    await call('r-2').catch(() => {})
    expect(await counted('a')).toMatchObject({ count: 1 })
  })

  it('has no ctx for an invocation that it does not protect', () => {
    expect(() => callContext(request('r-1'))).toThrow('has no ctx')
  })
})

describe.each(STORES)('a call in doubt, on %s', (kind) => {
  const store = storesFor(kind)

  it('continues with the answer that an operator has found', async () => {
    const world = openWorld(store())
    let breaks = true
    const handler = world.handler(async ({ cents }, ctx) => {
      const charge = (): string => {
        if (breaks) throw new Error('the connection broke')
        return 'a second receipt'
      }
      const receipt = await ctx.once('charge', charge, { effect: 'once' })
      await ctx.applyOnce('book', world.add(cents))
      return receipt
    })
    await expect(handler({ cents: 5 }, request('r-1'))).rejects.toThrow('charge')
    breaks = false
    const token = readToken((await world.token('r-1')) as never)
    if (token === undefined) throw new Error('no token')
    const plan = planReopen(token, { answers: new Map([['charge', 'r']]) }, world.clock.now())
    if (plan.kind !== 'change' || plan.effect.kind !== 'update') throw new Error('no change')
    expect(plan.changes.at(-1)).toMatch(/^it runs at the next call with its key/)
    const [outcome] = await world.store.update([plan.effect.update])
    expect(outcome).toMatchObject({ kind: 'applied' })
    expect(await handler({ cents: 5 }, request('r-1'))).toBe('r')
    expect(await world.sum()).toMatchObject({ cents: 5 })
  })
})
