import { describe, expect, it } from 'vitest'
import type { CallOptions } from '../../src/library/run/context/context.ts'
import {
  RetryableError,
  StoreUnavailableError,
  TerminalError,
} from '../../src/library/base/errors.ts'
import { tokenKey } from '../../src/library/protocol/claim/token/token.ts'
import type { MemoryStore } from '../../src/library/adapters/store/memory/memoryStore.ts'
import type { Store, Update } from '../../src/library/protocol/store/store.ts'
import { type Attempt, attemptOf, ID, store as openStore } from './attemptOf.ts'

/** The code of what was thrown, or its message. */
async function thrownBy(work: Promise<unknown>): Promise<unknown> {
  try {
    return { resolved: await work }
  } catch (error) {
    if (typeof error === 'object' && error !== null && 'code' in error) return error.code
    return error instanceof Error ? error.message : error
  }
}

/** A service that remembers the keys of all calls. */
function service(answer: unknown = 'receipt'): {
  readonly keys: string[]
  readonly call: (call: { readonly idempotencyKey: string }) => unknown
} {
  const keys: string[] = []
  const call = ({ idempotencyKey }: { readonly idempotencyKey: string }): unknown => {
    keys.push(idempotencyKey)
    return answer
  }
  return { keys, call }
}

/** The answer was lost; the write was made. */
function unanswered(base: MemoryStore, when: (update: Update) => boolean): Store {
  return {
    ...base,
    update: async (updates) => {
      const outcomes = await base.update(updates)
      return outcomes.map((outcome, nth) => {
        const update = updates[nth]
        if (update === undefined || !when(update)) return outcome
        return { kind: 'failed', error: new StoreUnavailableError('no answer') }
      })
    },
  }
}

const storesAnswer = ({ set }: Update): boolean => String(set?.['step:charge']).startsWith('done')
const IF_UNKNOWN = ['repeat', 'stop'] as const
const done: CallOptions<unknown> = {
  ifUnknown: () => ({ outcome: 'done', result: 'as verified' }),
}
const notDone: CallOptions<unknown> = { ifUnknown: () => ({ outcome: 'not done' }) }
const unsure: CallOptions<unknown> = { ifUnknown: () => ({ outcome: 'unknown' }) }

describe('the result is stored', () => {
  it.each([{}, { ifUnknown: 'repeat' }, { ifUnknown: 'stop' }, notDone] as const)(
    '%o: called once, and returned when the handler runs again',
    async (options) => {
      const store = openStore()
      const { keys, call } = service({ id: 'r', at: new Date(5) })
      for (const name of ['first', 'second', 'third']) {
        const { ctx } = await attemptOf(store, name)
        expect(await ctx.call('charge', call, options)).toEqual({ id: 'r', at: new Date(5) })
      }
      expect(keys).toHaveLength(1)
    },
  )

  it('undefined is stored like any other result', async () => {
    const store = openStore()
    let calls = 0
    for (const name of ['first', 'second']) {
      const { ctx } = await attemptOf(store, name)
      await ctx.call('charge', () => {
        calls += 1
      })
    }
    expect(calls).toBe(1)
  })

  it('two names are two calls, side by side as well', async () => {
    const { ctx } = await attemptOf(openStore(), 'first')
    const answers = ['a', 'b', 'c'].map((name) => ctx.call(name, () => name))
    expect(await Promise.all(answers)).toEqual(['a', 'b', 'c'])
  })
})

describe('the key', () => {
  it('is the same in every attempt, and that of ctx.idempotencyKey', async () => {
    const store = openStore()
    const { keys, call } = service()
    for (const name of ['first', 'second']) {
      const { ctx } = await attemptOf(store, name, unanswered(store, storesAnswer))
      await thrownBy(ctx.call('charge', call))
      keys.push(ctx.idempotencyKey('charge'))
    }
    expect(new Set(keys).size).toBe(1)
    expect(keys).toHaveLength(3)
  })

  it('differs by name and by consumer, and is never longer than asked', async () => {
    const { ctx } = await attemptOf(openStore(), 'first')
    const { ctx: other } = await attemptOf(openStore(), 'first', undefined, 'billing')
    const keys = [ctx.idempotencyKey('a'), ctx.idempotencyKey('b'), other.idempotencyKey('a')]
    expect(new Set(keys).size).toBe(3)
    expect(keys.map((key) => key.length)).toEqual([43, 43, 43])
    expect(ctx.idempotencyKey('a', { maxLength: 20 })).toBe(keys[0]?.slice(0, 20))
  })
})

