import { compensate, defineFlow, type MadeEffect, sweepHandler } from 'lineclear'
import type { LocalCloud } from 'lineclear/local'
import type { PostgresEffects, PostgresTransaction } from 'lineclear/postgres'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { deliver, emptyAll, flowHarness, startFlowCloud } from '../../flow/flowHarness.ts'
import { applyPlan } from '../../../src/tools/operator/plan/applyPlan.ts'
import { NO_READER } from '../../tools/operator/noReader.ts'
import { planDecision } from '../../../src/tools/operator/plan/planDecision.ts'
import { awsMessenger } from '../../../src/send/awsMessenger.ts'
import { notIn } from '../../proof/hostile/mode.ts'
import { openDatabase } from '../sql/database.ts'
import { Order, type OrderPlaced } from './harness.ts'

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
  /** Within the transaction of the booking, before its end. */
  readonly inside?: (sku: string) => unknown
  /** After the booking. */
  readonly after?: (sku: string) => unknown
  /** What the booking sends on. Default: the order. */
  readonly ships?: (order: OrderPlaced) => OrderPlaced
  /** In the undo, after the booking is deleted. */
  readonly undoing?: () => unknown
}

/** Books an order in PostgreSQL; its undo deletes the booking. */
function bookings(database: Database, behaviour: Behaviour = {}, sql: Sql = database.effects) {
  const harness = flowHarness(cloud)
  const undone: MadeEffect[] = []
  const flow = defineFlow({
    ...harness.options,
    name: 'trip',
    key: ({ key }) => key,
    onConflict: 'supersede',
    retry: { delay: () => 0, maxAttempts: 3 },
    sql,
    stages: {
      book: {
        schema: Order,
        queueUrl: cloud.queueUrl('book'),
        undo: compensate(
          Order,
          {
            book: async ({ sku }, ctx, made) => {
              undone.push(made)
              await ctx.sql('unbook', async (tx) => {
                await tx.query('DELETE FROM bookings WHERE by = $1', [sku])
                await tx.query("INSERT INTO bookings (id, by) VALUES ('undone', $1)", [sku])
              })
              await behaviour.undoing?.()
            },
            note: 'keep',
          },
          { sql },
        ),
      },
      ship: {
        schema: Order,
        queueUrl: cloud.queueUrl('ship'),
        undo: compensate(Order, {}, { sql }),
      },
    },
  })
  const book = flow.stageHandler('book', async (order, ctx) => {
    await ctx.sql('book', async (tx) => {
      await tx.query("INSERT INTO bookings (id, by) VALUES ('a', $1)", [order.sku])
      await behaviour.inside?.(order.sku)
      return `booked ${order.sku}`
    })
    await behaviour.after?.(order.sku)
    await ctx.sql('note', (tx) => tx.query("INSERT INTO bookings (id, by) VALUES ('note', '')"))
    await ctx.next('ship', behaviour.ships?.(order) ?? order)
  })
  const ship = flow.stageHandler('ship', () => {})
  const { clock, store } = harness
  const at = clock.now() - 10_000
  const sweep = sweepHandler({
    store,
    clock,
    logger: harness.options.logger,
    clients: { sqs: cloud.sqs },
  })
  return {
    harness,
    flow,
    book,
    ship,
    undone,
    start: (id: string, sku: string, later = 0): Promise<unknown> =>
      flow.start({ key: 'k', sku }, { uniqueRequestId: id, sentAt: at + later }),
    parked: (id: string) => store.items().find(({ sk }) => sk === `dead#${id}`),
    /** Lets leases end, and delivers what the sweeper asks for. */
    settle: async (): Promise<void> => {
      await deliver(cloud, 'ship', ship)
      for (let round = 0; round < 3; round++) {
        harness.clock.advance(13 * 3_600_000)
        await sweep()
        await deliver(cloud, 'ship', ship)
        await deliver(cloud, 'book', book)
      }
    },
    /** The operator asks for the undo of r1. */
    undoDead: async () => {
      const plan = await planDecision(
        'flow#trip/k',
        'undo',
        { request: 'r1' },
        { reader: NO_READER, store, now: clock.now() },
      )
      if (plan.kind !== 'change') return plan.because
      const messenger = awsMessenger({ sqs: cloud.sqs, sns: undefined, inMemory: undefined })
      const operator = { by: 'me', why: 'wrong', force: false, now: clock.now(), messenger }
      return (await applyPlan(store, plan, operator)).kind
    },
  }
}

