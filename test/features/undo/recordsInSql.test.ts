import {
  compensate,
  type MadeEffect,
  recordHandler,
  type Store,
  sweepHandler,
  TerminalError,
} from 'lineclear'
import type { LocalCloud } from 'lineclear/local'
import { type PostgresEffects, postgresEffects, type PostgresTransaction } from 'lineclear/postgres'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { deliver, emptyAll, flowHarness, send, startFlowCloud } from '../../flow/flowHarness.ts'
import { applyPlan } from '../../../src/tools/operator/plan/applyPlan.ts'
import { NO_READER } from '../../tools/operator/noReader.ts'
import { planDecision } from '../../../src/tools/operator/plan/planDecision.ts'
import { awsMessenger } from '../../../src/send/awsMessenger.ts'
import { notIn } from '../../proof/hostile/mode.ts'
import { openDatabase } from '../sql/database.ts'
import { Order } from './harness.ts'
import { mortal } from './mortal.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startFlowCloud()
})
afterEach(() => emptyAll(cloud))
afterAll(() => cloud.stop())

const ALONE = notIn(['killed', 'clocks'], 'it counts what each delivery does')
type Database = Awaited<ReturnType<typeof openDatabase>>
type Sql = PostgresEffects<PostgresTransaction>

interface Behaviour {
  readonly through?: (store: Store) => Store
  /** Within the transaction of the booking, before its end. */
  readonly inside?: () => unknown
  readonly sql?: Sql
  /** Default 1. */
  readonly maxAttempts?: number
}

/** Books an order in PostgreSQL and fails for good; its undo deletes the booking. */
function bookings(database: Database, behaviour: Behaviour = {}) {
  const harness = flowHarness(cloud)
  const { clock, store } = harness
  const { sql = database.effects } = behaviour
  const undone: MadeEffect[] = []
  const book = recordHandler(
    {
      ...harness.options,
      store: behaviour.through?.(store) ?? store,
      name: 'orders',
      schema: Order,
      id: ({ key }) => key,
      retry: { delay: () => 0, maxAttempts: behaviour.maxAttempts ?? 1 },
      sql,
      undo: compensate(
        Order,
        {
          book: async ({ sku }, ctx, made) => {
            undone.push(made)
            await ctx.sql('unbook', async (tx) => {
              await tx.query('DELETE FROM bookings WHERE by = $1', [sku])
              await tx.query("INSERT INTO bookings (id, by) VALUES ('undone', $1)", [sku])
            })
          },
        },
        { sql },
      ),
    },
    async (order, ctx) => {
      await ctx.sql('book', async (tx) => {
        await tx.query("INSERT INTO bookings (id, by) VALUES ('a', $1)", [order.sku])
        await behaviour.inside?.()
        return `booked ${order.sku}`
      })
      throw new TerminalError('refused')
    },
  )
  const sweep = sweepHandler({
    store,
    clock,
    logger: harness.options.logger,
    clients: { sqs: cloud.sqs },
  })
  return {
    harness,
    undone,
    place: () => send(cloud, 'book', { key: 'r1', sku: 'pear' }),
    run: () => deliver(cloud, 'book', book),
    token: () => store.items().find(({ pk, sk }) => pk === 'lock#orders/r1' && sk === 'token'),
    /** An operator asks for the undo. */
    undo: async () => {
      const plan = await planDecision(
        'lock#orders/r1',
        'undo',
        {},
        { reader: NO_READER, store, now: clock.now() },
      )
      if (plan.kind !== 'change') throw new Error(plan.because)
      const messenger = awsMessenger({ sqs: cloud.sqs, sns: undefined, inMemory: undefined })
      const operator = { by: 'me', why: 'wrong', force: false, now: clock.now(), messenger }
      return (await applyPlan(store, plan, operator)).kind
    },
    settle: async (): Promise<void> => {
      for (let round = 0; round < 2; round++) {
        clock.advance(13 * 3_600_000)
        await sweep()
        await deliver(cloud, 'book', book)
      }
    },
  }
}

/** The first call waits at the gate until it is opened. */
function openGate() {
  const [arrived, opened] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let isFirst = true
  const wait = async (): Promise<void> => {
    if (!isFirst) return
    isFirst = false
    arrived.resolve()
    await opened.promise
  }
  return { wait, arrived: arrived.promise, open: opened.resolve }
}