describe('an unknown outcome', () => {
  it('repeat: the call is made again, under the same key', async () => {
    const store = openStore()
    const { keys, call } = service()
    const { ctx } = await attemptOf(store, 'first')
    expect(await thrownBy(ctx.call('charge', () => Promise.reject(new Error('timeout'))))).toBe(
      'timeout',
    )
    const again = await attemptOf(store, 'second')
    expect(await again.ctx.call('charge', call)).toBe('receipt')
    expect(keys).toHaveLength(1)
  })

  it.each([
    ['it timed out', new Error('socket hang up')],
    ['the service answered with an error', Object.assign(new Error('500'), { code: 'ERR_HTTP' })],
    ['the connection was reset', Object.assign(new Error('reset'), { code: 'ECONNRESET' })],
    ['it threw nothing', undefined],
  ])('stop: %s: unknown outcome, never repeated', async (_, failure) => {
    const store = openStore()
    const options = { ifUnknown: 'stop' } as const
    const first = await attemptOf(store, 'first')
    const failing = (): never => {
      throw failure as Error
    }
    expect(await thrownBy(first.ctx.call('charge', failing, options))).toBe('UNKNOWN_OUTCOME')
    const { keys, call } = service()
    const second = await attemptOf(store, 'second')
    expect(await thrownBy(second.ctx.call('charge', call, options))).toBe('UNKNOWN_OUTCOME')
    expect(keys).toEqual([])
  })

  it.each([
    [
      'no server listened',
      Object.assign(new Error('refused'), { code: 'ECONNREFUSED', syscall: 'connect' }),
      'ECONNREFUSED',
    ],
    [
      'the name was not found',
      new Error('fetch failed', { cause: { code: 'ENOTFOUND', syscall: 'getaddrinfo' } }),
      'fetch failed',
    ],
    ['the handler says so', new RetryableError('busy'), 'RETRYABLE'],
    ['the handler says never', new TerminalError('no such card'), 'TERMINAL'],
  ])('stop: %s: surely not done, and made again', async (_, failure, thrown) => {
    const store = openStore()
    const options = { ifUnknown: 'stop' } as const
    const first = await attemptOf(store, 'first')
    expect(await thrownBy(first.ctx.call('charge', () => Promise.reject(failure), options))).toBe(
      thrown,
    )
    const { call } = service()
    const second = await attemptOf(store, 'second')
    expect(await second.ctx.call('charge', call, options)).toBe('receipt')
  })

  it('stop: START comes first, so a call is not made when it cannot be stored', async () => {
    const store = openStore()
    const { keys, call } = service()
    const down: Store = {
      ...store,
      update: async (updates) =>
        updates.map(() => ({ kind: 'failed', error: new StoreUnavailableError('down') })),
    }
    const { ctx } = await attemptOf(store, 'first', down)
    expect(await thrownBy(ctx.call('charge', call, { ifUnknown: 'stop' }))).toBe(
      'STORE_UNAVAILABLE',
    )
    expect(keys).toEqual([])
  })

  it('stop: the call was made and its result could not be stored: unknown outcome, not repeated', async () => {
    const store = openStore()
    const { keys, call } = service()
    const down: Store = {
      ...store,
      update: async (updates) =>
        updates.some(storesAnswer)
          ? [{ kind: 'failed', error: new StoreUnavailableError('down') }]
          : store.update(updates),
    }
    const options = { ifUnknown: 'stop' } as const
    const first = await attemptOf(store, 'first', down)
    expect(await thrownBy(first.ctx.call('charge', call, options))).toBe('STORE_UNAVAILABLE')
    const second = await attemptOf(store, 'second')
    expect(await thrownBy(second.ctx.call('charge', call, options))).toBe('UNKNOWN_OUTCOME')
    expect(keys).toHaveLength(1)
  })
})

describe('verify', () => {
  async function inDoubt(store: MemoryStore): Promise<Attempt> {
    const { ctx } = await attemptOf(store, 'first')
    await thrownBy(ctx.call('charge', () => Promise.reject(new Error('timeout')), done))
    return attemptOf(store, 'second')
  }

  it('is not asked when the call was never begun', async () => {
    const { ctx } = await attemptOf(openStore(), 'first')
    const { call } = service()
    expect(await ctx.call('charge', call, unsure)).toBe('receipt')
  })

  it('done: its result is used, and stored', async () => {
    const store = openStore()
    const { keys, call } = service()
    const second = await inDoubt(store)
    expect(await second.ctx.call('charge', call, done)).toBe('as verified')
    const third = await attemptOf(store, 'third')
    expect(await third.ctx.call('charge', call, unsure)).toBe('as verified')
    expect(keys).toEqual([])
  })

  it('not done: the call is made', async () => {
    const { keys, call } = service()
    const second = await inDoubt(openStore())
    expect(await second.ctx.call('charge', call, notDone)).toBe('receipt')
    expect(keys).toHaveLength(1)
  })

  it('unknown: the outcome stays unknown', async () => {
    const { keys, call } = service()
    const second = await inDoubt(openStore())
    expect(await thrownBy(second.ctx.call('charge', call, unsure))).toBe('UNKNOWN_OUTCOME')
    expect(keys).toEqual([])
  })

  it('gets the key of the call', async () => {
    const second = await inDoubt(openStore())
    let asked = ''
    const { call } = service()
    await second.ctx.call('charge', call, {
      ifUnknown: ({ idempotencyKey }) => {
        asked = idempotencyKey
        return { outcome: 'done', result: 1 }
      },
    })
    expect(asked).toBe(second.ctx.idempotencyKey('charge'))
  })
})