/** As if the undo read the marks without raising the fence. */
function withoutRaise({ effects, pool }: Database): Sql {
  return {
    ...effects,
    made: async ({ fencing: { subject, request, stage } }) => {
      const { rows } = await pool.query<{ name: string }>(
        'SELECT name FROM lineclear_mark WHERE subject = $1 AND request = $2 AND stage = $3',
        [subject, request, stage],
      )
      return new Map(rows.map(({ name }) => [name, undefined]))
    },
  }
}

describe('effects in SQL of a run that is superseded', () => {
  it('are undone in SQL, once, with the stored result', ALONE, async () => {
    const database = await openDatabase()
    const { start, book, undone, settle, parked } = bookings(database)
    await start('r1', 'pear')
    await deliver(cloud, 'book', book)
    await start('r2', 'fig', 1)
    await deliver(cloud, 'book', book)
    await settle()
    expect(undone).toMatchObject([
      { name: 'book', state: 'yes', answer: 'booked pear', uniqueRequestId: 'r1' },
    ])
    expect(await database.bookings('a')).toEqual(['fig'])
    expect(await database.bookings('undone')).toEqual(['pear'])
    expect(await database.bookings('note')).toHaveLength(2)
    expect(parked('r1')).toMatchObject({ ending: 'superseded', undo: 'undone' })
  })

  it('an undo that fails after its transaction does not make it again', ALONE, async () => {
    let failures = 1
    const database = await openDatabase()
    const { start, book, undone, settle } = bookings(database, {
      undoing: () => {
        failures -= 1
        if (failures >= 0) throw new Error('not yet')
      },
    })
    await start('r1', 'pear')
    await deliver(cloud, 'book', book)
    await start('r2', 'fig', 1)
    await deliver(cloud, 'book', book)
    await settle()
    expect(undone).toHaveLength(2)
    expect(await database.bookings('undone')).toEqual(['pear'])
  })

  it('what was rolled back is not undone, and the end is noted', ALONE, async () => {
    const database = await openDatabase()
    const { start, book, undone, flow, settle, parked } = bookings(database, {
      inside: () => {
        throw new Error('no')
      },
    })
    await start('r1', 'pear')
    await deliver(cloud, 'book', book)
    await flow.reset('k', { undo: true })
    await settle()
    expect(undone).toEqual([])
    expect(parked('r1')).toMatchObject({ undo: 'undone' })
  })

  it('nothing is undone when nobody knows any more what was made', ALONE, async () => {
    const database = await openDatabase()
    const { start, book, undone, flow, settle, parked, harness } = bookings(database)
    await start('r1', 'pear')
    await deliver(cloud, 'book', book)
    await flow.reset('k', { undo: true })
    harness.clock.advance(31 * 86_400_000)
    await settle()
    expect(undone).toEqual([])
    expect(parked('r1')).not.toMatchObject({ undo: 'undone' })
    expect(JSON.stringify(harness.lines)).toContain('is no longer kept')
  })

  it('nor when the payload of a stage that had not settled is deleted', ALONE, async () => {
    const database = await openDatabase()
    const { start, book, flow, settle, parked, harness } = bookings(database, {
      after: () => {
        throw new Error('no')
      },
    })
    await start('r1', 'pear')
    await deliver(cloud, 'book', book)
    await flow.reset('k', { undo: true })
    harness.clock.advance(31 * 86_400_000)
    const key = { pk: 'flow#trip/k', sk: 'input#r1#book' }
    expect(harness.store.items()).toContainEqual(expect.objectContaining(key))
    await harness.store.update([{ key, where: [], remove: ['body', 'ttl'] }])
    await database.pool.query('DELETE FROM lineclear_mark')
    await settle()
    expect(parked('r1')).not.toMatchObject({ undo: 'undone' })
    expect(JSON.stringify(harness.lines)).toContain('is no longer kept')
  })
})

