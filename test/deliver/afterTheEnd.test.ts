import { type RecordContext, storedDelays } from 'lineclear'
import { expect, it } from 'vitest'
import { consumerOf } from './consumerOf.ts'

const NEXT = 'https://sqs.eu-west-1.amazonaws.com/123456789012/next'
const sendLate = (ctx: RecordContext): Promise<unknown> => ctx.send(NEXT, 'late')

/** Work that a handler leaves running after its end. */
const never = new Promise<never>(() => {})

it.each([
  ['failed', { end: () => Promise.reject(new Error('no')) }],
  ['ran out of time', { end: () => never, left: 200 }],
])('a message of a handler that %s is refused, not accepted and lost', async (_, given) => {
  const left: RecordContext[] = []
  const { end, ...options } = given
  const { send, deliver } = consumerOf((_payload, ctx) => {
    left.push(ctx)
    return end()
  }, options)
  await deliver(send('{}'))
  expect(left).toHaveLength(1)
  for (const ctx of left) await expect(sendLate(ctx)).rejects.toMatchObject({ code: 'LATE' })
})

it('a message that is sent after the handler has ended is refused, not accepted and lost', async () => {
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
  await expect(Promise.all(late)).rejects.toMatchObject({ code: 'LATE' })
})

it('a timed-out handler that ends when its sandbox thaws sends none of its messages', async () => {
  const thaw = Promise.withResolvers<void>()
  const { settled, send, deliver, queueDouble } = consumerOf(
    async (payload, ctx) => {
      await ctx.send(NEXT, payload)
      if (payload === 'frozen') await thaw.promise
    },
    { left: 200 },
  )
  await deliver(send('"frozen"'))
  expect(settled).toMatchObject([{ kind: 'timedOut' }])
  thaw.resolve()
  // Messages of the thawed handler would be on the queue before those of a later one.
  await deliver(send('"later"'))
  const sent = queueDouble.queue('next').messages.map(({ message }) => message.body)
  expect(sent).toEqual(['"later"'])
})

it('a timed-out handler that ends when its sandbox thaws stores none of its delayed messages', async () => {
  const thaw = Promise.withResolvers<void>()
  const { store, send, deliver } = consumerOf(
    async (payload, ctx) => {
      await ctx.send(NEXT, payload, { delay: '1h' })
      if (payload === 'frozen') await thaw.promise
    },
    { left: 200, delays: storedDelays() },
  )
  await deliver(send('"frozen"'))
  thaw.resolve()
  await deliver(send('"later"'))
  const rows = store.items().filter(({ pk }) => typeof pk === 'string' && pk.startsWith('later#'))
  expect(rows).toHaveLength(1)
  expect(rows[0]?.['message']).toContain('later')
})

it('a timed-out handler that continues when its sandbox thaws sends and writes nothing more', async () => {
  const thaw = Promise.withResolvers<void>()
  const late: Promise<unknown>[] = []
  const { store, settled, logger, send, deliver, queueDouble } = consumerOf(
    async (_payload, ctx) => {
      await ctx.send(NEXT, 'before the freeze')
      await thaw.promise
      late.push(
        ctx.write('order', { TableName: 'orders', Key: { id: 'o' }, put: {} }),
        ctx.call('call', () => 'made'),
      )
      await Promise.allSettled(late)
    },
    { left: 200 },
  )
  await deliver(send('{}'))
  expect(settled).toMatchObject([{ kind: 'timedOut' }])
  const lines = logger.lines.filter(({ level }) => level === 'info').length
  thaw.resolve()
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect((await Promise.allSettled(late)).map(({ status }) => status)).toEqual([
    'rejected',
    'rejected',
  ])
  expect(queueDouble.queue('next').messages).toEqual([])
  expect(store.userItems('orders')).toEqual([])
  expect(settled).toHaveLength(1)
  expect(logger.lines.filter(({ level }) => level === 'info')).toHaveLength(lines)
})

it('messages that were being sent when the time was up are not sent again when the sandbox thaws', async () => {
  const signals: (AbortSignal | undefined)[] = []
  const { settled, send, deliver } = consumerOf((_payload, ctx) => ctx.send(NEXT, 'on its way'), {
    left: 200,
    hangs: (signal) => signals.push(signal),
  })
  await deliver(send('{}'))
  expect(settled).toMatchObject([{ kind: 'timedOut' }])
  expect(signals.map((signal) => signal?.aborted)).toEqual([true])
})
