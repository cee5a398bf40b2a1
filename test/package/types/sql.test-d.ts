import {
  defineFlow,
  type RecordContext,
  recordHandler,
  type SqlContext,
  type SqlEffects,
} from 'lineclear'
import { type Kysely, sql as tag, type Transaction } from 'kysely'
import { postgresEffects, type PostgresTransaction } from 'lineclear/postgres'
import { memoryStore } from 'lineclear/testing'
import type { Pool } from 'pg'
import { expectTypeOf, test } from 'vitest'
import { z } from 'zod'

interface OwnTransaction {
  query(text: string): Promise<{ rows: { at: Date; total: number }[] }>
}
declare const sql: SqlEffects<OwnTransaction>
const store = memoryStore()
const schema = z.object({ key: z.string() })

async function helper(ctx: RecordContext & SqlContext<OwnTransaction>): Promise<void> {
  await ctx.sql('helper', (tx) => tx.query('select 1'))
}

test('the transaction has the type of the database client, and the result the type in which it is kept', () => {
  recordHandler({ name: 'a', store, schema, sql }, async (payload, ctx) => {
    expectTypeOf(payload).toEqualTypeOf<{ key: string }>()
    const at = await ctx.sql('book', async (tx) => {
      expectTypeOf(tx).toEqualTypeOf<OwnTransaction>()
      const { rows } = await tx.query('select now()')
      return rows[0]?.at
    })
    expectTypeOf(at).toEqualTypeOf<Date | undefined>()
    await helper(ctx)
  })
})

test('the handlers of a flow have it, too', () => {
  const flow = defineFlow({
    name: 'trip',
    store,
    sql,
    key: ({ key }) => key,
    stages: { book: { schema }, pay: { schema, final: true } },
    awaitingSteps: { quote: { schema, id: ({ key }) => key } },
  })
  flow.stageHandler('book', async (_payload, ctx) => {
    expectTypeOf(await ctx.sql('book', () => 5)).toEqualTypeOf<number>()
    await helper(ctx)
  })
  flow.answerHandler('quote', (_answer, ctx) => helper(ctx), {
    onTimeout: (ctx) => helper(ctx),
    onLate: (_answer, ctx) => helper(ctx),
  })
})

test('without the option it does not compile', () => {
  recordHandler({ name: 'a', store }, async (_payload, ctx) => {
    // @ts-expect-error ctx.sql needs the option sql, such as postgresEffects(pool)
    await ctx.sql('book', () => 1)
    // @ts-expect-error the context has no transaction
    await helper(ctx)
  })
})

interface Database {
  readonly bookings: { readonly id: string }
}
declare const pool: Pool
declare const kysely: Kysely<Database>

test('adapters: the type of the transaction comes from the pool, or is named', () => {
  recordHandler({ name: 'a', store, sql: postgresEffects(pool) }, async (_payload, ctx) => {
    const count = await ctx.sql('book', async (tx) => {
      expectTypeOf(tx).toEqualTypeOf<PostgresTransaction>()
      const { rows } = await tx.query<{ n: number }>('select 1 as n')
      return rows[0]?.n
    })
    expectTypeOf(count).toEqualTypeOf<number | undefined>()
    const whole = await ctx.sql('all', (tx) => tx.query<{ n: number }>('select 1 as n'))
    expectTypeOf(whole.rows).toEqualTypeOf<{ n: number }[]>()
  })
  const named = postgresEffects<Transaction<Database>>({
    transaction: (work) =>
      kysely
        .transaction()
        .execute((tx) => work(tx, (strings, ...values) => tag(strings, ...values).execute(tx))),
  })
  recordHandler({ name: 'a', store, sql: named }, (_payload, ctx) =>
    ctx.sql('book', (tx) => tx.selectFrom('bookings').select('id').execute()),
  )
  const unnamed = postgresEffects({
    transaction: (work) => kysely.transaction().execute(work as never),
  })
  recordHandler({ name: 'a', store, sql: unnamed }, (_payload, ctx) =>
    ctx.sql('book', (tx) => {
      expectTypeOf(tx).toHaveProperty('write postgresEffects<Transaction<Database>>({ … })')
    }),
  )
})
