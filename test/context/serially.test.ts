import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { RetryableError, StoreUnavailableError } from '../../src/library/base/errors.ts'
import type { MemoryStore } from '../../src/library/adapters/store/memory/memoryStore.ts'
import type { Store } from '../../src/library/protocol/store/store.ts'
import { isUserWrite } from '../../src/library/protocol/store/wire/transactItem.ts'
import { attemptOf, store as openStore } from './attemptOf.ts'

/** As DynamoDB: of two writes under way on the one item of a claim, the later one is cancelled. */
function conflicting(base: MemoryStore): { readonly store: Store; conflicts(): number } {
  let underWay = 0
  let conflicts = 0
  const alone = async <O>(write: () => Promise<O>, busy: (error: Error) => O): Promise<O> => {
    if (underWay > 0) {
      conflicts += 1
      return busy(new RetryableError('another transaction has the item'))
    }
    underWay += 1
    await turn()
    underWay -= 1
    return write()
  }
  const store: Store = {
    ...base,
    transact: (...write) =>
      alone(
        () => base.transact(...write),
        (error) => ({ kind: 'failed', error }),
      ),
    update: (updates) =>
      alone(
        () => base.update(updates),
        (error) => updates.map(() => ({ kind: 'failed', error })),
      ),
  }
  return { store, conflicts: () => conflicts }
}

const row = (sku: string) => ({ TableName: 'stock', Key: { sku } })
const skus = Array.from({ length: 50 }, (_, nth) => `s${nth}`)

describe('writes side by side', () => {
  it('go one after the other, for each is a transaction on the same claim', async () => {
    const base = openStore()
    const { store, conflicts } = conflicting(base)
    const { ctx } = await attemptOf(base, 'first', store)
    await Promise.all(
      skus.flatMap((sku) => [
        ctx.write(`amount ${sku}`, { ...row(sku), put: { amount: 1 } }),
        ctx.write(`reserve ${sku}`, { ...row(sku), add: { reserved: 1 } }),
      ]),
    )
    expect(conflicts()).toBe(0)
    expect(base.userItems('stock')).toHaveLength(50)
    expect(base.userItems('stock')[0]).toEqual({ sku: 's0', amount: 1, reserved: 1 })
  })

  it.each(['repeat', 'stop'] as const)(
    'outside calls (%s) run at once, and only their marks and results wait for each other',
    async (ifUnknown) => {
      const base = openStore()
      const { store, conflicts } = conflicting(base)
      const { ctx } = await attemptOf(base, 'first', store)
      const { promise: all, resolve } = Promise.withResolvers<void>()
      let underWay = 0
      const call = async (): Promise<number> => {
        underWay += 1
        if (underWay === 20) resolve()
        await all
        return underWay
      }
      const names = skus.slice(0, 20)
      const results = await Promise.all(names.map((name) => ctx.call(name, call, { ifUnknown })))
      expect(results).toHaveLength(20)
      expect(conflicts()).toBe(0)
    },
  )

  it('one that fails does not hold up the next', async () => {
    const base = openStore()
    const store: Store = {
      ...base,
      transact: async (claim, writes) =>
        writes.some((write) => isUserWrite(write) && write.Key['sku'] === 's0')
          ? { kind: 'failed', error: new StoreUnavailableError('down') }
          : base.transact(claim, writes),
    }
    const { ctx } = await attemptOf(base, 'first', store)
    const ends = await Promise.allSettled(
      ['s0', 's1'].map((sku) => ctx.write(`row ${sku}`, { ...row(sku), put: {} })),
    )
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
    expect(base.userItems('stock')).toEqual([{ sku: 's1' }])
  })
})

describe('what still waits when the attempt is declared over', () => {
  /** The first write hangs until it is let go. */
  function gated(base: MemoryStore): { readonly store: Store; go(): void } {
    const { promise: open, resolve } = Promise.withResolvers<void>()
    const store: Store = {
      ...base,
      transact: async (...write) => {
        await open
        return base.transact(...write)
      },
    }
    return { store, go: resolve }
  }

  it('is not written', async () => {
    const base = openStore()
    const { store, go } = gated(base)
    const { ctx, close } = await attemptOf(base, 'first', store)
    const writes = Promise.allSettled([
      ctx.write('s0', { ...row('s0'), put: {} }),
      ctx.write('s1', { ...row('s1'), put: {} }),
      ctx.write('reserve', { ...row('s2'), add: { reserved: 1 } }),
    ])
    await turn()
    close()
    go()
    const ends = await writes
    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected'])
    expect(base.userItems('stock')).toEqual([{ sku: 's0' }])
  })

  it('is not called, and the next attempt knows that it was not', async () => {
    const base = openStore()
    const { store, go } = gated(base)
    const first = await attemptOf(base, 'first', store)
    const write = first.ctx.write('s0', { ...row('s0'), put: {} })
    let calls = 0
    const call = (): string => {
      calls += 1
      return 'receipt'
    }
    const charge = first.ctx.call('charge', call, { ifUnknown: 'stop' })
    await turn()
    first.close()
    go()
    await write
    await expect(charge).rejects.toMatchObject({ code: 'RETRYABLE' })
    expect(calls).toBe(0)
    const second = await attemptOf(base, 'second')
    expect(await second.ctx.call('charge', call, { ifUnknown: 'stop' })).toBe('receipt')
    expect(calls).toBe(1)
  })

  it('but the result of a call that was made is kept: it must not be made again', async () => {
    const base = openStore()
    const first = await attemptOf(base, 'first')
    const { promise: answer, resolve } = Promise.withResolvers<string>()
    const charge = first.ctx.call('charge', () => answer, { ifUnknown: 'stop' })
    await turn()
    first.close()
    resolve('receipt')
    expect(await charge).toBe('receipt')
    const second = await attemptOf(base, 'second')
    const again = second.ctx.call('charge', () => 'another', { ifUnknown: 'stop' })
    expect(await again).toBe('receipt')
  })
})
