import { invocationHandler, type RecordContext, recordHandler, SupersededError } from 'lineclear'
import { memoryCloud } from 'lineclear/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { lambdaContext } from '../deliver/lambdaContext.ts'
import { quietLogger } from '../deliver/quietLogger.ts'

const WRITE = { TableName: 'sums', Key: { id: 'a' }, add: { n: 1 } } as const

function open() {
  const { store, clients, clock, send, deliver, queue, queueUrl } = withQueue()
  const logger = quietLogger()
  const counts: string[] = []
  const metrics = {
    addDimension: () => {},
    addMetric: (name: string) => counts.push(name),
    publishStoredMetrics: () => {},
  }
  const options = { store, clients, clock, logger, metrics }
  const run = async (handle: (ctx: RecordContext) => unknown) => {
    send('orders', {})
    return deliver(
      'orders',
      recordHandler(
        { ...options, name: 'orders' },
        async (_payload, ctx) => void (await handle(ctx)),
      ),
    )
  }
  const errors = () => logger.lines.filter(({ level }) => level === 'error')
  return { options, run, counts, errors, queue, queueUrl }
}

function withQueue() {
  const cloud = memoryCloud({
    queues: { orders: { deadLetter: { queue: 'dead', maxReceiveCount: 9 } }, dead: {} },
  })
  return { ...cloud, queue: cloud.messages }
}

const unhandled: unknown[] = []
const note = (error: unknown): void => void unhandled.push(error)

beforeEach(() => {
  unhandled.length = 0
  process.on('unhandledRejection', note)
})
afterEach(() => void process.off('unhandledRejection', note))

const turn = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, 1))

describe('a call on ctx after its attempt has ended', () => {
  const CALLS: readonly (readonly [string, (ctx: RecordContext) => Promise<unknown>])[] = [
    ['write', (ctx) => ctx.write('late', WRITE)],
    ['get', (ctx) => ctx.get({ TableName: 'sums', Key: { id: 'a' } })],
    ['call', (ctx) => ctx.call('late', () => 'made')],
    ['send', (ctx) => ctx.send('https://sqs.eu-west-1.amazonaws.com/123456789012/x', {})],
  ]

  it.each(CALLS)('%s: is an error of its own, an error line and a metric', async (_name, call) => {
    const { run, counts, errors } = open()
    let ctx: RecordContext | undefined
    await run((given) => void (ctx = given))
    expect(errors()).toEqual([])
    const late = ctx && call(ctx)
    await expect(late).rejects.toBeInstanceOf(SupersededError)
    await expect(late).rejects.toMatchObject({ code: 'LATE', message: /nothing was done/ })
    expect(errors()).toMatchObject([{ message: expect.stringContaining('had ended') }])
    expect(counts.filter((name) => name === 'lateCalls')).toHaveLength(1)
  })

  it('is told of a function, too', async () => {
    const { options, counts, errors } = open()
    let late: (() => Promise<unknown>) | undefined
    const handler = invocationHandler({ ...options, name: 'night' }, async (_event, ctx) => {
      late = () => ctx.write('late', WRITE)
    })
    await handler({}, lambdaContext())
    await expect(late?.()).rejects.toMatchObject({ code: 'LATE' })
    expect(errors()).toHaveLength(1)
    expect(counts).toContain('lateCalls')
  })

  it('that is not awaited ends no process', async () => {
    const { run, errors } = open()
    await run((ctx) => void setTimeout(() => void ctx.write('late', WRITE), 1))
    await expect.poll(() => errors().length).toBe(1)
    await turn()
    expect(unhandled).toEqual([])
  })
})

describe('a failing call on ctx that is not awaited fails its record, and ends no process', () => {
  const refused = (): Promise<never> => Promise.reject(new Error('the bank is closed'))

  it.each([
    ['a call that fails at once', (ctx: RecordContext) => void ctx.call('pay', refused)],
    [
      'a call that has failed before the handler returns',
      async (ctx: RecordContext) => {
        void ctx.call('pay', refused)
        await turn()
        await turn()
      },
    ],
    ['a write that is none', (ctx: RecordContext) => void ctx.write('', WRITE)],
  ])('%s', async (_what, handle) => {
    const { run, counts } = open()
    await run(handle)
    await turn()
    expect(counts).not.toContain('completed')
    expect(unhandled).toEqual([])
  })

  it('while the failure of one that is awaited is judged by the handler, also if that is later', async () => {
    const { run, counts } = open()
    await run(async (ctx) => {
      const first = ctx.call('pay', refused)
      await turn()
      await turn()
      await first.catch(() => {})
      await Promise.allSettled([ctx.call('again', refused)])
    })
    expect(counts).toContain('completed')
    expect(unhandled).toEqual([])
  })
})
