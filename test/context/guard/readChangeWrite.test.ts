import { describe, expect, it } from 'vitest'
import {
  type ReadsAndWrites,
  readChangeWrite,
} from '../../../src/library/run/context/guard/readChangeWrite.ts'
import type { UserItem } from '../../../src/library/protocol/store/store.ts'
import {
  memoryStore,
  type MemoryStore,
} from '../../../src/library/adapters/store/memory/memoryStore.ts'
import { attemptOf } from '../attemptOf.ts'

const target = { TableName: 'counters', Key: { id: 'c' } }
const increment = (current: UserItem | undefined): UserItem => ({
  n: Number(current?.['n'] ?? 0) + 1,
})

/** One request of its own for each name, all on one store. */
async function request(store: MemoryStore, name: string): Promise<ReadsAndWrites> {
  return (await attemptOf(store, name, store, name)).ctx
}

/** Another write comes first whenever `ctx` is about to write. */
function withRival(
  ctx: ReadsAndWrites,
  store: MemoryStore,
  times = Infinity,
): ReadsAndWrites & { reads: number } {
  let left = times
  const contested = {
    reads: 0,
    get: async (asked: typeof target) => {
      contested.reads += 1
      const seen = await ctx.get(asked)
      if (left-- > 0) {
        const rival = await request(store, `rival-${contested.reads}`)
        await readChangeWrite(rival, 'count', target, increment)
      }
      return seen
    },
    write: ctx.write,
  }
  return contested
}

describe('readChangeWrite', () => {
  it('20 parallel increments make 20', async () => {
    const store = memoryStore()
    const requests = await Promise.all(
      Array.from({ length: 20 }, (_, nth) => request(store, `consumer-${nth}`)),
    )
    await Promise.all(
      requests.map((ctx) => readChangeWrite(ctx, 'count', { ...target, tries: 20 }, increment)),
    )
    expect(store.userItems('counters')).toEqual([{ id: 'c', n: 20, version: 20 }])
  })

  it('happens once for one request, however often its handler runs', async () => {
    const store = memoryStore()
    for (const name of ['first', 'second', 'third']) {
      const { ctx } = await attemptOf(store, name)
      await readChangeWrite(ctx, 'count', target, increment)
    }
    expect(store.userItems('counters')).toMatchObject([{ n: 1, version: 1 }])
  })

  it('reads again when another write was first, and changes what it then reads', async () => {
    const store = memoryStore()
    const ctx = withRival(await request(store, 'mine'), store, 4)
    await readChangeWrite(ctx, 'count', target, increment)
    expect(store.userItems('counters')).toMatchObject([{ n: 5, version: 5 }])
    expect(ctx.reads).toBe(5)
  })

  it.each([
    ['five tries, if not said', undefined, 5],
    ['as many as said', 2, 2],
    ['one', 1, 1],
  ])(
    'another writer that is always first: %s, then the record is retried later',
    async (_, tries, reads) => {
      const store = memoryStore()
      const ctx = withRival(await request(store, 'mine'), store)
      const asked = { ...target, ...(tries === undefined ? {} : { tries }) }
      await expect(readChangeWrite(ctx, 'count', asked, increment)).rejects.toMatchObject({
        code: 'RETRYABLE',
      })
      expect(ctx.reads).toBe(reads)
      expect(store.userItems('counters')).toMatchObject([{ n: reads }])
    },
  )

  it('undefined leaves the item as it is', async () => {
    const store = memoryStore()
    await readChangeWrite(await request(store, 'mine'), 'count', target, () => undefined)
    expect(store.userItems('counters')).toEqual([])
  })

  it('counts the changes in the field that is named', async () => {
    const store = memoryStore()
    await readChangeWrite(
      await request(store, 'a'),
      'count',
      { ...target, version: 'rev' },
      increment,
    )
    await readChangeWrite(
      await request(store, 'b'),
      'count',
      { ...target, version: 'rev' },
      increment,
    )
    expect(store.userItems('counters')).toEqual([{ id: 'c', n: 2, rev: 2 }])
  })

  it('two changes of one handler need two names', async () => {
    const store = memoryStore()
    const ctx = await request(store, 'mine')
    await readChangeWrite(ctx, 'a', target, increment)
    await readChangeWrite(ctx, 'b', target, increment)
    await expect(readChangeWrite(ctx, 'b', target, increment)).rejects.toMatchObject({
      code: 'CONFIG',
    })
    expect(store.userItems('counters')).toMatchObject([{ n: 2 }])
  })
})
