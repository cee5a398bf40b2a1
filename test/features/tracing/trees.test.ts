import { SendMessageBatchCommand } from '@aws-sdk/client-sqs'
import type { SQSEvent } from 'aws-lambda'
import { producer, recordHandler } from 'lineclear'
import { openTelemetry, type OpenTelemetryOptions } from 'lineclear/opentelemetry'
import { type MemoryCloud, memoryCloud } from 'lineclear/testing'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { keepSpans } from './spans.ts'

const Order = z.object({ orderId: z.string() })

function setUp(options: OpenTelemetryOptions = {}) {
  const spans = keepSpans()
  const { tracerProvider } = spans
  const queue = { deadLetter: { queue: 'dead', maxReceiveCount: 10 } }
  const cloud = memoryCloud({
    queues: { orders: queue, mail: queue, dead: {} },
    topics: { paid: {} },
  })
  const { store, clients, clock, logger } = cloud
  const tracing = openTelemetry({ tracerProvider, ...options })
  const consumer = { store, clients, clock, logger, tracing }
  const sender = producer({ clients, clock, tracing, schema: Order, id: ({ orderId }) => orderId })
  const send = (...ids: string[]): Promise<unknown> =>
    ids.length === 1
      ? sender.send(cloud.queueUrl('orders'), { orderId: ids[0] ?? '' })
      : sender.sendMany(
          cloud.queueUrl('orders'),
          ids.map((orderId) => ({ payload: { orderId } })),
        )
  const traces = (): number => new Set(spans.all().map((span) => span.spanContext().traceId)).size
  return { spans, cloud, consumer, send, traces, tracer: tracerProvider.getTracer('test') }
}

/** As SQS redrives: the same body and attributes, in a new message. */
function redriveTo(cloud: MemoryCloud, queue: string) {
  return async ({ Records }: SQSEvent): Promise<void> => {
    const Entries = Records.map(({ body, messageAttributes }, index) => ({
      Id: String(index),
      MessageBody: body,
      MessageAttributes: Object.fromEntries(
        Object.entries(messageAttributes).map(([name, { dataType, stringValue }]) => [
          name,
          { DataType: dataType, StringValue: stringValue },
        ]),
      ),
    }))
    await cloud.clients.sqs.send(
      new SendMessageBatchCommand({ QueueUrl: cloud.queueUrl(queue), Entries }),
    )
  }
}

it('a record is one trace from its sending on, and links to its invocation', async () => {
  const { spans, cloud, consumer, send, tracer } = setUp()
  const handler = recordHandler({ name: 'orders', ...consumer }, async (_, ctx) => {
    await ctx.call('charge', async () => tracer.startSpan('POST /charges').end())
    tracer.startSpan('own').end()
    await ctx.send(cloud.queueUrl('mail'), 'paid')
    await ctx.publish(cloud.topicArn('paid'), 'paid')
  })
  const mail = recordHandler({ name: 'mail', ...consumer }, () => {})
  await send('o1')
  await cloud.drain({ orders: handler, mail })
  expect(spans.tree()).toEqual([
    'PRODUCER send orders',
    '  CONSUMER process orders attempt=1 outcome=completed →send orders →process orders',
    '    INTERNAL call call=charge',
    '      INTERNAL POST /charges',
    '    INTERNAL own',
    '    PRODUCER send mail',
    '      CONSUMER process mail attempt=1 outcome=completed →send mail →process mail',
    '    PRODUCER publish paid',
    'CONSUMER process orders message_count=1',
    'CONSUMER process mail message_count=1',
  ])
  const process = spans.all().find(({ attributes }) => attributes['lineclear.attempt'] === 1)
  expect(process?.attributes).toMatchObject({
    'messaging.system.name': 'aws.sqs',
    'messaging.operation.name': 'process',
    'messaging.operation.type': 'process',
    'messaging.destination.name': 'orders',
    'messaging.message.id': expect.any(String),
    'faas.trigger': 'pubsub',
    'lineclear.consumer': 'orders',
    'lineclear.uniquerequestid': 'o1',
  })
  const publish = spans.all().find(({ name }) => name === 'publish paid')
  expect(publish?.attributes).toEqual({
    'messaging.system.name': 'aws.sns',
    'messaging.operation.name': 'publish',
    'messaging.operation.type': 'send',
    'messaging.destination.name': 'paid',
    'aws.sns.topic.arn': cloud.topicArn('paid'),
  })
})

