import type { RecordContext } from 'lineclear'
import { expect, it } from 'vitest'
import { consumerOf } from './consumerOf.ts'

const NEXT = 'https://sqs.eu-west-1.amazonaws.com/123456789012/next'
const sendLate = (ctx: RecordContext): Promise<unknown> => ctx.send(NEXT, 'late')

/** What is left behind by a handler that is over. */
const never = new Promise<never>(() => {})

it.each([
  ['failed', { end: () => Promise.reject(new Error('no')) }],
  ['ran out of time', { end: () => never, left: 200 }],
])('what is sent by a handler that %s is refused, not taken and forgotten', async (_, given) => {
  const left: RecordContext[] = []
  const { end, ...options } = given
  const { send, deliver } = consumerOf((_payload, ctx) => {
    left.push(ctx)
    return end()
  }, options)
  await deliver(send('{}'))
  expect(left).toHaveLength(1)
  for (const ctx of left) await expect(sendLate(ctx)).rejects.toMatchObject({ code: 'CONFIG' })
})

it('what is sent while the messages of an ended handler go out is refused, not taken and forgotten', async () => {
  const left: RecordContext[] = []
  const late: Promise<unknown>[] = []
  const { send, deliver } = consumerOf(
    async (_payload, ctx) => {
      await ctx.send(NEXT, 'in time')
      left.push(ctx)
    },
    { onCall: () => void late.push(...left.splice(0).map(sendLate)) },
  )
  await deliver(send('{}'))
  expect(late).toHaveLength(1)
  await expect(Promise.all(late)).rejects.toMatchObject({ code: 'CONFIG' })
})
