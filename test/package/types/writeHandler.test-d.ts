import { atLeast, type Store, writeHandler } from 'lineclear'
import { test } from 'vitest'
import { z } from 'zod'

declare const store: Store
const schema = z.object({ id: z.string(), cents: z.number() })
const key = { TableName: 'sums', Key: { id: 'a' } }

test('a handler returns a write, a list of them, or nothing', () => {
  writeHandler({ name: 'a', store, schema }, ({ cents }) => ({ ...key, add: { cents } }))
  writeHandler({ name: 'a', store, schema }, async ({ id }, ctx) => {
    if ((await ctx.get(key)) === undefined) return undefined
    return [
      { ...key, put: { id }, guard: atLeast('cents', 1) },
      { ...key, delete: true },
    ]
  })
})

test('wrong use does not compile', () => {
  // @ts-expect-error what it returns is no write
  writeHandler({ name: 'a', store }, () => ({ ...key, ad: { cents: 1 } }))
  // @ts-expect-error what it returns is no write
  writeHandler({ name: 'a', store }, () => 'done')
  // @ts-expect-error its handler has no effects
  writeHandler({ name: 'a', store }, (_, ctx) => void ctx.write)
  // @ts-expect-error an option for calls that its handler does not have
  writeHandler({ name: 'a', store, sql: undefined }, () => undefined)
})