it("with parent: 'invocation' a record is a child of its batch, and links to its sending", async () => {
  const { spans, cloud, consumer, send, tracer } = setUp({ parent: 'invocation' })
  const handler = recordHandler({ name: 'orders', ...consumer }, () => {})
  await send('o1', 'o2')
  await tracer.startActiveSpan('invocation', async (span) => {
    await cloud.drain({ orders: handler })
    span.end()
  })
  expect(spans.tree()).toEqual([
    'PRODUCER send orders message_count=2',
    'INTERNAL invocation',
    '  CONSUMER process orders message_count=2',
    '    CONSUMER process orders attempt=1 outcome=completed →send orders',
    '    CONSUMER process orders attempt=1 outcome=completed →send orders',
  ])
})

it('records of a batch stay apart, each in the trace of its request; a duplicate has a span too', async () => {
  const { spans, cloud, consumer, send, traces, tracer } = setUp()
  const handler = recordHandler(
    { name: 'orders', schema: Order, ...consumer },
    async (order, ctx) => {
      tracer.startSpan(`work on ${order.orderId}`).end()
      await ctx.send(cloud.queueUrl('mail'), order)
    },
  )
  await send('o1')
  await send('o2')
  await send('o1')
  await cloud.deliver('orders', handler)
  const run = (id: string): string[] => [
    'PRODUCER send orders',
    '  CONSUMER process orders attempt=1 outcome=completed →send orders →process orders',
    `    INTERNAL work on ${id}`,
    '    PRODUCER send mail',
  ]
  expect(spans.tree()).toEqual([
    ...run('o1'),
    ...run('o2'),
    'PRODUCER send orders',
    '  CONSUMER process orders outcome=duplicate →send orders →process orders',
    'CONSUMER process orders message_count=3',
  ])
  expect(traces()).toBe(4)
})

it('resends are further children of the sending; a failure that is retried is an event, a dead letter is an error', async () => {
  const { spans, cloud, consumer, send } = setUp()
  const handler = recordHandler(
    { name: 'orders', ...consumer, retry: { maxAttempts: 3 } },
    (_, ctx) => Promise.reject(new Error(`no ${ctx.attempt}`)),
  )
  await send('o1')
  await cloud.drain({ orders: handler })
  const beside = '→send orders →process orders'
  expect(spans.tree()).toEqual([
    'PRODUCER send orders',
    `  CONSUMER process orders attempt=1 outcome=resent !no 1 ${beside}`,
    `  CONSUMER process orders attempt=2 resend_number=1 outcome=resent !no 2 ${beside}`,
    `  CONSUMER process orders attempt=3 resend_number=2 outcome=deadLettered reason=exhausted !no 3 ERROR ${beside}`,
    ...Array.from({ length: 3 }, () => 'CONSUMER process orders message_count=1'),
  ])
  expect(cloud.messages('dead').map(({ carried }) => carried.traceparent?.split('-')[1])).toEqual([
    spans.all()[0]?.spanContext().traceId,
  ])
})

it('a message that comes without context keeps the trace of its first attempt, also as a dead letter that is redriven', async () => {
  const { spans, cloud, consumer, traces } = setUp()
  let fails = true
  const handler = recordHandler({ name: 'orders', ...consumer, retry: { maxAttempts: 2 } }, () => {
    if (fails) throw new Error('no')
  })
  cloud.send('orders', {})
  await cloud.drain({ orders: handler })
  fails = false
  await cloud.drain({ dead: redriveTo(cloud, 'orders') })
  await cloud.drain({ orders: handler })
  const beside = '→process orders →process orders'
  expect(spans.tree()).toEqual([
    'CONSUMER process orders message_count=1',
    '  CONSUMER process orders attempt=1 outcome=resent !no',
    `    CONSUMER process orders attempt=2 resend_number=1 outcome=deadLettered reason=exhausted !no ERROR ${beside}`,
    `    CONSUMER process orders attempt=1 outcome=completed ${beside}`,
    'CONSUMER process orders message_count=1',
    'CONSUMER process orders message_count=1',
  ])
  expect(traces()).toBe(3)
})
