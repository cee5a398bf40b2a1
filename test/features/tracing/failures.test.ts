import { context, propagation, type Tracer, type TracerProvider } from '@opentelemetry/api'
import type { SpanExporter } from '@opentelemetry/sdk-trace-base'
import { producer, recordHandler, type Settlement } from 'lineclear'
import { openTelemetry } from 'lineclear/opentelemetry'
import { memoryCloud, memoryStore, sqsRecord } from 'lineclear/testing'
import { expect, it, onTestFinished, vi } from 'vitest'
import { consumerOf } from '../../deliver/consumerOf.ts'
import { lambdaContext } from '../../deliver/lambdaContext.ts'
import { keepSpans } from './spans.ts'

const boom = (): never => {
  throw new Error('boom')
}

/** Throws from the nth of its calls on; counts them. */
function breaking(provider: TracerProvider, from: number) {
  let calls = 0
  const broken = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(own, name) {
        const value: unknown = Reflect.get(own, name, own)
        if (typeof value !== 'function') return value
        return (...given: unknown[]) => {
          calls += 1
          if (calls >= from) throw new Error(`boom ${calls}`)
          const result: unknown = Reflect.apply(value, own, given)
          return name === 'getTracer' || name === 'startSpan' ? broken(result as object) : result
        }
      },
    })
  return { tracerProvider: broken(provider), calls: () => calls }
}

/** A charge, a message, a failure and its retry: what the cloud holds in the end. */
async function story(tracing?: ReturnType<typeof openTelemetry>) {
  const queue = { deadLetter: { queue: 'dead', maxReceiveCount: 10 } }
  const cloud = memoryCloud({ queues: { orders: queue, mail: {}, dead: {} } })
  const { store, clients, clock, logger } = cloud
  const settled: string[] = []
  let charges = 0
  const handler = recordHandler(
    {
      name: 'orders',
      store,
      clients,
      clock,
      logger,
      retry: { maxAttempts: 2 },
      ...(tracing && { tracing }),
      onSettled: ({ kind }: Settlement) => void settled.push(kind),
    },
    async (payload, ctx) => {
      await ctx.call('charge', () => (charges += 1))
      await ctx.send(cloud.queueUrl('mail'), payload)
      if (payload === 'bad' || ctx.attempt === 1) throw new Error('no')
    },
  )
  const send = producer({ clients, clock, ...(tracing && { tracing }) })
  for (const payload of ['good', 'bad']) {
    await send.send(cloud.queueUrl('orders'), payload, { uniqueRequestId: payload })
  }
  await cloud.drain({ orders: handler })
  const held = ['orders', 'mail', 'dead'].map((name) =>
    cloud.messages(name).map(({ payload, carried }) => [payload, carried.reason]),
  )
  return { settled, charges, held }
}

it('a tracer or span that throws from any of its calls on changes nothing', async () => {
  const expected = await story()
  expect(expected.held).toEqual([[], [['good', undefined]], [['bad', 'exhausted']]])
  const { tracerProvider } = keepSpans()
  const whole = breaking(tracerProvider, Infinity)
  expect(await story(openTelemetry({ tracerProvider: whole.tracerProvider }))).toEqual(expected)
  expect(whole.calls()).toBeGreaterThan(50)
  for (let from = 1; from <= whole.calls(); from++) {
    const { tracerProvider: broken } = breaking(tracerProvider, from)
    expect([from, await story(openTelemetry({ tracerProvider: broken }))]).toEqual([from, expected])
  }
})

it.each([
  ['an exporter', (): object => ({ export: boom, shutdown: boom })],
  ['an exporter that never answers', (): object => ({ export: () => {}, shutdown: boom })],
])('%s that throws changes nothing', async (_, exporter) => {
  const { tracerProvider } = keepSpans({ exporter: exporter() as SpanExporter })
  expect(await story(openTelemetry({ tracerProvider }))).toEqual(await story())
})

