import { sql as drizzleSql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { drizzle as drizzleOnPostgresJs } from 'drizzle-orm/postgres-js'
import { Kysely, PostgresDialect, sql as kyselySql } from 'kysely'
import { type PostgresEffects, postgresEffects } from 'lineclear/postgres'
import postgres from 'postgres'
import { onTestFinished } from 'vitest'
import {
  withDrizzle,
  withKysely,
  withPostgresJs,
} from '../../../examples/sql-ledger/otherClients.ts'
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

function onKysely(url: string) {
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool: poolOf(url) }) })
  return opened(withKysely(db), {
    book: (tx, by) => tx.insertInto('bookings').values({ id: 'a', by }).execute(),
    fail: (tx) => kyselySql`SELECT 1 / 0`.execute(tx),
  })
}

function onDrizzle(url: string) {
  return opened(withDrizzle(drizzle(poolOf(url))), {
    book: (tx, by) => tx.execute(drizzleSql`INSERT INTO bookings (id, by) VALUES ('a', ${by})`),
    fail: (tx) => tx.execute(drizzleSql`SELECT 1 / 0`),
  })
}

function onDrizzleAndPostgresJs(url: string) {
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

function onPostgresJs(url: string) {
  return opened(withPostgresJs(postgresJs(url)), {
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
  Kysely: onKysely,
  Drizzle: onDrizzle,
  'Drizzle on postgres.js': onDrizzleAndPostgresJs,
  'postgres.js': onPostgresJs,
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
