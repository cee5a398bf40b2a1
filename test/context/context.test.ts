import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { StoreUnavailableError } from '../../src/library/base/errors.ts'
import type { Store } from '../../src/library/protocol/store/store.ts'
import { type Attempt, attemptOf, store as openStore } from './attemptOf.ts'

const target = { TableName: 'stock', Key: { sku: 's' } }
const add = { ...target, add: { reserved: 1 } }

/** Each write waits until it is let go. */
function slow(base: Store): { readonly store: Store; go(): void } {
  const gate = Promise.withResolvers<void>()
  const store: Store = {
    ...base,
    transact: async (claim, write) => {
      await gate.promise
      return base.transact(claim, write)
    },
  }
  return { store, go: gate.resolve }
}

function down(base: Store): Store {
  return {
    ...base,
    transact: async () => ({ kind: 'failed', error: new StoreUnavailableError('down') }),
  }
}

describe('ctx', () => {
  it('is frozen', async () => {
    const { ctx } = await attemptOf(openStore(), 'first')
    expect(Object.isFrozen(ctx)).toBe(true)
  })

  it('gives the number of the attempt', async () => {
    const store = openStore()
    await attemptOf(store, 'first')
    const { ctx } = await attemptOf(store, 'second')
    expect([ctx.attempt, ctx.uniqueRequestId]).toEqual([2, 'order-1'])
  })

  it('gives a fence that grows with each attempt', async () => {
    const store = openStore()
    const { ctx: first } = await attemptOf(store, 'first')
    const { ctx: second } = await attemptOf(store, 'second')
    expect(second.fence).toBeGreaterThan(first.fence)
  })
})

describe('closed', () => {
  const uses: Readonly<Record<string, (attempt: Attempt) => Promise<unknown>>> = {
    get: ({ ctx }) => ctx.get(target),
    write: ({ ctx }) => ctx.write('a', add),
    call: ({ ctx }) => ctx.call('a', () => 1),
    send: ({ ctx }) => ctx.send('https://sqs/1/q', 1),
    publish: ({ ctx }) => ctx.publish('arn:aws:sns:eu-west-1:1:t', 1),
  }

  it.each(Object.keys(uses))('%s is refused, and does nothing', async (name) => {
    const store = openStore()
    const attempt = await attemptOf(store, 'first')
    const before = store.items()
    attempt.close()
    await expect(uses[name]?.(attempt)).rejects.toMatchObject({ code: 'LATE' })
    expect(store.items()).toEqual(before)
    expect(store.userItems('stock')).toEqual([])
  })
})

describe('a call that was not awaited', () => {
  const unhandled: unknown[] = []
  const notice = (reason: unknown): void => {
    unhandled.push(reason)
  }
  afterEach(() => {
    process.off('unhandledRejection', notice)
    unhandled.length = 0
  })

  it('is waited for', async () => {
    const store = openStore()
    const { store: gated, go } = slow(store)
    const { ctx, settled } = await attemptOf(store, 'first', gated)
    void ctx.write('a', add)
    let over = false
    const end = settled().then(() => {
      over = true
    })
    await turn()
    expect(over).toBe(false)
    go()
    await end
    expect(store.userItems('stock')).toEqual([{ sku: 's', reserved: 1 }])
  })

  it('is waited for, with what comes after it', async () => {
    const store = openStore()
    const inTurn: Store = {
      ...store,
      transact: async (claim, write) => {
        await turn()
        return store.transact(claim, write)
      },
    }
    const { ctx, settled } = await attemptOf(store, 'first', inTurn)
    void ctx.write('a', add).then(() => ctx.write('b', add))
    await settled()
    expect(store.userItems('stock')).toEqual([{ sku: 's', reserved: 2 }])
  })

  it('fails the record when it fails, also if that was caught', async () => {
    const store = openStore()
    const { ctx, settled } = await attemptOf(store, 'first', down(store))
    await ctx.write('a', add).catch(() => {})
    await expect(settled()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  })

  it('fails the record, and not the process: other records run beside it', async () => {
    process.on('unhandledRejection', notice)
    const store = openStore()
    const { ctx, settled } = await attemptOf(store, 'first', down(store))
    void ctx.write('a', add)
    await expect(settled()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    await turn()
    expect(unhandled).toEqual([])
  })

  it("call: one that failed and that the handler caught is the handler's own affair", async () => {
    const { ctx, settled } = await attemptOf(openStore(), 'first')
    await ctx.call('a', () => Promise.reject(new Error('no'))).catch(() => {})
    await expect(settled()).resolves.toBeUndefined()
  })

  it('call: one that fails after the handler has returned fails the record: no handler saw the error', async () => {
    const { promise: answer, reject } = Promise.withResolvers<never>()
    const { ctx, settled } = await attemptOf(openStore(), 'first')
    ctx.call('a', () => answer).catch(() => {})
    const end = settled()
    reject(new Error('too late'))
    await expect(end).rejects.toThrow('too late')
  })
})
