import {
  defineFlow,
  type RecordContext,
  recordHandler,
  type SqlContext,
  type SqlEffects,
} from 'lineclear'
import { memoryStore } from 'lineclear/testing'
import { expectTypeOf, test } from 'vitest'
import { z } from 'zod'

interface Transaction {
  query(text: string): Promise<{ rows: { at: Date; total: number }[] }>
}
declare const sql: SqlEffects<Transaction>
const store = memoryStore()
const schema = z.object({ key: z.string() })

async function helper(ctx: RecordContext & SqlContext<Transaction>): Promise<void> {
  await ctx.sql('helper', (tx) => tx.query('select 1'))
}

test('the transaction has the type of the database client, and the result the type in which it is kept', () => {
  recordHandler({ name: 'a', store, schema, sql }, async (payload, ctx) => {
    expectTypeOf(payload).toEqualTypeOf<{ key: string }>()
    const at = await ctx.sql('book', async (tx) => {
      expectTypeOf(tx).toEqualTypeOf<Transaction>()
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
    awaits: { quote: { schema, id: ({ key }) => key } },
  })
  flow.handle('book', async (_payload, ctx) => {
    expectTypeOf(await ctx.sql('book', () => 5)).toEqualTypeOf<number>()
    await helper(ctx)
  })
  flow.onAnswer('quote', (_answer, ctx) => helper(ctx), {
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
