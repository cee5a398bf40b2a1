import { type InvocationContext, invocationHandler, recordHandler } from 'lineclear'
import { openTelemetry } from 'lineclear/opentelemetry'
import { memoryCloud } from 'lineclear/testing'
import { expect, it } from 'vitest'
import { lambdaContext } from '../../deliver/lambdaContext.ts'
import { keepSpans } from './spans.ts'

interface Night {
  readonly night: string
}

function setUp() {
  const spans = keepSpans()
  const { tracerProvider } = spans
  const cloud = memoryCloud({ queues: { mail: {} } })
  const { store, clients, clock, logger } = cloud
  const tracing = openTelemetry({ tracerProvider })
  const mail = recordHandler({ name: 'mail', store, clients, clock, logger, tracing }, () => {})
  const tracer = tracerProvider.getTracer('test')
  const work = async (ctx: InvocationContext): Promise<string> => {
    await ctx.call('charge', () => tracer.startSpan('POST /charges').end())
    await ctx.send(cloud.queueUrl('mail'), 'booked')
    if (ctx.attempt === 1) throw new Error('no')
    return 'done'
  }
  return {
    spans,
    cloud,
    common: { store, clock, logger },
    effects: { clients: { sqs: clients.sqs }, tracing },
    mail,
    tracer,
    work,
  }
}

const NIGHT: Night = { night: '2026-11-22' }
const SENT = [
  '    PRODUCER send mail',
  '      CONSUMER process mail attempt=1 outcome=completed →send mail →process mail',
]

it('a direct invocation is a span of its own: with its attempt, its calls and its messages', async () => {
  const { spans, cloud, common, effects, mail, tracer, work } = setUp()
  const handler = invocationHandler(
    { name: 'settlement', ...common, ...effects, key: ({ night }: Night) => night },
    (_, ctx) => work(ctx),
  )
  await expect(handler(NIGHT, lambdaContext())).rejects.toThrow('no')
  await tracer.startActiveSpan('invocation', async (span) => {
    expect(await handler(NIGHT, lambdaContext())).toBe('done')
    expect(await handler(NIGHT, lambdaContext())).toBe('done')
    span.end()
  })
  await cloud.drain({ mail })
  expect(spans.tree()).toEqual([
    'INTERNAL settlement attempt=1 outcome=failed !no ERROR',
    '  INTERNAL call call=charge',
    '    INTERNAL POST /charges',
    'INTERNAL invocation',
    '  INTERNAL settlement attempt=2 outcome=completed',
    ...SENT,
    'CONSUMER process mail message_count=1',
  ])
  expect(spans.all()[0]?.attributes).toEqual({
    'lineclear.name': 'settlement',
    'lineclear.uniquerequestid': NIGHT.night,
    'lineclear.attempt': 1,
    'lineclear.outcome': 'failed',
    'error.type': 'Error',
  })
})
