import { Metrics as PowertoolsMetrics } from '@aws-lambda-powertools/metrics'
import type { Context } from 'aws-lambda'
import {
  defineFlow,
  emfMetrics,
  idempotent,
  lockTokens,
  type Metrics,
  recordHandler,
  sweepHandler,
  TerminalError,
} from 'lineclear'
import { memoryStore, sqsEvent, sqsRecord } from 'lineclear/testing'
import { afterEach, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { quietLogger } from '../../deliver/quietLogger.ts'

afterEach(() => vi.restoreAllMocks())

type Line = Readonly<Record<string, unknown>>

function gathering(): { readonly metrics: Metrics; readonly lines: Line[] } {
  const lines: Line[] = []
  const write = (line: string): void => void lines.push(JSON.parse(line) as Line)
  const metrics = emfMetrics({ fieldsOnly: [], write })
  return { metrics, lines }
}

const lambda = { functionName: 'f', awsRequestId: 'r' } as Context
const options = () => ({
  store: memoryStore(),
  logger: quietLogger(),
  deadLetterQueueUrl: 'http://127.0.0.1:9/000000000000/dead',
})

it('metrics are written once for each invocation, and say how its records ended', async () => {
  const { metrics, lines } = gathering()
  const handler = recordHandler({ ...options(), name: 'orders', metrics }, () => {})
  const event = sqsEvent({ a: 1 }, { a: 2 })
  await handler(event, lambda)
  await handler(event, lambda)
  expect(lines).toMatchObject([
    { consumer: 'orders', received: 2, started: 2, completed: 2, attempt: [1, 1] },
    { consumer: 'orders', received: 2, started: 0, duplicate: 2 },
  ])
})

it('metrics of a flow name the flow and the stage', async () => {
  const { metrics, lines } = gathering()
  const trip = defineFlow({
    store: memoryStore(),
    logger: quietLogger(),
    name: 'trip',
    metrics,
    key: ({ id }) => id,
    stages: { book: { schema: z.object({ id: z.string() }), final: true } },
  })
  await trip.stageHandler('book', () => {})(sqsEvent({ id: 'k' }), lambda)
  expect(lines).toMatchObject([{ flow: 'trip', stage: 'book', received: 1, completed: 1 }])
  expect(lines[0]).not.toHaveProperty('consumer')
})

it('Powertools Metrics fits', async () => {
  const lines: Line[] = []
  vi.spyOn(console, 'log').mockImplementation((line: string) => {
    lines.push(JSON.parse(line) as Line)
  })
  vi.stubEnv('POWERTOOLS_DEV', 'true')
  vi.stubEnv('POWERTOOLS_METRICS_DISABLED', 'false')
  const metrics = new PowertoolsMetrics({ namespace: 'Shop', serviceName: 'orders' })
  const handler = recordHandler({ ...options(), name: 'orders', metrics }, () => {})
  await handler(sqsEvent({ a: 1 }, { a: 2 }), lambda)
  vi.unstubAllEnvs()
  expect(lines).toMatchObject([{ consumer: 'orders', received: 2, completed: 2 }])
})

it('metrics that throw lose no record', async () => {
  const broken = (): never => {
    throw new Error('no metrics today')
  }
  const metrics = { addDimension: broken, addMetric: broken, publishStoredMetrics: broken }
  const errors: unknown[] = []
  const logger = { ...quietLogger(), error: (...line: unknown[]) => errors.push(line) }
  const handler = recordHandler({ ...options(), logger, name: 'orders', metrics }, () => {})
  expect(await handler(sqsEvent({ a: 1 }), lambda)).toEqual({ batchItemFailures: [] })
  const double = idempotent(
    { name: 'default', store: memoryStore(), logger, metrics, key: (n: number) => String(n) },
    async (n: number) => n * 2,
  )
  expect(await double(4)).toBe(8)
  expect(errors).toHaveLength(3)
})

it.each([{ addMetric() {} }, 5, null])('refuses %j for metrics', (metrics) => {
  const wrong = { ...options(), name: 'orders', metrics } as never
  expect(() => recordHandler(wrong, () => {})).toThrow(/metrics: expected metrics, such as/)
})

it('metrics count how calls on a key ended', async () => {
  const { metrics, lines } = gathering()
  const store = memoryStore()
  const shared = { logger: quietLogger(), metrics }
  const pay = idempotent(
    { ...shared, store, name: 'pay', key: (id: string) => id, waitForOther: '1ms' },
    async (id: string) => {
      if (id === 'never') throw new TerminalError('no such card')
      if (id === 'later') throw new Error('busy')
      return id
    },
  )
  await pay('a')
  await pay('a')
  await expect(pay('later')).rejects.toThrow('busy')
  await expect(pay('never')).rejects.toThrow('no such card')
  await expect(pay('never')).rejects.toThrow('no such card')
  await expect(pay('')).rejects.toThrow('no usable idempotency key')
  const lock = await lockTokens({ store, ...shared, name: 'locks' }).begin('t', 'me', 1_000)
  if (lock.existing === undefined) await lock.endWithError('broken')
  await lockTokens({ store, ...shared, name: 'locks' }).begin('t', 'me', 1_000)
  const emitted = lines.map(({ _aws, name, ...counts }) => [name, ...Object.keys(counts)])
  expect(emitted).toEqual([
    ['pay', 'started'],
    ['pay', 'completed'],
    ['pay', 'replayed'],
    ['pay', 'started'],
    ['pay', 'released'],
    ['pay', 'started'],
    ['pay', 'terminal'],
    ['pay', 'replayed'],
    ['pay', 'missingKey'],
    ['locks', 'started'],
    ['locks', 'parked'],
    ['locks', 'blocked'],
  ])
})

it('metrics of a sweep are written also when nothing is overdue', async () => {
  const { metrics, lines } = gathering()
  const store = memoryStore()
  const sweep = sweepHandler({ store, logger: quietLogger(), metrics })
  await sweep()
  const tokens = lockTokens({ store, name: 'default', logger: quietLogger() })
  for (const token of ['a', 'b', 'c']) {
    const lock = await tokens.begin(token, 'me', 1_000)
    if (token === 'c' && lock.existing === undefined) await lock.endWithError('broken')
  }
  await sweepHandler({
    store,
    logger: quietLogger(),
    metrics,
    clock: { now: () => Date.now() + 60_000_000, sleep: async () => {} },
  })()
  expect(lines).toMatchObject([
    { missingTasks: 0, waitingTasks: 0, inProgress: 0, openCircuits: 0 },
    { missingTasks: 2, waitingTasks: 1, inProgress: 2, openCircuits: 0 },
  ])
})

it('names the trace of the sender on every line of a record, and carries it on', async () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  const logger = quietLogger()
  const seen: unknown[] = []
  const handler = recordHandler({ ...options(), logger, name: 'orders' }, (_, ctx) => {
    seen.push(ctx.envelope.carried.traceparent)
    ctx.logger.info('mine')
  })
  const traced = sqsRecord({ a: 1 }, { attributes: { traceparent } })
  const garbled = sqsRecord({ a: 2 }, { attributes: { traceparent: '00-yesterday-01' } })
  await handler(sqsEvent(traced, garbled), lambda)
  expect(seen).toEqual([traceparent, undefined])
  expect(logger.lines.filter((line) => line['traceparent'] === traceparent)).toHaveLength(3)
})
