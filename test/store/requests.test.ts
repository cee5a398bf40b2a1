import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { jsonLogger } from '../../src/library/base/logger.ts'
import type { Item, StoreKey, Store, Update } from '../../src/library/protocol/store/store.ts'
import { createTables, type Engine, startDynoxide } from './dynoxide.ts'
import { answerStatements, type Call, serviceError } from './seam.ts'
import { WAYS } from './ways.ts'

let engine: Engine
let tableName: string
beforeAll(async () => {
  engine = await startDynoxide()
  tableName = (await createTables(engine.client())).tableName
})
afterAll(() => engine.stop())

type React = (call: Call) => ReturnType<Call['send']>

/** Engines that do not know the clause that asks for the item after an update. */
const WITHOUT_RETURNING: readonly (readonly [what: string, React, alone: number])[] = [
  [
    'refuses each statement with it',
    (call) =>
      call.command === 'BatchExecuteStatementCommand'
        ? answerStatements(call, ({ Statement = '' }) =>
            Statement.includes('RETURNING')
              ? { Error: { Code: 'ValidationError', Message: 'injected' } }
              : undefined,
          )
        : call.send(),
    4,
  ],
  [
    'refuses the whole call for it',
    async (call) => {
      if (JSON.stringify(call.input).includes('RETURNING'))
        throw serviceError('ValidationException')
      return call.send()
    },
    4,
  ],
  [
    'passes over it',
    async (call) => {
      const output = await call.send()
      if (!('Responses' in output) || !Array.isArray(output.Responses)) return output
      return { ...output, Responses: output.Responses.map((one) => ({ ...one, Item: undefined })) }
    },
    0,
  ],
]

/** An engine that reads one SET only, with a list, and no set_add. AWS reads both. */
function onlyLists(call: Call): ReturnType<Call['send']> {
  if (call.command !== 'BatchExecuteStatementCommand') return call.send()
  return answerStatements(call, ({ Statement = '' }) =>
    /SET .* SET |set_add/.test(Statement)
      ? { Error: { Code: 'ValidationError', Message: 'injected' } }
      : undefined,
  )
}

let tests = 0
function items(count: number): (Item & StoreKey)[] {
  tests += 1
  return Array.from({ length: count }, (_, nth) => ({
    pk: `${tests}-${nth}`,
    sk: 's',
    format: 1,
    n: 0,
  }))
}

function bump({ pk, sk }: StoreKey): Update {
  return { key: { pk, sk }, where: [{ field: 'n', is: '=', value: 0 }], set: { n: 1 } }
}

function times(count: number, command: string): string[] {
  return Array.from({ length: count }, () => `${command}Command`)
}

