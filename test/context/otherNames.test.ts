import { defineFlow, type RecordContext, recordHandler } from 'lineclear'
import { memoryCloud } from 'lineclear/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { quietLogger } from '../deliver/quietLogger.ts'

const WRITE = { TableName: 'sums', Key: { id: 'a' }, add: { n: 1 } } as const
const RETRY = { maxAttempts: 4, delay: '1s' } as const

type Call = (name: string, ctx: RecordContext) => Promise<unknown>
const write: Call = (name, ctx) => ctx.write(name, WRITE)
const call: Call = (name, ctx) => ctx.call(name, () => 'paid')
const inDoubt: Call = (name, ctx) => ctx.call(name, () => 'paid', { ifUnknown: 'stop' })

/** Runs one record to its end, and counts. The first attempt fails after `handle`. */
async function open(handle: (ctx: RecordContext) => Promise<unknown>, isFlow = false) {
  const cloud = memoryCloud({
    queues: { orders: { deadLetter: { queue: 'dead', maxReceiveCount: 9 } }, dead: {} },
  })
  const { store, clients, clock, drain } = cloud
  const logger = quietLogger()
  const counts: string[] = []
  const metrics = {
    addDimension: () => {},
    addMetric: (name: string) => counts.push(name),
    publishStoredMetrics: () => {},
  }
  const options = { store, clients, clock, logger, metrics, retry: RETRY }
  const work = async (_payload: unknown, ctx: RecordContext): Promise<void> => {
    await handle(ctx)
    if (ctx.attempt === 1) throw new Error('the first attempt fails')
  }
  const record = recordHandler({ ...options, name: 'orders' }, work)
  const flow = defineFlow({
    ...options,
    name: 'trips',
    process: 'every',
    key: () => 'k',
    stages: { book: { schema: z.object({}), queueUrl: cloud.queueUrl('orders'), final: true } },
  })
  cloud.send('orders', {})
  await drain({ orders: isFlow ? flow.stageHandler('book', work) : record })
  const warnings = logger.lines.filter(({ message }) => message.includes('did not ask for'))
  const told = counts.filter((name) => name === 'otherNames')
  return { warnings: warnings.map(({ message }) => message), told, counts }
}

describe('an effect whose name differs between attempts', () => {
  it.each([
    ['write', write, false],
    ['call', call, false],
    ["call with ifUnknown: 'stop'", inDoubt, false],
    ['write in a flow', write, true],
    ["call with ifUnknown: 'stop' in a flow", inDoubt, true],
  ])('is a WARN line with both names and a metric: %s', async (_what, call, isFlow) => {
    const { warnings, told, counts } = await open((ctx) => call(`pay-${ctx.attempt}`, ctx), isFlow)
    expect(warnings).toEqual([expect.stringMatching(/'pay-1'.*'pay-2'.*happened twice/)])
    expect(told).toHaveLength(1)
    expect(counts).toContain('completed')
  })

  it('is told of each attempt that fails, too', async () => {
    const { warnings } = await open(async (ctx) => {
      await write(`pay-${ctx.attempt}`, ctx)
      if (ctx.attempt < 3) throw new Error('fails')
    })
    expect(warnings).toHaveLength(2)
  })
})

describe('no word where names are the same', () => {
  it.each([
    ['', false],
    [' in a flow', true],
  ])('though later attempts come further%s', async (_where, isFlow) => {
    const { warnings } = await open(async (ctx) => {
      await write('reserve', ctx)
      await inDoubt('pay', ctx)
      if (ctx.attempt === 1) throw new Error('fails')
      await write('book', ctx)
      await call('tell', ctx)
    }, isFlow)
    expect(warnings).toEqual([])
  })

  it('where a later attempt ends before it asks again, or has less to do', async () => {
    const { warnings } = await open(async (ctx) => {
      if (ctx.attempt === 2) throw new Error('fails before its effect')
      if (ctx.attempt < 3) await write('pay', ctx)
    })
    expect(warnings).toEqual([])
  })

  it('where a call never reached its system', async () => {
    const refused = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })
    const call = (): Promise<never> => Promise.reject(refused)
    const { warnings } = await open(async (ctx) => {
      if (ctx.attempt === 1) await ctx.call('pay-1', call, { ifUnknown: 'stop' })
      await write('pay-2', ctx)
    }, true)
    expect(warnings).toEqual([])
  })
})
