import { newerThan, recordHandler, type RecordContext } from 'lineclear'
import { fakeClock, memoryStore, sqsEvent, sqsRecord } from 'lineclear/testing'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { attributeOf } from '../../src/testing/queues/simulatedQueue.ts'
import { consumerOf } from './consumerOf.ts'
import { lambdaContext } from './lambdaContext.ts'
import { quietLogger } from './quietLogger.ts'

const HOUR = 3_600_000
const Moved = z.object({ address: z.string(), movedAt: z.iso.datetime() })
const sentAt = (payload: unknown): string => Moved.parse(payload).movedAt
const Key = { customerId: 'c' }

async function move(payload: unknown, ctx: RecordContext): Promise<void> {
  const { address } = Moved.parse(payload)
  const guard = newerThan('movedAt', ctx.sentAt)
  await ctx.write('move', { TableName: 'customers', Key, set: { address }, guard })
}

it('the newest request wins, in whatever order requests were queued and delivered', async () => {
  const { clock, store, send, deliver } = consumerOf(move, { sentAt })
  const moved = (address: string, hoursAgo: number): string =>
    JSON.stringify({ address, movedAt: new Date(clock.now() - hoursAgo * HOUR).toISOString() })
  const [newest, oldest, between] = [moved('3', 1), moved('1', 3), moved('2', 2)]
  for (const body of [newest, oldest, between]) await deliver(send(body))
  expect(store.userItems('customers')).toMatchObject([{ address: '3' }])
})

it('a redrive by SQS, which loses time and id of a message, does not make an old request new', async () => {
  const { clock, store, send, deliver } = consumerOf(move, { sentAt })
  const old = JSON.stringify({ address: 'old', movedAt: new Date(clock.now() - 1).toISOString() })
  clock.advance(HOUR)
  const movedAt = new Date(clock.now()).toISOString()
  await deliver(send(JSON.stringify({ address: 'new', movedAt })))
  clock.advance(24 * HOUR)
  await deliver(send(old))
  expect(store.userItems('customers')).toMatchObject([{ address: 'new' }])
})

it('every attempt, copy and redriven dead letter has the same time', async () => {
  const times: number[] = []
  const work = (_: unknown, ctx: RecordContext): void => {
    times.push(ctx.sentAt)
    throw new Error('not yet')
  }
  const options = { sentAt: () => '2999-01-01T00:00:00Z', retry: { maxAttempts: 2 } }
  const { clock, queue, dead, send, deliver } = consumerOf(work, options)
  const first = clock.now()
  await deliver(send('{}'))
  clock.advance(HOUR)
  await deliver([...queue.messages])
  clock.advance(HOUR)
  const [deadLetter] = dead.messages
  if (deadLetter === undefined) throw new Error('no dead letter')
  queue.messages.push(deadLetter)
  await deliver(deadLetter)
  expect(times).toEqual([first, first, first])
})

it('messages of a handler carry the time, and their age counts from the first sending', async () => {
  const { clock, queueDouble, send, deliver } = consumerOf(
    (_, ctx) => ctx.send('https://sqs.eu-west-1.amazonaws.com/123456789012/next', {}),
    { sentAt: () => new Date(Date.UTC(2020, 0, 1)) },
  )
  const taken = clock.now()
  await deliver(send('{}'))
  const [sent] = queueDouble.queue('next').messages
  if (sent === undefined) throw new Error('nothing was sent')
  const carried: unknown = JSON.parse(attributeOf(sent.message, 'lineclear') ?? '{}')
  expect(carried).toMatchObject({ sentAt: Date.UTC(2020, 0, 1), takenAt: taken })

  const times: number[] = []
  const store = memoryStore()
  const next = recordHandler({ name: 'next', store, clock, logger: quietLogger() }, (_, ctx) => {
    times.push(ctx.sentAt)
  })
  const lineclear = attributeOf(sent.message, 'lineclear') ?? ''
  const record = sqsRecord({}, { attributes: { lineclear }, sentAt: clock.now() })
  await next(sqsEvent(record), lambdaContext())
  expect(times).toEqual([Date.UTC(2020, 0, 1)])
})

it('a request made long ago that is first sent now runs: its age counts from the first sending', async () => {
  let runs = 0
  const { send, deliver, reasons } = consumerOf(() => void (runs += 1), {
    sentAt: () => '2001-01-01T00:00:00Z',
    retry: { maxAge: '1h' },
  })
  await deliver(send('{}'))
  expect([runs, reasons()]).toEqual([1, []])
})

it.each([
  ['nothing', undefined],
  ['a Promise', Promise.resolve(1)],
  ['a text without a zone', '2025-11-30T07:00:00'],
  ['microseconds', 1_750_000_000_000_000],
  ['an invalid Date', new Date(NaN)],
])('%s for a time is dead-lettered without a run, and its value is not shown', async (_, given) => {
  let runs = 0
  const { dead, reasons, send, deliver } = consumerOf(() => void (runs += 1), {
    sentAt: () => given as string,
  })
  await deliver(send('{}'))
  expect([runs, reasons()]).toEqual([0, ['rejected']])
  const [deadLetter] = dead.messages
  const attribute = deadLetter && attributeOf(deadLetter.message, 'lineclear')
  expect(attribute).toContain('sentAt(payload) gave')
  expect(attribute).not.toContain('2025-11-30')
})

it('sentAt is checked when the handler is made', () => {
  const options = { name: 'orders', store: memoryStore(), clock: fakeClock() }
  const wrong = { ...options, sentAt: 'changedAt' } as never
  expect(() => recordHandler(wrong, () => {})).toThrow(/sentAt: expected a function/)
})
