import { sql as drizzleSql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { drizzle as drizzleOnPostgresJs } from 'drizzle-orm/postgres-js'
import { Kysely, PostgresDialect, sql as kyselySql, type Transaction } from 'kysely'
import { type PostgresEffects, postgresEffects } from 'lineclear/postgres'
import postgres, { type TransactionSql } from 'postgres'
import { onTestFinished } from 'vitest'
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

export const CLIENTS: Readonly<Record<string, (url: string) => Opened<unknown>>> = {
  Kysely: withKysely,
  Drizzle: withDrizzle,
  'Drizzle on postgres.js': withDrizzleOnPostgresJs,
  'postgres.js': withPostgresJs,
}

/** A database behind a proxy, and its effects through this client. */
export async function openOn(
  open: (url: string) => Opened<unknown>,
  cutNow: () => Cut | undefined = () => undefined,
) {
  const database = await openDatabase()
  const proxy = await proxyTo(database.url, cutNow)
  return { ...database, ...open(proxy.url) }
}
