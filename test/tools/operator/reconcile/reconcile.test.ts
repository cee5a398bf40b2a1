import { dynamoDbStore } from 'lineclear/dynamodb'
import { dynamoDbReader } from '../../../../src/tools/operator/aws/tableReader.ts'
import type { LedgerAnomaly } from '../../../../src/tools/operator/reconcile/report.ts'
import type { LedgerRow } from '../../../../src/tools/operator/reconcile/knownRequest.ts'
import { reconcile } from '../../../../src/tools/operator/reconcile/reconcile.ts'
import type { ReconcileOptions } from '../../../../src/tools/operator/reconcile/options.ts'
import { memoryStore } from 'lineclear/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Store } from '../../../../src/library/protocol/store/store.ts'
import { randomOf } from '../../../proof/campaign/plan.ts'
import { createTables, type Engine, startDynoxide } from '../../../store/dynoxide.ts'
import { dynamodbWithoutSdk } from '../../../testing/withoutSdk.ts'
import { completeRequest, type Course, DAY, makeRequests, memoryReader, NOW } from './requests.ts'

let engine: Engine
beforeAll(async () => {
  engine = await startDynoxide()
})
afterAll(() => engine.stop())

interface Place {
  readonly store: Store
  readonly table: ReconcileOptions['table']
}

const STORES: Readonly<Record<string, () => Promise<Place>>> = {
  memory: async () => {
    const store = memoryStore()
    return { store, table: memoryReader(store) }
  },
  DynamoDB: async () => {
    const client = dynamodbWithoutSdk(engine.client(), engine.endpoint)
    const { tableName } = await createTables(client)
    return {
      store: dynamoDbStore({ tableName, client }),
      table: dynamoDbReader({ tableName, client }),
    }
  },
}

const clock = { now: () => NOW, sleep: async () => {} }
const base = { consumer: 'orders', clock } as const

/** `kind id`, sorted. */
function namesOf(anomalies: readonly LedgerAnomaly[]): readonly string[] {
  return anomalies.map(({ kind, id }) => `${kind} ${id}`).toSorted()
}

function row(id: string, at = NOW - 1_000): LedgerRow {
  return { id, at }
}

describe.each(Object.keys(STORES))('on %s', (name) => {
  const open = STORES[name] as () => Promise<Place>

  it('finds every planted loss and double, and nothing else', async () => {
    for (let seed = 1; seed <= 4; seed++) {
      const { store, table } = await open()
      const { courses, rows, planted } = plant(seed, name === 'memory' ? 300 : 80)
      await makeRequests(store, courses)
      const report = await reconcile({ ...base, table, effects: ['book'], ledger: () => rows })
      expect(namesOf(report.anomalies), `seed ${seed}`).toEqual(planted.toSorted())
      expect(report.verdict).toBe('anomalies')
      expect(report.requests).toBe(courses.size)
      expect(report.rows).toBe(rows.length)
    }
  })

  it('without plants the books are balanced', async () => {
    const { store, table } = await open()
    const { courses, sound } = plant(5, 60)
    await makeRequests(store, courses)
    const report = await reconcile({ ...base, table, effects: ['book'], ledger: () => sound })
    expect(report).toMatchObject({ verdict: 'balanced', anomalies: [], requests: courses.size })
  })

  it('a consumer that runs meanwhile is not reported', async () => {
    const { store, table } = await open()
    await makeRequests(
      store,
      new Map([
        ['early', 'claimed'],
        ['marked', 'marked'],
      ]),
    )
    const ledger = async function* () {
      await makeRequests(
        store,
        new Map([
          ['new', 'completed'],
          ['newer', 'marked'],
        ]),
      )
      await completeRequest(store, 'early')
      yield* [row('early'), row('marked'), row('new'), row('newer')]
      await completeRequest(store, 'marked')
      await completeRequest(store, 'newer')
    }
    const report = await reconcile({ ...base, table, effects: ['book'], ledger })
    expect(report.anomalies).toEqual([])
  })

  it('an id that a message cannot carry is known by its hash, as the consumer computes it', async () => {
    const { store, table } = await open()
    const ids = ['order 17', 'é', 'x'.repeat(3_000), 'half \uD800']
    await makeRequests(store, new Map(ids.map((id) => [id, 'completed'])))
    const sound = await reconcile({ ...base, table, ledger: () => ids.map((id) => row(id)) })
    expect(sound).toMatchObject({ verdict: 'balanced', right: 4 })
    const twice = await reconcile({
      ...base,
      table,
      ledger: () => [...ids, ...ids].map((id) => row(id)),
    })
    expect(namesOf(twice.anomalies)).toEqual(ids.map((id) => `double ${id}`).toSorted())
  })

  it('ids of other consumers, and names that begin alike, are left out', async () => {
    const { store, table } = await open()
    await makeRequests(store, new Map([['r1', 'completed']]))
    const report = await reconcile({ ...base, consumer: 'order', table, ledger: () => [] })
    expect(report).toMatchObject({ verdict: 'nothing checked', requests: 0 })
  })
})

