import { documented } from '../../proof/formats/page.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  applyGroup,
  type GroupChangeReport,
  planGroup,
  type PlannedToken,
} from '../../../src/tools/operator/plan/changeGroup.ts'
import { listParked } from '../../../src/tools/operator/plan/groupTokens.ts'
import { planResolve } from '../../../src/tools/operator/plan/planToken.ts'
import { dynamoDbStore } from '../../../src/library/adapters/store/dynamodb/index.ts'
import type { Store, Update } from '../../../src/library/protocol/store/store.ts'
import { memoryStore } from '../../../src/library/adapters/store/memory/memoryStore.ts'
import { createTables, type Engine, startDynoxide } from '../../store/dynoxide.ts'
import { dynamodbWithoutSdk } from '../../testing/withoutSdk.ts'

let engine: Engine
beforeAll(async () => {
  engine = await startDynoxide()
})
afterAll(() => engine.stop())

const STORES = {
  memory: async () => documented(memoryStore()),
  DynamoDB: async () => {
    const client = dynamodbWithoutSdk(engine.client(), engine.endpoint)
    const { tableName } = await createTables(client)
    return dynamoDbStore({ tableName, client })
  },
}

const NOW = 1_800_000_000_000
const clock = { now: () => NOW }
const ARGS = ['decide', 'g', 'done']
const RESOLVE = {
  plan: (token: Parameters<typeof planResolve>[0], now: number) => planResolve(token, {}, now),
  args: ARGS,
  clock,
}
const keyOf = (nth: number) => ({ pk: `lock#orders/r${nth}`, sk: 'token' })

async function plant(store: Store, number: number, error = 'cut') {
  await store.create(
    Array.from({ length: number }, (_, nth) => ({
      ...keyOf(nth),
      status: 'unknown',
      reason: 'unknown',
      attemptId: `a${nth}`,
      attempt: 1,
      fence: 7,
      death: 1,
      error: `${error} at ${nth}`,
      statusShard: `unknown#${nth % 8}`,
      dueAt: NOW - nth,
    })),
  )
  let group = ''
  for await (const parked of listParked(store)) group = parked.group
  const tokens: PlannedToken[] = []
  const report = await planGroup(group, { store, ...RESOLVE }, (token) => tokens.push(token))
  return { group, tokens, report }
}

const apply = (store: Store, tokens: readonly PlannedToken[]): Promise<GroupChangeReport> =>
  applyGroup(tokens, {
    store,
    ...RESOLVE,
    by: 'ann',
    why: 'seen at the bank',
    messenger: undefined as never,
    onPage: async () => undefined,
  })

async function tokenAt(store: Store, nth: number) {
  const [read] = await store.read([keyOf(nth)], { consistent: true })
  return read?.kind === 'found' ? read.item : undefined
}

/** As another operator, or a redriven attempt, changes it. */
const touched = (nth: number): Update => ({
  key: keyOf(nth),
  where: [],
  set: { attemptId: 'another', fence: 8 },
})

/** Something else changes the token just before it is written to. */
function touchedBefore(store: Store, nth: number): Store {
  let done = false
  return {
    ...store,
    update: async (updates) => {
      if (!done && updates.some(({ key }) => key.pk === keyOf(nth).pk)) {
        done = true
        await store.update([touched(nth)])
      }
      return store.update(updates)
    },
  }
}

const unconditional = (store: Store): Store => ({
  ...store,
  update: (updates) => store.update(updates.map((update) => ({ ...update, where: [] }))),
})

describe.each(Object.entries(STORES))('a plan for a group, in %s', (_, open) => {
  it('leaves what has changed since it was made', async () => {
    const store = await open()
    const { tokens } = await plant(store, 3)
    await store.update([touched(1)])
    const { changed, left } = await apply(store, tokens)
    expect(changed.toSorted()).toEqual(['orders/r0', 'orders/r2'])
    expect(left).toEqual([{ id: 'orders/r1', because: 'it has changed since the plan was made' }])
    expect(await tokenAt(store, 1)).toMatchObject({ status: 'unknown', fence: 8 })
  })

  it('leaves what changes between its read and its write', async () => {
    const store = await open()
    const { tokens } = await plant(store, 3)
    const { changed, left } = await apply(touchedBefore(store, 1), tokens)
    expect(changed).toHaveLength(2)
    expect(left).toMatchObject([{ id: 'orders/r1' }])
    expect(await tokenAt(store, 1)).toMatchObject({ status: 'unknown', attemptId: 'another' })
  })

  it('without its conditions would end an attempt that nobody has seen', async () => {
    const store = await open()
    const { tokens } = await plant(store, 3)
    const { left } = await apply(touchedBefore(unconditional(store), 1), tokens)
    expect(left).toEqual([])
    expect(await tokenAt(store, 1)).not.toHaveProperty('status')
  })

  it('without the names of the plans would do so, too', async () => {
    const store = await open()
    const { tokens, group } = await plant(store, 2)
    await store.update([touched(1)])
    const anew: PlannedToken[] = []
    await planGroup(group, { store, ...RESOLVE }, (token) => anew.push(token))
    expect(anew).not.toEqual(tokens)
    expect((await apply(store, anew)).left).toEqual([])
  })

  it.each(['before', 'after'] as const)(
    'that dies %s any of its calls is applied again, and changes each once',
    async (when) => {
      let [died, number] = [true, 0]
      for (let nth = 1; died; nth++) {
        const store = await open()
        const { tokens } = await plant(store, 4)
        const { mortal, calls } = dying(store, nth, when)
        died = await apply(mortal, tokens).then(
          () => false,
          () => true,
        )
        number = calls()
        const { changed, already, left } = await apply(store, tokens)
        expect(changed.length + already).toBe(4)
        expect(left).toEqual([])
        for (let at = 0; at < 4; at++) {
          const why = { operatorWhy: 'seen at the bank' }
          expect(await tokenAt(store, at)).toMatchObject({ fence: 8, ...why })
        }
      }
      expect(number).toBeGreaterThan(3)
    },
  )
})

/** No call is answered from the nth on; `after`: that one still takes place. */
function dying(store: Store, nth: number, when: 'before' | 'after') {
  let calls = 0
  const mortal = async <T>(call: () => Promise<T>): Promise<T> => {
    calls += 1
    if (calls > nth || (calls === nth && when === 'before')) throw new Error('killed')
    const answer = await call()
    if (calls >= nth) throw new Error('killed')
    return answer
  }
  return {
    calls: () => calls,
    mortal: {
      ...store,
      read: (...args) => mortal(() => store.read(...args)),
      update: (updates) => mortal(() => store.update(updates)),
    } satisfies Store,
  }
}
