import { sql as drizzleSql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { drizzle as drizzleOnPostgresJs } from 'drizzle-orm/postgres-js'
import { Kysely, PostgresDialect, sql as kyselySql, type Transaction } from 'kysely'
import { type PostgresEffects, postgresEffects } from 'lineclear/postgres'
import postgres, { type TransactionSql } from 'postgres'
import { describe, expect, it, onTestFinished } from 'vitest'
import { attempt, sqlOf } from './attempts.ts'
import { openDatabase, poolOf } from './database.ts'
import { type Cut, proxyTo } from './proxy.ts'

interface Opened<Tx> {
  readonly effects: PostgresEffects<Tx>
  book(tx: Tx, by: string): Promise<unknown>
  fail(tx: Tx): Promise<unknown>
}

interface Database {
  readonly bookings: { readonly id: string; readonly by: string }
}

function withKysely(url: string) {
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool: poolOf(url) }) })
  const effects = postgresEffects<Transaction<Database>>({
    transaction: (work) =>
      db
        .transaction()
        .execute((tx) =>
          work(tx, (strings, ...values) => kyselySql(strings, ...values).execute(tx)),
        ),
  })
  return opened(effects, {
    book: (tx, by) => tx.insertInto('bookings').values({ id: 'a', by }).execute(),
    fail: (tx) => kyselySql`SELECT 1 / 0`.execute(tx),
  })
}

function withDrizzle(url: string) {
  const db = drizzle(poolOf(url))
  const effects = postgresEffects<Parameters<Parameters<typeof db.transaction>[0]>[0]>({
    transaction: (work) =>
      db.transaction((tx) =>
        work(tx, (strings, ...values) => tx.execute(drizzleSql(strings, ...values))),
      ),
  })
  return opened(effects, {
    book: (tx, by) => tx.execute(drizzleSql`INSERT INTO bookings (id, by) VALUES ('a', ${by})`),
    fail: (tx) => tx.execute(drizzleSql`SELECT 1 / 0`),
  })
}

function withDrizzleOnPostgresJs(url: string) {
  const db = drizzleOnPostgresJs(postgresJs(url))
  const effects = postgresEffects<Parameters<Parameters<typeof db.transaction>[0]>[0]>({
    transaction: (work) =>
      db.transaction((tx) =>
        work(tx, (strings, ...values) => tx.execute(drizzleSql(strings, ...values))),
      ),
  })
  return opened(effects, {
    book: async (tx, by) => {
      await tx.execute(drizzleSql`INSERT INTO bookings (id, by) VALUES ('a', ${by})`)
    },
    fail: (tx) => tx.execute(drizzleSql`SELECT 1 / 0`),
  })
}

function withPostgresJs(url: string) {
  const client = postgresJs(url)
  const effects = postgresEffects<TransactionSql>({
    transaction: (work) =>
      client.begin((tx) => work(tx, (strings, ...values) => tx(strings, ...values))),
  })
  return opened(effects, {
    book: (tx, by) => tx`INSERT INTO bookings (id, by) VALUES ('a', ${by}) RETURNING by`,
    fail: (tx) => tx`SELECT 1 / 0`,
  })
}

function postgresJs(url: string) {
  const [plain = '', options = ''] = url.split('?')
  const [, schema = ''] = /search_path%3D(\w+)/.exec(options) ?? []
  const client = postgres(plain, {
    max: 4,
    onnotice: () => {},
    connection: { search_path: schema },
  })
  onTestFinished(() => client.end({ timeout: 1 }))
  return client
}

function opened<Tx>(effects: PostgresEffects<Tx>, more: Omit<Opened<Tx>, 'effects'>): Opened<Tx> {
  return { effects, ...more }
}

const CLIENTS: Readonly<Record<string, (url: string) => Opened<unknown>>> = {
  Kysely: withKysely,
  Drizzle: withDrizzle,
  'Drizzle on postgres.js': withDrizzleOnPostgresJs,
  'postgres.js': withPostgresJs,
}

describe.each(Object.entries(CLIENTS))('%s', (_name, open) => {
  const openOn = async (cutNow: () => Cut | undefined = () => undefined) => {
    const database = await openDatabase()
    const proxy = await proxyTo(database.url, cutNow)
    return { ...database, ...open(proxy.url) }
  }

  it('makes an effect once, and refuses what comes late', async () => {
    const { effects, book, bookings } = await openOn()
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
    const { effects, book } = await openOn()
    const [first, second] = [1, 2].map(
      (fence) => () => sqlOf(effects, attempt(fence)).sql('book', (tx) => book(tx, 'x')),
    )
    expect(await first?.()).toEqual(await second?.())
  })

  it('rolls back what failed, and does not commit what was caught', async () => {
    const { effects, book, fail, bookings } = await openOn()
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

  it.each(['before COMMIT', 'after COMMIT'] as const)(
    'goes on after a connection that was lost %s',
    async (cut) => {
      const cuts: (Cut | undefined)[] = [cut]
      const { effects, book, bookings } = await openOn(() => cuts.shift())
      await sqlOf(effects, attempt(1)).sql('book', async (tx) => {
        await book(tx, 'x')
      })
      expect(await bookings()).toEqual(['x'])
    },
  )

  it('repeats what was given up for another transaction', async () => {
    const { effects, pool, bookings } = await openOn()
    let tries = 0
    await sqlOf(effects, attempt(1)).sql('book', async () => {
      tries += 1
      if (tries < 3) throw Object.assign(new Error('wrapped'), { cause: { code: '40001' } })
      await pool.query("INSERT INTO bookings (id, by) VALUES ('a', 'beside')")
    })
    expect([tries, await bookings()]).toEqual([3, ['beside']])
  })
})