/** Requests of all courses, their sound ledger, and one with losses and doubles. */
function plant(seed: number, count: number) {
  const random = randomOf(seed)
  const courses = new Map<string, Course>()
  const sound: LedgerRow[] = []
  const rows: LedgerRow[] = []
  const planted: string[] = []
  const COURSES = [
    'completed',
    'completed',
    'completed',
    'claimed',
    'marked',
    'dead',
    'dead marked',
  ] as const
  for (let nth = 0; nth < count; nth++) {
    const id = `o-${seed}/${nth}`
    const course = COURSES[Math.floor(random() * COURSES.length)] ?? 'completed'
    courses.set(id, course)
    const due = course === 'completed' || course.endsWith('marked') ? [row(id)] : []
    sound.push(...due)
    const wrong = random() < 0.1
    if (!wrong) rows.push(...due)
    else if (due.length === 0) {
      planted.push(`unmarked ${id}`)
      rows.push(row(id))
    } else if (random() < 0.5) planted.push(`lost ${id}`)
    else {
      planted.push(`double ${id}`)
      rows.push(row(id), ...due)
    }
    if (random() < 0.02) {
      planted.push(`foreign stray-${nth}`)
      rows.push(row(`stray-${nth}`))
    }
  }
  return { courses, sound, rows: rows.toSorted(() => random() - 0.5), planted }
}

async function inMemory(courses: readonly (readonly [string, Course])[], now = NOW) {
  const store = memoryStore()
  await makeRequests(store, new Map(courses), now)
  return { ...base, table: memoryReader(store) }
}

describe('what the table cannot show is not called balanced', () => {
  it('rows whose request may have been forgotten', async () => {
    const options = await inMemory([['r1', 'completed']])
    const ledger = () => [row('r1'), row('old', NOW - 31 * DAY), { id: 'no time' }]
    const report = await reconcile({ ...options, ledger })
    expect(report).toMatchObject({ verdict: 'balanced', right: 1, unchecked: { forgotten: 2 } })
  })

  it('a shorter retention that a token shows counts', async () => {
    const options = await inMemory([['r1', 'completed']])
    const ledger = () => [row('r1'), row('lost long ago', NOW - 29 * DAY)]
    const longer = await reconcile({ ...options, ledger, retention: 90 * DAY })
    expect(namesOf(longer.anomalies)).toEqual(['foreign lost long ago'])
    const shorter = await reconcile({ ...options, ledger, retention: DAY })
    expect(shorter).toMatchObject({ anomalies: [], unchecked: { forgotten: 1 } })
  })

  it('requests that completed after the ledger was exported', async () => {
    const options = await inMemory([['r1', 'completed']])
    const report = await reconcile({ ...options, ledger: () => [], until: NOW - 1 })
    expect(report).toMatchObject({ verdict: 'nothing checked', unchecked: { late: 1 } })
    const exported = await reconcile({ ...options, ledger: () => [], until: NOW })
    expect(namesOf(exported.anomalies)).toEqual(['lost r1'])
  })

  it('a window in the future is refused', async () => {
    const options = await inMemory([['r1', 'completed']])
    for (const name of ['since', 'until'] as const) {
      const future = reconcile({ ...options, ledger: () => [], [name]: NOW + 1 })
      await expect(future).rejects.toThrow(`reconcile: ${name}: expected a time that is past`)
    }
  })

  it('requests that may have made their effect before the rows begin', async () => {
    const options = await inMemory([['r1', 'completed']], NOW - DAY)
    const since = NOW - DAY + 1
    const report = await reconcile({ ...options, ledger: () => [], since })
    expect(report).toMatchObject({ verdict: 'nothing checked', unchecked: { early: 1 } })
    const earlier = await reconcile({ ...options, ledger: () => [], since: NOW - DAY })
    expect(namesOf(earlier.anomalies)).toEqual(['lost r1'])
  })

  it('requests in progress, without names of effects', async () => {
    const options = await inMemory([
      ['r1', 'claimed'],
      ['r2', 'marked'],
      ['r3', 'claimed'],
    ])
    const report = await reconcile({ ...options, ledger: () => [row('r1'), row('r3'), row('r3')] })
    expect(report).toMatchObject({ verdict: 'anomalies', open: 2, right: 0 })
    expect(namesOf(report.anomalies)).toEqual(['double r3'])
  })

  it('rows outside the window', async () => {
    const options = await inMemory([['r1', 'completed']])
    const ledger = () => [row('r1'), row('later', NOW + 5), row('earlier', NOW - 2 * DAY)]
    const window = { since: NOW - DAY, until: NOW }
    const report = await reconcile({ ...options, ledger, ...window })
    expect(report).toMatchObject({ verdict: 'balanced', unchecked: { outside: 2 } })
  })
})