describe('effects in SQL of a dead record', () => {
  it('are undone in SQL, once, with the stored result', ALONE, async () => {
    const database = await openDatabase()
    const { place, run, undo, settle, undone, token } = bookings(database)
    await place()
    await run()
    expect(await database.bookings('a')).toEqual(['pear'])
    expect(await undo()).toBe('applied')
    await settle()
    expect(undone).toMatchObject([
      { name: 'book', state: 'yes', answer: 'booked pear', uniqueRequestId: 'r1' },
    ])
    expect(await database.bookings('a')).toEqual([])
    expect(await database.bookings('undone')).toEqual(['pear'])
    expect(token()).toMatchObject({ status: 'undone' })
  })

  it('what was rolled back is not undone', ALONE, async () => {
    const database = await openDatabase()
    const { place, run, undo, settle, undone, token } = bookings(database, {
      inside: () => {
        throw new TerminalError('no')
      },
    })
    await place()
    await run()
    await undo()
    await settle()
    expect([undone, token()?.['status']]).toEqual([[], 'undone'])
  })

  it('nothing is undone when nobody knows any more what was made', ALONE, async () => {
    const database = await openDatabase()
    const { place, run, undo, settle, undone, token, harness } = bookings(database)
    await place()
    await run()
    await undo()
    harness.clock.advance(31 * 86_400_000)
    await settle()
    expect([undone, token()?.['status']]).toEqual([[], 'undoing'])
    expect(JSON.stringify(harness.lines)).toContain('is no longer kept')
  })

  it.each([2, 3])(
    'the undo is killed at call %i of the table, after its transaction or before',
    ALONE,
    async (nth) => {
      const life = { left: Number.POSITIVE_INFINITY }
      const database = await openDatabase()
      const scene = bookings(database, {
        through: (store) => mortal(store, life),
        maxAttempts: 3,
      })
      await scene.place()
      await scene.run()
      await scene.undo()
      life.left = nth
      await scene.run()
      life.left = Number.POSITIVE_INFINITY
      await scene.settle()
      expect(await database.bookings('undone')).toEqual(['pear'])
      expect(await database.bookings('a')).toEqual([])
      expect(scene.token()).toMatchObject({ status: 'undone' })
    },
  )
})

/** The first attempt is frozen where `behaviour` says; its lease ends, and it is dead-lettered and undone before it wakes up. */
async function frozen(
  database: Database,
  gate: ReturnType<typeof openGate>,
  behaviour: Behaviour,
  waits: boolean,
) {
  const scene = bookings(database, behaviour)
  await scene.place()
  const first = scene.run()
  await gate.arrived
  scene.harness.clock.advance(3_600_000)
  await scene.place()
  const rest = scene
    .run()
    .then(scene.undo)
    .then(() => scene.settle())
  await (waits ? new Promise((resolve) => setTimeout(resolve, 300)) : rest)
  gate.open()
  await Promise.all([first, rest])
  return scene
}

/** The first transaction has begun, and its statement arrives at the fence when the gate is opened. */
function lateAtFence({ pool }: Database, wait: () => Promise<void>): Sql {
  return postgresEffects({
    on: (...given) => pool.on(...given),
    connect: async () => {
      const client = await pool.connect()
      return {
        query: async (query, values) => {
          if (typeof query === 'string' && query.includes('lineclear_fence')) await wait()
          return client.query<never>(query as string, values)
        },
        on: (...given) => client.on(...given),
        off: (...given) => client.off(...given),
        release: (destroy) => client.release(destroy),
      }
    },
  })
}

const noRaise = (sql: Sql): Sql => ({ ...sql, raise: async () => {} })

/** As if the undo read the marks without raising the fence. */
function noFence({ pool }: Database, sql: Sql): Sql {
  return {
    ...noRaise(sql),
    made: async ({ fencing: { subject } }) => {
      const text = 'SELECT name FROM lineclear_mark WHERE subject = $1'
      const { rows } = await pool.query<{ name: string }>(text, [subject])
      return new Map(rows.map(({ name }) => [name, undefined]))
    },
  }
}

describe('a late attempt of a record that is undone', () => {
  it('is refused by the fence', ALONE, async () => {
    const [database, gate] = [await openDatabase(), openGate()]
    const sql = lateAtFence(database, gate.wait)
    const { undone, token } = await frozen(database, gate, { sql }, false)
    expect([undone, await database.bookings('a')]).toEqual([[], []])
    expect(token()).toMatchObject({ status: 'undone' })
  })

  it('commits if the fence was not raised', ALONE, async () => {
    const [database, gate] = [await openDatabase(), openGate()]
    const sql = noFence(database, lateAtFence(database, gate.wait))
    await frozen(database, gate, { sql }, false)
    expect(await database.bookings('a')).toEqual(['pear'])
  })

  it.each([
    ['before the dead letter leaves', (sql: Sql) => sql],
    ['before the undo reads the marks', noRaise],
  ])('its COMMIT is waited for %s, and undone', ALONE, async (_, change) => {
    const [database, gate] = [await openDatabase(), openGate()]
    const behaviour = { inside: gate.wait, sql: change(database.effects) }
    const { undone } = await frozen(database, gate, behaviour, true)
    expect(undone).toMatchObject([{ name: 'book', answer: 'booked pear' }])
    expect(await database.bookings('a')).toEqual([])
    expect(await database.bookings('undone')).toEqual(['pear'])
  })

  it('without the raise its COMMIT would stay for ever', ALONE, async () => {
    const [database, gate] = [await openDatabase(), openGate()]
    const behaviour = { inside: gate.wait, sql: noFence(database, database.effects) }
    const { undone, token } = await frozen(database, gate, behaviour, false)
    expect([undone, token()?.['status']]).toEqual([[], 'undone'])
    expect(await database.bookings('a')).toEqual(['pear'])
  })
})
