import type { RecordContext } from 'lineclear'
import { expectTypeOf, test } from 'vitest'

declare const ctx: RecordContext

interface Receipt {
  readonly id: string
  readonly at: Date
  readonly note?: string
}
declare class Money {
  readonly cents: number
  euros(): number
}

test('a result has the type in which it is kept', async () => {
  const receipt = await ctx.call('a', (): Receipt => ({ id: 'r', at: new Date() }))
  expectTypeOf(receipt).toEqualTypeOf<Receipt>()
  expectTypeOf(await ctx.call('b', () => 5)).toEqualTypeOf<number>()
  expectTypeOf(await ctx.call('c', () => {})).toEqualTypeOf<void>()
  expectTypeOf(await ctx.call('d', (): unknown => 1)).toEqualTypeOf<unknown>()
  expectTypeOf(await ctx.call('e', () => new Map([['a', new Set([1])]]))).toEqualTypeOf<
    Map<string, Set<number>>
  >()
  expectTypeOf(await ctx.call('f', () => Buffer.from('a'))).toEqualTypeOf<Uint8Array>()
  expectTypeOf(await ctx.call('g', () => new URL('https://a.example'))).toEqualTypeOf<string>()
})

test('methods are not kept', async () => {
  const money = await ctx.call('a', () => new Money())
  expectTypeOf(money).toEqualTypeOf<{ readonly cents: number }>()
  expectTypeOf(money).not.toHaveProperty('euros')
  const list = await ctx.call('b', () => ({ items: [new Money()] }))
  expectTypeOf(list.items[0]?.cents).toEqualTypeOf<number | undefined>()
  expectTypeOf(await ctx.call('c', () => () => 1)).toEqualTypeOf<never>()
})

test('options of send and publish that do not exist do not compile, also through a variable', () => {
  const delayed = { name: 'a', DelaySeconds: 5 }
  // @ts-expect-error "write 'delay', such as '10s'"
  void ctx.send('https://sqs/1/q', {}, delayed)
  const grouped = { name: 'a', MessageGroupId: 'g' }
  // @ts-expect-error "write 'groupId'"
  void ctx.publish('arn:aws:sns:eu-west-1:1:t', {}, grouped)
  // @ts-expect-error topics have no delay
  void ctx.publish('arn:aws:sns:eu-west-1:1:t', {}, { delay: '5s' })
  void ctx.send('https://sqs/1/q', {}, { delay: '5s', name: 'a', groupId: 'g' })
})
