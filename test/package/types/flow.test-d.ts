import { defineFlow, type RecordContext, recordHandler } from 'lineclear'
import { memoryStore } from 'lineclear/testing'
import { expectTypeOf, test } from 'vitest'
import { z } from 'zod'

const trip = defineFlow({
  name: 'trip',
  store: memoryStore(),
  key: (payload) => payload.key,
  stages: {
    book: { schema: z.object({ key: z.string(), seats: z.number() }) },
    pay: { schema: z.object({ key: z.string(), price: z.string().transform(Number) }) },
    ship: { schema: z.object({ key: z.string() }), final: true },
  },
  awaitingSteps: {
    quote: {
      schema: z.object({ quoteId: z.string(), price: z.number() }),
      id: (answer) => {
        expectTypeOf(answer).toEqualTypeOf<{ quoteId: string; price: number }>()
        return answer.quoteId
      },
    },
  },
})

test('payloads, answers and what is sent come from the schemas', () => {
  trip.stageHandler('book', async (booking, ctx) => {
    expectTypeOf(booking).toEqualTypeOf<{ key: string; seats: number }>()
    await ctx.next('pay', { key: ctx.key, price: '5' })
    await ctx.awaitStep('quote', ['a', 'b'], () => {}, { need: 'any', timeout: '2h' })
  })
  trip.stageHandler('pay', (payment) => {
    expectTypeOf(payment.price).toBeNumber()
  })
  trip.answerHandler(
    'quote',
    async (quote, ctx) => {
      expectTypeOf(quote.price).toBeNumber()
      expectTypeOf(ctx.answers).toEqualTypeOf<
        ReadonlyMap<string, { quoteId: string; price: number }>
      >()
      await ctx.next('ship', { key: ctx.key })
    },
    { onLate: (late) => expectTypeOf(late.price).toBeNumber() },
  )
  expectTypeOf(trip.answer).parameter(0).toEqualTypeOf<'quote'>()
})

test('wrong use fails to compile', () => {
  // @ts-expect-error 'handle' does not exist: the handler of a stage is made by stageHandler
  void trip.handle
  // @ts-expect-error 'groupId', as wherever a message is sent
  void trip.start({ key: 'k', seats: 1 }, { tenant: 'a' })
  // @ts-expect-error there is no such stage
  trip.stageHandler('bok', () => {})
  // @ts-expect-error there is no such step
  trip.answerHandler('qoute', () => {})
  trip.stageHandler('book', async (booking, ctx) => {
    // @ts-expect-error the schema takes a text, not a number
    await ctx.next('pay', { key: ctx.key, price: 5 })
    const delayed = { name: 'a', DelaySeconds: 5 }
    // @ts-expect-error "write 'delay', such as '10s'"
    await ctx.next('pay', { key: ctx.key, price: '5' }, delayed)
    // @ts-expect-error a stage does not send to itself
    await ctx.next('book', booking)
    // @ts-expect-error there is no such step
    await ctx.awaitStep('answer', 'a', () => {})
    // @ts-expect-error a queue is no stage: that is send
    await ctx.next('https://sqs.eu-west-1.amazonaws.com/1/q', {})
  })
  trip.stageHandler('ship', async (_shipping, ctx) => {
    // @ts-expect-error nothing comes after a final stage
    await ctx.next('pay', { key: ctx.key, price: '5' })
  })
  defineFlow({
    name: 'odd',
    store: memoryStore(),
    // @ts-expect-error no stage has a payload with this field
    key: ({ id }) => String(id),
    stages: { one: { schema: z.object({ key: z.string() }) } },
  })
})

test('what helps any record helps a stage: send means the same in both', () => {
  const tell = (ctx: RecordContext) => ctx.send('https://sqs/1/q', { id: ctx.uniqueRequestId })
  trip.stageHandler('book', (_, ctx) => tell(ctx))
  recordHandler({ name: 'orders', store: memoryStore() }, (_, ctx) => tell(ctx))
  expectTypeOf<RecordContext>().not.toHaveProperty('next')
})
