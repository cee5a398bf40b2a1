import { absent, type RecordContext } from 'lineclear'

declare const given: {
  readonly userId: string
  readonly sku: string
  readonly maybe: string | undefined
}
const [TableName, Other] = ['users', 'stock']

/** Read by the compiler only. In a list it gives each write the names of all others, as `undefined`. */
export async function lists(ctx: RecordContext): Promise<void> {
  const { userId, sku, maybe } = given
  const user = { TableName, Key: { userId }, put: { userId }, guard: absent() }
  await ctx.write('keys', [
    { TableName, Key: { userId }, put: { userId }, guard: absent() },
    { TableName: Other, Key: { sku }, add: { users: 1 } },
    { TableName: Other, Key: { sku, size: 1 }, check: absent() },
  ])
  await ctx.write('amounts', [
    { TableName: Other, Key: { sku }, add: { sold: 1 } },
    { TableName: Other, Key: { sku }, add: { left: -1 } },
    user,
  ])
  // @ts-expect-error maybe is undefined
  await ctx.write('no key', { TableName, Key: { maybe }, put: {} })
  // @ts-expect-error maybe is undefined
  await ctx.write('no key in a list', [{ TableName, Key: { maybe }, put: {} }, user])
  // @ts-expect-error an amount is a number
  await ctx.write('no amount', { TableName, Key: { sku }, add: { sold: undefined } })
}
