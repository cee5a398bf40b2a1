import { propagation, ROOT_CONTEXT, trace } from '@opentelemetry/api'
import { AWSXRayPropagator } from '@opentelemetry/propagator-aws-xray'
import type { SQSRecord } from 'aws-lambda'
import { recordHandler, type Settlement } from 'lineclear'
import { openTelemetry, type OpenTelemetryOptions } from 'lineclear/opentelemetry'
import { memoryStore, sqsRecord } from 'lineclear/testing'
import { describe, expect, it } from 'vitest'
import { consumerOf } from '../../deliver/consumerOf.ts'
import { lambdaContext } from '../../deliver/lambdaContext.ts'
import { quietLogger } from '../../deliver/quietLogger.ts'
import { keepSpans } from './spans.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const SPAN = 'b7ad6b7169203331'
const TRACEPARENT = `00-${TRACE}-${SPAN}-01`
const XRAY_TRACE = '5759e988bd862e3fe1be46a994272793'
const XRAY_SPAN = '53995c3f42cd8ad8'
const HEADER = `Root=1-5759e988-bd862e3fe1be46a994272793;Parent=${XRAY_SPAN};Sampled=1;Lineage=a:1|b:2`

/** Runs one record. @returns its span, and how it was settled */
async function processed(record: SQSRecord, options: OpenTelemetryOptions = {}) {
  const spans = keepSpans()
  const settled: Settlement['kind'][] = []
  const tracing = openTelemetry({ tracerProvider: spans.tracerProvider, ...options })
  const handler = recordHandler(
    {
      name: 'orders',
      store: memoryStore(),
      logger: quietLogger(),
      tracing,
      onSettled: ({ kind }) => void settled.push(kind),
    },
    () => {},
  )
  await handler({ Records: [record] }, lambdaContext())
  const [batch, span] = spans.all()
  const links = span?.links.map(({ context }) => [context.traceId, context.spanId])
  const parent = span?.parentSpanContext
  const isBelowBatch = parent?.spanId === batch?.spanContext().spanId
  return {
    settled,
    batch: [batch?.spanContext().traceId, batch?.spanContext().spanId],
    parent: isBelowBatch ? 'batch' : [parent?.traceId, parent?.spanId],
    links: links?.filter(([, id]) => id !== batch?.spanContext().spanId),
    sampled: span?.spanContext().traceFlags,
    isRemote: parent?.isRemote,
  }
}

function withHeader(AWSTraceHeader: string, attributes: Readonly<Record<string, string>> = {}) {
  const record = sqsRecord({}, { attributes })
  return { ...record, attributes: { ...record.attributes, AWSTraceHeader } }
}

const useXray = (): unknown => propagation.setGlobalPropagator(new AWSXRayPropagator())

describe('the context in which a message was created', () => {
  it('is its attribute traceparent, whichever propagator is registered', async () => {
    const attributes = { traceparent: TRACEPARENT }
    const expected = { parent: [TRACE, SPAN], links: [[TRACE, SPAN]], isRemote: true, sampled: 1 }
    expect(await processed(sqsRecord({}, { attributes }))).toMatchObject(expected)
    useXray()
    expect(await processed(sqsRecord({}, { attributes }))).toMatchObject(expected)
  })

  it('is what the AWS SDK put into an attribute for the propagator that is registered', async () => {
    const record = sqsRecord({}, { attributes: { 'x-amzn-trace-id': HEADER } })
    expect(await processed(record)).toMatchObject({ parent: 'batch', links: [] })
    useXray()
    expect(await processed(record)).toMatchObject({
      parent: [XRAY_TRACE, XRAY_SPAN],
      links: [[XRAY_TRACE, XRAY_SPAN]],
    })
  })

  it("is AWSTraceHeader where X-Ray's propagator is registered; elsewhere that is only a link", async () => {
    const links = [[XRAY_TRACE, XRAY_SPAN]]
    expect(await processed(withHeader(HEADER))).toMatchObject({ parent: 'batch', links })
    useXray()
    const parent = [XRAY_TRACE, XRAY_SPAN]
    expect(await processed(withHeader(HEADER))).toMatchObject({ parent, links })
  })

  it('is traceparent when there is an AWSTraceHeader too, which becomes a second link', async () => {
    useXray()
    const record = withHeader(HEADER, { traceparent: TRACEPARENT })
    expect(await processed(record)).toMatchObject({
      parent: [TRACE, SPAN],
      links: [
        [TRACE, SPAN],
        [XRAY_TRACE, XRAY_SPAN],
      ],
    })
  })

  it("is not the invocation's own, which X-Ray's propagator for Lambda gives when a message has none", async () => {
    const ambient = { traceId: XRAY_TRACE, spanId: XRAY_SPAN, traceFlags: 1 }
    propagation.setGlobalPropagator({
      inject: () => {},
      extract: (context) =>
        trace.getSpanContext(context) === undefined
          ? trace.setSpanContext(ROOT_CONTEXT, ambient)
          : context,
      fields: () => [],
    })
    const record = sqsRecord({}, { attributes: { tenant: 'a' } })
    expect(await processed(record)).toMatchObject({ parent: 'batch', links: [] })
  })

  it('decides about sampling: what its sender does not record is not recorded here', async () => {
    const attributes = { traceparent: `00-${TRACE}-${SPAN}-00` }
    const spans = await processed(sqsRecord({}, { attributes }))
    expect(spans).toMatchObject({ settled: ['completed'], sampled: undefined })
    const other = await processed(sqsRecord({}, { attributes }), { parent: 'invocation' })
    expect(other).toMatchObject({ settled: ['completed'], parent: 'batch', sampled: 1 })
  })
})

