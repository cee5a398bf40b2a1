import type { InvocationContext } from 'lineclear'
import { describe, expect, it } from 'vitest'
import { readToken } from '../../../src/library/protocol/claim/token/token.ts'
import { planReopen } from '../../../src/tools/operator/plan/planToken.ts'
import { openWorld, request, STORES, storesFor } from './setUp.ts'

describe.each(STORES)('a call with ctx, on %s', (kind) => {
  const store = storesFor(kind)

  it('has a fence that grows with each attempt at a key', async () => {
    const world = openWorld(store())
    const fences: number[] = []
    const handler = world.handler((_event, ctx) => {
      fences.push(ctx.fence)
      if (fences.length === 1) throw new Error('not yet')
    })
    await expect(handler({ cents: 5 }, request('r-1'))).rejects.toThrow('not yet')
    await handler({ cents: 5 }, request('r-1'))
    expect(fences[1]).toBeGreaterThan(fences[0] ?? Infinity)
  })

  it('fails when an effect that was not awaited failed, and has no effects after its end', async () => {
    const world = openWorld(store())
    let late: InvocationContext | undefined
    const handler = world.handler((_event, ctx) => {
      late = ctx
      void ctx.write('wrong', {
        TableName: 'sums',
        Key: { id: 1 },
        put: { of: new Map() as never },
      })
    })
    await expect(handler({ cents: 5 }, request('r-1'))).rejects.toThrow('ctx.write')
    await expect(late?.get({ TableName: 'sums', Key: { id: 1 } })).rejects.toThrow(
      'ctx was used after',
    )
  })

  it('throws when a message was not taken, and keeps the effects', async () => {
    const world = openWorld(store())
    let target = 'https://sqs.eu-west-1.amazonaws.com/1/missing'
    const handler = world.handler(async ({ cents }, ctx) => {
      await ctx.write('book', world.add(cents))
      await ctx.send(target, { cents })
      return 'done'
    })
    await expect(handler({ cents: 5 }, request('r-1'))).rejects.toMatchObject({
      code: 'SEND_FAILED',
    })
    expect(await world.sum()).toMatchObject({ cents: 5 })
    target = world.queueUrl
    expect(await handler({ cents: 5 }, request('r-1'))).toBe('done')
    expect(await world.sum()).toMatchObject({ cents: 5 })
    expect(world.sent()).toEqual([{ cents: 5 }])
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
      const receipt = await ctx.call('charge', charge, { ifUnknown: 'stop' })
      await ctx.write('book', world.add(cents))
      return receipt
    })
    await expect(handler({ cents: 5 }, request('r-1'))).rejects.toThrow('charge')
    breaks = false
    const token = readToken((await world.token('r-1')) as never)
    if (token === undefined) throw new Error('no token')
    const plan = planReopen(token, { answers: new Map([['charge', 'r']]) }, world.clock.now())
    if (plan.kind !== 'change' || plan.effect.kind !== 'updates') throw new Error('no change')
    expect(plan.changes.at(-1)).toMatch(/^it runs at the next call with its key/)
    const [outcome] = await world.store.update(plan.effect.updates)
    expect(outcome).toMatchObject({ kind: 'applied' })
    expect(await handler({ cents: 5 }, request('r-1'))).toBe('r')
    expect(await world.sum()).toMatchObject({ cents: 5 })
  })
})