describe('a result too long to be stored', () => {
  const long = 'x'.repeat(300_001)

  it.each(IF_UNKNOWN)('%s: is handed to the handler all the same', async (ifUnknown) => {
    const { ctx } = await attemptOf(openStore(), 'first')
    expect((await ctx.call('charge', () => long, { ifUnknown })) === long).toBe(true)
  })

  it('repeat: the call is made again, under the same key', async () => {
    const store = openStore()
    const { keys, call } = service(long)
    for (const name of ['first', 'second']) {
      const { ctx } = await attemptOf(store, name)
      expect((await ctx.call('charge', call)) === long).toBe(true)
    }
    expect(new Set(keys).size).toBe(1)
  })

  it('stop: unknown outcome, because the call was made and is not repeated', async () => {
    const store = openStore()
    const { keys, call } = service(long)
    const first = await attemptOf(store, 'first')
    await first.ctx.call('charge', call, { ifUnknown: 'stop' })
    const second = await attemptOf(store, 'second')
    expect(await thrownBy(second.ctx.call('charge', call, { ifUnknown: 'stop' }))).toBe(
      'UNKNOWN_OUTCOME',
    )
    expect(keys).toHaveLength(1)
  })

  it('verify: the call was made, so verify gives the result and the call is not repeated', async () => {
    const store = openStore()
    const { keys, call } = service(long)
    const first = await attemptOf(store, 'first')
    await first.ctx.call('charge', call, done)
    const second = await attemptOf(store, 'second')
    const answer = await second.ctx.call('charge', call, done)
    expect([answer === 'as verified', keys.length]).toEqual([true, 1])
  })
})

describe('a result that cannot be stored', () => {
  it('several long answers fit the item together: DynamoDB takes 400 KB', async () => {
    const store = openStore()
    const { ctx } = await attemptOf(store, 'first')
    for (const name of ['a', 'b', 'c']) await ctx.call(name, () => 'x'.repeat(250_000))
    expect(JSON.stringify(store.items()).length).toBeLessThan(400_000)
  })
})

describe('an attempt that has lost its claim', () => {
  it('stores nothing, and fails as superseded', async () => {
    const store = openStore()
    const { keys, call } = service()
    const first = await attemptOf(store, 'first')
    await attemptOf(store, 'second')
    expect(await thrownBy(first.ctx.call('charge', call, { ifUnknown: 'stop' }))).toBe('SUPERSEDED')
    expect(keys).toEqual([])
    expect(await thrownBy(first.ctx.call('mail', call))).toBe('SUPERSEDED')
    expect(
      Object.keys(store.items()[0] ?? {}).filter((field) => field.startsWith('step:')),
    ).toEqual([])
  })

  it('does not take the result of its successor for its own', async () => {
    const store = openStore()
    const first = await attemptOf(store, 'first')
    const second = await attemptOf(store, 'second')
    await second.ctx.call('charge', () => 'of the second')
    const late = thrownBy(first.ctx.call('charge', () => 'of the first'))
    expect(await late).toBe('SUPERSEDED')
    expect(store.items()[0]?.['step:charge']).toBe('done:"of the second"')
  })
})

describe('a name', () => {
  it.each(['', 'charge'])('%j is refused the second time', async (name) => {
    const { ctx } = await attemptOf(openStore(), 'first')
    const { call } = service()
    const codes = [await thrownBy(ctx.call(name, call)), await thrownBy(ctx.call(name, call))]
    expect(codes.at(-1)).toBe('CONFIG')
    expect(codes[0] === 'CONFIG').toBe(name === '')
  })

  it.each(['__proto__', 'constructor', 'a b', 'ü', 'x:y', 'start'])(
    '%j is a name like any other',
    async (name) => {
      const store = openStore()
      const first = await attemptOf(store, 'first')
      await first.ctx.call(name, () => 'kept')
      const second = await attemptOf(store, 'second')
      expect(await second.ctx.call(name, () => 'made again')).toBe('kept')
    },
  )
})

describe('a stored result that the attempt did not see', () => {
  it('is used, and the call is not made', async () => {
    const store = openStore()
    const { ctx } = await attemptOf(store, 'first')
    const { pk } = tokenKey('orders', ID)
    await store.update([
      { key: { pk, sk: 'token' }, where: [], set: { 'step:charge': 'done:"theirs"' } },
    ])
    const { keys, call } = service()
    expect(await ctx.call('charge', call, { ifUnknown: 'stop' })).toBe('theirs')
    expect(keys).toEqual([])
  })
})

describe('a lost answer of the store', () => {
  it('START is recognised when the SDK sends the write twice', async () => {
    const store = openStore()
    const twice: Store = {
      ...store,
      update: async (updates) => {
        await store.update(updates)
        return store.update(updates)
      },
    }
    const { keys, call } = service()
    const { ctx } = await attemptOf(store, 'first', twice)
    expect(await ctx.call('charge', call, { ifUnknown: 'stop' })).toBe('receipt')
    expect(keys).toHaveLength(1)
  })
})