describe('a hostile context', () => {
  const long = 'a'.repeat(200_000)
  it.each([
    ['a traceparent of zeros', { traceparent: `00-${'0'.repeat(32)}-${'0'.repeat(16)}-01` }],
    ['of a forbidden version', { traceparent: `ff-${TRACE}-${SPAN}-01` }],
    ['that is too long', { traceparent: TRACEPARENT + long }],
    ['that is too short', { traceparent: '00-1-1-01' }],
    ['with another alphabet', { traceparent: TRACEPARENT.toUpperCase() }],
    ['in a long attribute of another propagator', { 'x-amzn-trace-id': HEADER + long }],
    ['in eight attributes', Object.fromEntries('abcdefgh'.split('').map((each) => [each, HEADER]))],
    ['with a name of the prototype', { ['__proto__']: TRACEPARENT, constructor: HEADER }],
  ])('%s is left out, and the record runs', async (_, attributes) => {
    useXray()
    const { settled, parent, links } = await processed(sqsRecord({}, { attributes }))
    expect({ settled, parent, links }).toEqual({
      settled: ['completed'],
      parent: 'batch',
      links: [],
    })
  })

  it.each([
    '',
    'Root=1-5759e988-bd862e3fe1be46a994272793',
    `Root=1-5759e988-bd862e3fe1be46a994272793;Parent=${'0'.repeat(16)}`,
    `Root=1-zzzzzzzz-bd862e3fe1be46a994272793;Parent=${XRAY_SPAN}`,
    `Parent=${XRAY_SPAN};Sampled=1`,
    `${HEADER};${'a'.repeat(600)}`,
  ])('an AWSTraceHeader without a span is left out: %j', async (header) => {
    expect(await processed(withHeader(header))).toMatchObject({ parent: 'batch', links: [] })
  })

  it('hundreds of distinct contexts leave nothing behind', async () => {
    const spans = keepSpans()
    const tracing = openTelemetry({ tracerProvider: spans.tracerProvider })
    const options = { name: 'orders', store: memoryStore(), logger: quietLogger(), tracing }
    const handler = recordHandler(options, () => {})
    const Records = Array.from({ length: 500 }, (_, index) => {
      const id = (index + 1).toString(16).padStart(16, '0')
      return sqsRecord({ index }, { attributes: { traceparent: `00-${id}${id}-${id}-01` } })
    })
    expect(await handler({ Records }, lambdaContext())).toEqual({ batchItemFailures: [] })
    const own = spans.all().filter(({ links }) => links.length > 0)
    expect(own.length).toBe(500)
    expect(new Set(own.map((span) => span.spanContext().traceId)).size).toBe(500)
    expect(own.every(({ links }) => links.length === 2)).toBe(true)
  })
})

it('AWSTraceHeader stays on copies and dead letters of a traced consumer as it came', async () => {
  const { tracerProvider } = keepSpans()
  const fails = (): Promise<never> => Promise.reject(new Error('no'))
  const { dead, queue, clock, send, deliver } = consumerOf(fails, {
    retry: { maxAttempts: 2 },
    tracing: openTelemetry({ tracerProvider }),
  })
  await deliver(send('{}'), { AWSTraceHeader: HEADER })
  const headers = ({ messages }: typeof queue): unknown =>
    messages.map(({ message }) => message.traceHeader)
  expect(headers(queue)).toEqual([HEADER])
  clock.advance(3_600_000)
  await deliver([...queue.messages], { AWSTraceHeader: HEADER })
  expect(headers(dead)).toEqual([HEADER])
})