it('a propagator or a context manager that throws changes nothing', async () => {
  const expected = await story()
  const { tracerProvider } = keepSpans()
  propagation.setGlobalPropagator({ inject: boom, extract: boom, fields: boom })
  context.disable()
  const before = vi.fn<() => never>(boom)
  context.setGlobalContextManager({
    active: boom,
    with: before,
    bind: boom,
    enable: boom,
    disable: () => context as never,
  })
  onTestFinished(() => context.disable())
  expect(await story(openTelemetry({ tracerProvider }))).toEqual(expected)
  expect(before).toHaveBeenCalled()
})

it('a context manager that throws after the work does not run it twice', async () => {
  const { tracerProvider } = keepSpans()
  context.disable()
  const active = context.active()
  context.setGlobalContextManager({
    active: () => active,
    with: (_given, work, self, ...given) => {
      work.apply(self as never, given)
      throw new Error('boom')
    },
    bind: (_given, target) => target,
    enable: boom,
    disable: () => context as never,
  })
  onTestFinished(() => context.disable())
  expect(await story(openTelemetry({ tracerProvider }))).toEqual(await story())
})

it('without an SDK nothing is recorded, and messages carry what they came with', async () => {
  expect(await story(openTelemetry())).toEqual(await story())
})

it('the span of a handler that ignores the signal ends when its time is up', async () => {
  const spans = keepSpans()
  const { send, deliver } = consumerOf(() => new Promise(() => {}), {
    left: 60,
    tracing: openTelemetry({ tracerProvider: spans.tracerProvider }),
  })
  await deliver(send('{}'))
  expect(spans.tree()).toEqual([
    'CONSUMER process orders message_count=1',
    '  CONSUMER process orders attempt=1 outcome=timedOut ERROR',
  ])
})

it('a batch that fails for an outage, and a record that cannot be read, are errors', async () => {
  const spans = keepSpans()
  const tracing = openTelemetry({ tracerProvider: spans.tracerProvider })
  const logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
  const handler = recordHandler({ name: 'orders', store: memoryStore(), logger, tracing }, () => {})
  const { body: _body, ...bodiless } = sqsRecord({})
  await handler({ Records: [bodiless as ReturnType<typeof sqsRecord>] }, lambdaContext())
  const down = { ...memoryStore(), read: boom, create: boom, update: boom }
  const other = recordHandler({ name: 'orders', store: down, logger, tracing }, () => {})
  await other({ Records: [sqsRecord({})] }, lambdaContext()).catch(() => {})
  expect(spans.tree().filter((line) => line.includes('outcome'))).toEqual([
    expect.stringMatching(/^ {2}CONSUMER process orders outcome=failed !.* ERROR$/),
    expect.stringMatching(/^ {2}CONSUMER process orders outcome=failed !boom ERROR$/),
  ])
})

it('a message that is refused is an error of its sending', async () => {
  const spans = keepSpans()
  const { tracerProvider } = spans
  const cloud = memoryCloud({ queues: { orders: {} } })
  const { clients, clock } = cloud
  const sender = producer({ clients, clock, tracing: openTelemetry({ tracerProvider }) })
  await expect(sender.send(`${cloud.queueUrl('orders')}-gone`, {})).rejects.toThrow('gone')
  await expect(sender.send(cloud.queueUrl('orders'), undefined)).rejects.toThrow('undefined')
  const [one, other] = spans.tree()
  expect(one).toMatch(/^PRODUCER send orders-gone !.*ERROR$/)
  expect(other).toMatch(/^PRODUCER send orders !.*ERROR$/)
})

it.each([
  [{ parent: 'batch' }, "openTelemetry: parent: expected 'message' or 'invocation'; got \"batch\""],
  [{ tracer: {} }, 'openTelemetry: "tracer" is not known here'],
  [{ tracerProvider: {} as Tracer }, 'openTelemetry: tracerProvider: expected a TracerProvider'],
])('wrong options are refused: %j', (options, message) => {
  expect(() => openTelemetry(options as never)).toThrow(message)
})
