import { sql as drizzleSql } from 'drizzle-orm'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import { type Kysely, sql as kyselySql, type Transaction } from 'kysely'
import { type PostgresEffects, postgresEffects } from 'lineclear/postgres'
import type { Sql, TransactionSql } from 'postgres'

export function withKysely<Database>(db: Kysely<Database>): PostgresEffects<Transaction<Database>> {
  return postgresEffects<Transaction<Database>>({
    transaction: (work) =>
      db
        .transaction()
        .execute((tx) =>
          work(tx, (strings, ...values) => kyselySql(strings, ...values).execute(tx)),
        ),
  })
}

export type DrizzleTransaction = Parameters<Parameters<NodePgDatabase['transaction']>[0]>[0]

export function withDrizzle(db: NodePgDatabase): PostgresEffects<DrizzleTransaction> {
  return postgresEffects<DrizzleTransaction>({
    transaction: (work) =>
      db.transaction((tx) =>
        work(tx, (strings, ...values) => tx.execute(drizzleSql(strings, ...values))),
      ),
  })
}

export function withPostgresJs(client: Sql): PostgresEffects<TransactionSql> {
  return postgresEffects<TransactionSql>({
    transaction: (work) =>
      client.begin((tx) => work(tx, (strings, ...values) => tx(strings, ...values))),
  })
}
