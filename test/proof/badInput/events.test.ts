import { ConfigError, defineFlow, recordHandler } from 'lineclear'
import { memoryStore, sqsRecord } from 'lineclear/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { lambdaContext } from '../../deliver/lambdaContext.ts'
import { quietLogger } from '../../deliver/quietLogger.ts'
import { busDelivery } from '../../record/events/busDelivery.ts'
import { restEvent } from '../../call/httpEvents.ts'

const GOOD = sqsRecord({ key: 'k' })
const records = (...Records: readonly unknown[]) => ({ Records })

/** Events whose records cannot be identified: nothing is acknowledged, nothing is run, and the set-up has to be corrected. */
const EVENTS: readonly (readonly [what: string, event: unknown, text: string])[] = [
  ['nothing', undefined, 'got nothing.'],
  ['null', null, 'got null.'],
  ['a text', 'event', 'got a text.'],
  ['an empty object', {}, 'got an object without a list of Records.'],
  ["the console's hello-world event", { key1: 'value1' }, 'choose the template "SQS"'],
  ['an HTTP request', restEvent(), 'an HTTP request (API Gateway'],
  ['an event of EventBridge', { 'detail-type': 'Placed', source: 'shop' }, 'got an event of Event'],
  ['an event of a Custom Event Bus', busDelivery({}), 'got an event of a Custom Event Bus'],
  ['events of a Custom Event Bus', [busDelivery({})], 'open its events with eventBridge()'],
  ['one record', GOOD, 'Lambda gives { Records: [record] }'],
  ['records that are null', { Records: null }, 'an object without a list of Records'],
  ['records that are a text', { Records: 'aws:sqs' }, 'an object without a list of Records'],
  ['a record that is null', records(null), 'a record without the eventSource'],
  ['a record that is null among good ones', records(GOOD, null), 'a record without the event'],
  ['an empty record', records({}), 'a record without the eventSource'],
  ['a record of an unknown source', records({ eventSource: 'toString' }), 'without the eventSo'],
  ['a record of SNS', records({ EventSource: 'aws:sns' }), 'an event of aws:sns. Nothing was run'],
  ['a record of S3', records({ eventSource: 'aws:s3' }), 'Let its source send to an SQS queue'],
  ['a record of a stream', records({ eventSource: 'aws:dynamodb' }), 'an event of aws:dynamodb'],
  ['a record of Kinesis', records({ eventSource: 'aws:kinesis' }), 'an event of aws:kinesis'],
  [
    'a record of S3 among good ones',
    records(GOOD, { eventSource: 'aws:s3' }),
    'an event of aws:s3',
  ],
  ['a record without its queue', records({ eventSource: 'aws:sqs' }), 'without an eventSourceARN'],
  [
    'a record whose queue is a number',
    records({ ...GOOD, eventSourceARN: 7 }),
    'an eventSourceARN',
  ],
]

describe.each(['recordHandler', 'a stage'] as const)('%s', (which) => {
  it.each(EVENTS)('refuses %s', async (_what, event, text) => {
    const store = memoryStore()
    const { handle, ran } = which === 'a stage' ? stage(store) : consumer(store)
    const answer = handle(event as never, lambdaContext())
    await expect(answer).rejects.toThrow(ConfigError)
    await expect(handle(event as never, lambdaContext())).rejects.toThrow(text)
    expect(ran).toEqual([])
    expect(store.items()).toEqual([])
  })

  it('treats an event without records as an empty batch', async () => {
    const { handle } = which === 'a stage' ? stage(memoryStore()) : consumer(memoryStore())
    expect(await handle({ Records: [] }, lambdaContext())).toEqual({ batchItemFailures: [] })
  })
})

function consumer(store: ReturnType<typeof memoryStore>) {
  const ran: unknown[] = []
  const handle = recordHandler({ name: 'orders', store, logger: quietLogger() }, (payload) =>
    ran.push(payload),
  )
  return { handle, ran }
}

function stage(store: ReturnType<typeof memoryStore>) {
  const ran: unknown[] = []
  const flow = defineFlow({
    name: 'trip',
    store,
    logger: quietLogger(),
    key: ({ key }) => key,
    stages: { first: { schema: z.object({ key: z.string() }) } },
  })
  return { handle: flow.stageHandler('first', (payload) => ran.push(payload)), ran }
}