describe.each(WAYS)('$name:', (way) => {
  function open(react?: (call: Call) => ReturnType<Call['send']>): {
    store: Store
    requests: string[]
    lines: string[]
  } {
    const client = engine.client()
    if (react !== undefined) way.intercept(client, 'inside', react)
    const lines: string[] = []
    const logger = jsonLogger('DEBUG', (line) => lines.push(line))
    const store = way.open({ tableName, client, logger })
    return { store, requests: way.countRequests(client), lines }
  }

  describe('the requests of', () => {
    it.each([
      [1, times(1, 'PutItem')],
      [2, times(2, 'PutItem')],
      [3, times(1, 'BatchExecuteStatement')],
      [10, times(1, 'BatchExecuteStatement')],
      [100, times(4, 'BatchExecuteStatement')],
    ])('%i created', async (count, expected) => {
      const { store, requests } = open()
      await store.create(items(count))
      expect(requests).toEqual(expected)
    })

    it.each([
      [1, times(1, 'UpdateItem')],
      [2, times(2, 'UpdateItem')],
      [3, times(1, 'BatchExecuteStatement')],
      [10, times(1, 'BatchExecuteStatement')],
      [100, times(4, 'BatchExecuteStatement')],
    ])('%i updated', async (count, expected) => {
      const some = items(count)
      await open().store.create(some)
      const { store, requests } = open()
      const outcomes = await store.update(some.map(bump))
      expect(requests).toEqual(expected)
      expect(outcomes.map(({ kind }) => kind)).toEqual(some.map(() => 'applied'))
    })

    it.each([
      [1, times(1, 'PutItem')],
      [10, [...times(1, 'BatchExecuteStatement'), ...times(1, 'BatchGetItem')]],
      [100, [...times(4, 'BatchExecuteStatement'), ...times(1, 'BatchGetItem')]],
    ])('%i refused', async (count, expected) => {
      const some = items(count)
      await open().store.create(some)
      const { store, requests } = open()
      await store.create(some)
      expect(requests).toEqual(expected)
    })

    it.each([
      [1, times(1, 'GetItem')],
      [2, times(1, 'BatchGetItem')],
      [100, times(1, 'BatchGetItem')],
      [101, times(2, 'BatchGetItem')],
    ])('%i read', async (count, expected) => {
      const { store, requests } = open()
      await store.read(items(count))
      expect(requests).toEqual(expected)
    })

    it('an update, which ask for the item only if the caller reads it', async () => {
      const inputs: string[] = []
      const { store } = open((call) => {
        inputs.push(JSON.stringify(call.input))
        return call.send()
      })
      const [first = { pk: '', sk: '' }, second = { pk: '', sk: '' }] = items(2)
      await open().store.create([first, second])
      const applied = [
        await store.update([bump(first)]),
        await store.update([{ ...bump(second), needsNoItem: true }]),
      ]
      expect(applied.flat().map(({ kind }) => kind)).toEqual(['applied', 'applied'])
      expect(inputs.map((input) => input.includes('"ReturnValues":'))).toEqual([true, false])
    })

    it('a batch of updates, which asks for the items of those that the caller reads', async () => {
      const asked: boolean[] = []
      const { store } = open((call) => {
        const { Statements = [] } = call.input as { Statements?: { Statement: string }[] }
        asked.push(...Statements.map(({ Statement }) => Statement.endsWith(' RETURNING ALL NEW *')))
        return call.send()
      })
      const some = items(4)
      await open().store.create(some)
      const updates = some.map(bump)
      const outcomes = await store.update(
        updates.map((one, nth) => (nth % 2 === 0 ? one : { ...one, needsNoItem: true })),
      )
      expect(asked).toEqual([true, false, true, false])
      const after = (nth: number) => (nth % 2 === 0 ? { ...some[nth], n: 1 } : undefined)
      expect(outcomes).toEqual(some.map((_, nth) => ({ kind: 'applied', item: after(nth) })))
    })

    it.each(WITHOUT_RETURNING)(
      'a batch of updates on an engine that %s, which it asks once',
      async (_, react, alone) => {
        const { store, requests } = open(react)
        const [some, others] = [items(4), items(4)]
        await open().store.create([...some, ...others])
        const kindsOf = async (keys: readonly StoreKey[]): Promise<string[]> =>
          (await store.update(keys.map(bump))).map(({ kind }) => kind)
        const applied = times(4, '').map(() => 'applied')
        expect(await kindsOf(some)).toEqual(applied)
        expect(requests.filter((one) => one === 'UpdateItemCommand')).toHaveLength(alone)
        requests.length = 0
        expect(await kindsOf(others)).toEqual(applied)
        expect(requests).toEqual(times(1, 'BatchExecuteStatement'))
        const [done = { item: undefined }] = await store.update(others.map(bump))
        expect(done).toEqual({ kind: 'refused', item: { ...others[0], n: 1 } })
      },
    )

    it('a key named twice', async () => {
      const { store, requests } = open()
      const some = items(4)
      await store.create([...some, ...some.slice(0, 1)])
      expect(requests).toEqual([...times(1, 'BatchExecuteStatement'), ...times(1, 'PutItem')])
    })

    it('a shape of update that the engine cannot read, which it learns', async () => {
      const { store, requests, lines } = open(onlyLists)
      const some = items(4)
      await store.create(some)
      const change = (what: Pick<Update, 'set' | 'addTo'>): Promise<unknown> => {
        requests.length = 0
        const updates = some.map(({ pk, sk }) => ({ key: { pk, sk }, where: [], ...what }))
        return store.update(updates.map((one) => ({ ...one, needsNoItem: true })))
      }
      await change({ set: { a: 1, b: 2 } })
      expect(requests).toEqual([...times(1, 'BatchExecuteStatement'), ...times(4, 'UpdateItem')])
      await change({ set: { a: 3, b: 4 } })
      expect(requests).toEqual(times(1, 'BatchExecuteStatement'))
      const addTo = { field: 'names', member: 'm' }
      await change({ set: { a: 1 }, addTo })
      await change({ set: { a: 1 }, addTo })
      await change({ set: { a: 1 }, addTo })
      expect(requests).toEqual(times(4, 'UpdateItem'))
      await change({ set: { a: 5, b: 6 } })
      expect(requests).toEqual(times(1, 'BatchExecuteStatement'))
      // The first store of the process also says why it calls through the SDK.
      const learnt = lines.filter((line) => line.includes('cannot read'))
      expect(learnt).toHaveLength(3)
      expect(learnt[0]).toMatch(/"DEBUG".*cannot read.*SET/)
    })
  })
})