describe('what a request should have', () => {
  it('a number, a range, or a function of the id', async () => {
    const options = await inMemory([
      ['one', 'completed'],
      ['two', 'completed'],
      ['none', 'completed'],
    ])
    const ledger = () => [row('one'), row('two'), row('two')]
    const kinds = async (expected: ReconcileOptions['expect']) =>
      namesOf((await reconcile({ ...options, ledger, expect: expected })).anomalies)
    expect(await kinds(2)).toEqual(['lost none', 'lost one'])
    expect(await kinds({ least: 0, most: 1 })).toEqual(['double two'])
    expect(await kinds((id) => ['none', 'one', 'two'].indexOf(id))).toEqual([])
  })

  it('effects that the rows name are counted apart', async () => {
    const options = await inMemory([
      ['r1', 'completed'],
      ['r2', 'completed'],
      ['r3', 'marked'],
    ])
    const ledger = () => [
      { id: 'r1', effect: 'book' },
      { id: 'r1', effect: 'book' },
      { id: 'r2', effect: 'book' },
      { id: 'r2', effect: 'tell' },
      { id: 'r2', effect: 'something else' },
      { id: 'r3', effect: 'book' },
      { id: 'r3', effect: 'tell' },
    ]
    const report = await reconcile({ ...options, ledger, effects: ['book', 'tell'] })
    const found = report.anomalies.map(({ kind, id, effect }) => `${kind} ${id} ${effect}`)
    expect(found).toEqual(['double r1 book', 'lost r1 tell', 'unmarked r3 tell'])
    expect(report).toMatchObject({ right: 2, open: 1, ignoredRows: 1 })
    const calls = await reconcile({ ...options, ledger, effects: ['book'], calls: ['tell'] })
    expect(namesOf(calls.anomalies)).toEqual(['double r1', 'lost r1'])
  })

  it('counts may be sums, texts of a database, and reversals', async () => {
    const options = await inMemory([
      ['r1', 'completed'],
      ['r2', 'completed'],
      ['r3', 'completed'],
    ])
    const ledger = () => [
      { id: 'r1', count: '2' },
      { id: 'r1', count: -1 },
      { id: 'r2', count: 3n },
      { id: 'r3', count: 0 },
    ]
    const { anomalies } = await reconcile({ ...options, ledger })
    expect(namesOf(anomalies)).toEqual(['double r2', 'lost r3'])
  })

  it('the worst is first, and at most as many as asked for are listed', async () => {
    const ids = ['a', 'b', 'c', 'd']
    const options = await inMemory(ids.map((id) => [id, 'completed'] as const))
    const ledger = () => ids.flatMap((id, nth) => Array.from({ length: nth + 1 }, () => row(id)))
    const all = await reconcile({ ...options, ledger })
    expect(all.anomalies.map(({ id, count }) => [id, count])).toEqual([
      ['d', 4],
      ['c', 3],
      ['b', 2],
    ])
    const some = await reconcile({ ...options, ledger, most: 1 })
    expect(some.anomalies).toHaveLength(1)
    expect(some.counts.double).toBe(3)
  })
})

describe('a ledger that cannot be read', () => {
  it('fails half-way: the run rejects, and nothing is balanced', async () => {
    const options = await inMemory([['r1', 'completed']])
    const ledger = async function* () {
      yield row('r1')
      throw new Error('connection lost')
    }
    await expect(reconcile({ ...options, ledger })).rejects.toThrow(
      'The ledger failed after 1 row: Error: connection lost. Nothing was compared.',
    )
  })

  it.each([
    [[null], 'row 1: expected an object such as { id }; got null'],
    [[{}], 'row 1: id: expected a text'],
    [
      [{ id: '' }],
      'row 1: id: expected a text, or a whole number of at most 2^53 - 1; got an empty',
    ],
    [[row('a'), { id: 1.5 }], 'row 2: id: expected'],
    [[{ id: 'a', count: 1.5 }], 'row 1: count: expected a whole number; got a number'],
    [[{ id: 'a', count: 'many' }], 'row 1: count: expected a whole number; got "many"'],
    [[{ id: 'a', at: '2026-01-31 12:00' }], 'got "2026-01-31 12:00"'],
    [[{ id: 'a', effect: 'book' }], "its effect is 'book'; expected effects or calls"],
    [[{ id: 'a' }, { id: 'a', effect: 'book' }], 'row 2: expected no effect'],
    ['rows', 'it returned a text'],
    [undefined, 'it returned nothing'],
  ])('%j', async (rows, text) => {
    const options = await inMemory([])
    await expect(reconcile({ ...options, ledger: () => rows as never })).rejects.toThrow(text)
  })

  it.each([
    [{ consumer: undefined }, 'reconcile: expected consumer or flow; got neither'],
    [{ flow: 'trip' }, 'reconcile: expected consumer or flow; got both'],
    [{ expect: -1 }, 'reconcile: expect: expected a whole number from 0'],
    [{ expect: { least: 2, most: 1 } }, 'reconcile: expect: expected'],
  ])('options %j', async (options, text) => {
    const given = { ...(await inMemory([])), ledger: () => [], ...options }
    await expect(reconcile(given as never)).rejects.toThrow(text)
  })
})
