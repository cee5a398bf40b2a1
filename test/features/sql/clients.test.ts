import { postgresEffects, type SqlClient } from 'lineclear/postgres'
import { describe, expect, it } from 'vitest'
import { attempt, sqlOf } from './attempts.ts'
import { CLIENTS, openOn } from './clients.ts'

describe.each(Object.entries(CLIENTS))('%s', (_name, open) => {
  it('makes an effect once, and refuses what comes late', async () => {
    const { effects, book, bookings } = await openOn(open)
    await effects.createTables()
    const run = (fence: number) =>
      sqlOf(effects, attempt(fence)).sql('book', async (tx) => {
        await book(tx, `${fence}`)
        return { fence }
      })
    expect(await run(1)).toEqual({ fence: 1 })
    await effects.raise(attempt(2))
    expect(await run(2)).toEqual({ fence: 1 })
    await expect(run(1)).rejects.toMatchObject({ code: 'SUPERSEDED' })
    expect(await bookings()).toEqual(['1'])
    expect(await effects.deleteExpired()).toBe(0)
  })

  it('stores what a query returns', async () => {
    const { effects, book } = await openOn(open)
    const [first, second] = [1, 2].map(
      (fence) => () => sqlOf(effects, attempt(fence)).sql('book', (tx) => book(tx, 'x')),
    )
    expect(await first?.()).toEqual(await second?.())
  })

  it('rolls back what failed, and does not commit what was caught', async () => {
    const { effects, book, fail, bookings } = await openOn(open)
    const { sql } = sqlOf(effects, attempt(1))
    const failed = sql('book', async (tx) => {
      await book(tx, 'x')
      await fail(tx)
    })
    await expect(failed).rejects.toBeInstanceOf(Error)
    const caught = sql('book', async (tx) => {
      await book(tx, 'x')
      await fail(tx).catch(() => {})
    })
    await expect(caught).rejects.toBeInstanceOf(Error)
    expect(await bookings()).toEqual([])
  })

  it('repeats what was given up for another transaction', async () => {
    const { effects, pool, bookings } = await openOn(open)
    let tries = 0
    await sqlOf(effects, attempt(1)).sql('book', async () => {
      tries += 1
      if (tries < 3) throw Object.assign(new Error('wrapped'), { cause: { code: '40001' } })
      await pool.query("INSERT INTO bookings (id, by) VALUES ('a', 'beside')")
    })
    expect([tries, await bookings()]).toEqual([3, ['beside']])
  })
})

const WRONG: Record<string, (db: SqlClient<string>) => SqlClient<string>> = {
  'does not wait for the transaction': (db) => ({
    transaction: async (work) => void db.transaction(work).catch(() => {}),
  }),
  'keeps the error of work': (db) => ({
    transaction: (work) => db.transaction(work).catch(() => 'no matter'),
  }),
  'never calls work': () => ({ transaction: async () => 'nothing' }),
}
const database: SqlClient<string> = {
  transaction: (work) => work('tx', async () => [{ gate: 1, mark: 1, tx: '7', kept: 1 }]),
}

it.each(Object.entries(WRONG))('an adapter that %s fails the record', async (_what, adapter) => {
  const effects = postgresEffects(adapter(database))
  const effect = sqlOf(effects, attempt(1)).sql('book', async () => {
    await new Promise(setImmediate)
    throw new Error('not booked')
  })
  await expect(effect).rejects.toThrow(/not booked|ended before work did/)
})

it('a single client of pg is no pool', async () => {
  // As a Client, it has both methods, and connects itself.
  const client = { connect: async () => {}, on() {} }
  const effects = postgresEffects(client as never)
  await expect(effects.createTables()).rejects.toThrow('expected a Pool of pg')
})