describe('effects in SQL of a dead request', () => {
  const LARGE = 'x'.repeat(400_000)
  const tooLarge = (order: OrderPlaced) => (order.sku === 'pear' ? { ...order, sku: LARGE } : order)

  /** Books r1; then its next stage is dead-lettered before its handler runs, because its payload cannot be kept. */
  async function dead(database: Database) {
    const scene = bookings(database, { ships: tooLarge })
    await scene.start('r1', 'pear')
    await deliver(cloud, 'book', scene.book)
    await deliver(cloud, 'ship', scene.ship)
    expect(scene.parked('r1')).toMatchObject({ ending: 'dead' })
    return scene
  }

  it('are undone when an operator asks for it, and no later ones', ALONE, async () => {
    const database = await openDatabase()
    const { undoDead: undo, settle, parked, start, undone, book } = await dead(database)
    await start('r2', 'fig', 1)
    await deliver(cloud, 'book', book)
    expect(await undo()).toBe('applied')
    await settle()
    expect(undone).toMatchObject([{ name: 'book', answer: 'booked pear' }])
    expect(await database.bookings('a')).toEqual(['fig'])
    expect(parked('r1')).toMatchObject({ undo: 'undone' })
  })

  it('are not undone when nobody knows any more what was made', ALONE, async () => {
    const database = await openDatabase()
    const { undoDead: undo, harness } = await dead(database)
    harness.clock.advance(31 * 86_400_000)
    expect(await undo()).toBe('its payloads are no longer kept: make the changes by hand')
    expect(await database.bookings('a')).toEqual(['pear'])
  })
})

describe('a COMMIT of the ended run that is still on its way', () => {
  /** The transaction of the run has begun, and ends only when the undo has begun; with `after`, when it has ended. */
  async function lateCommit(database: Database, sql: Sql, after = false) {
    const [begun, resume] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const scene = bookings(
      database,
      {
        inside: async () => {
          begun.resolve()
          await resume.promise
        },
      },
      sql,
    )
    await scene.start('r1', 'pear')
    const delivered = deliver(cloud, 'book', scene.book)
    await begun.promise
    await scene.flow.reset('k', { undo: true })
    const settled = scene.settle()
    await (after ? settled : new Promise((resolve) => setTimeout(resolve, 300)))
    resume.resolve()
    await Promise.all([delivered.catch(() => {}), settled])
    return scene
  }

  it('is waited for, and undone', ALONE, async () => {
    const database = await openDatabase()
    const { undone } = await lateCommit(database, database.effects)
    expect(undone).toHaveLength(1)
    expect(await database.bookings('a')).toEqual([])
    expect(await database.bookings('undone')).toEqual(['pear'])
  })

  it('without the raise it would stay for ever', ALONE, async () => {
    const database = await openDatabase()
    const { undone, parked } = await lateCommit(database, withoutRaise(database), true)
    expect(undone).toEqual([])
    expect(parked('r1')).toMatchObject({ undo: 'undone' })
    expect(await database.bookings('a')).toEqual(['pear'])
  })

  it('a transaction that begins after the undo is refused', ALONE, async () => {
    const database = await openDatabase()
    let isFirst = true
    const [begun, resume] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const scene = bookings(database, {
      after: async () => {
        if (!isFirst) return
        isFirst = false
        begun.resolve()
        await resume.promise
      },
    })
    await scene.start('r1', 'pear')
    const delivered = deliver(cloud, 'book', scene.book)
    await begun.promise
    await scene.flow.reset('k', { undo: true })
    await scene.settle()
    resume.resolve()
    await delivered.catch(() => {})
    expect(await database.bookings('note')).toEqual([])
    expect(await database.bookings('a')).toEqual([])
  })
})
