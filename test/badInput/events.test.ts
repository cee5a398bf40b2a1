import { ConfigError, defineFlow, recordHandler } from 'lineclear'
import { memoryStore, sqsRecord } from 'lineclear/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { lambdaContext } from '../batch/lambdaContext.ts'
import { quietLogger } from '../batch/quietLogger.ts'
import { restEvent } from '../keys/httpEvents.ts'

const GOOD = sqsRecord({ key: 'k' })
const records = (...Records: readonly unknown[]) => ({ Records })

/** Events of which no record can be told: nothing is acknowledged, nothing is run, and the set-up has to be mended. */
const EVENTS: readonly (readonly [what: string, event: unknown, text: string])[] = [
  ['nothing', undefined, 'got undefined'],
  ['null', null, 'got null'],
  ['a text', 'event', 'got string'],
  ['an empty object', {}, 'an object with no keys'],
  ['an HTTP request', restEvent(), 'an object with resource, path'],
  ['an event of EventBridge', { 'detail-type': 'Placed', source: 'shop' }, 'detail-type, source'],
  ['records that are null', { Records: null }, 'an object with Records'],
  ['records that are a text', { Records: 'aws:sqs' }, 'an object with Records'],
  ['a record that is null', records(null), 'a record that is no object'],
  ['a record that is null among good ones', records(GOOD, null), 'a record that is no object'],
  ['an empty record', records({}), 'a record of no event source'],
  ['a record of SNS', records({ EventSource: 'aws:sns' }), 'a record of aws:sns'],
  ['a record of S3', records({ eventSource: 'aws:s3' }), 'a record of aws:s3'],
  ['a record of a stream', records({ eventSource: 'aws:dynamodb' }), 'aws:dynamodb'],
  ['a record of S3 among good ones', records(GOOD, { eventSource: 'aws:s3' }), 'aws:s3'],
  ['a record without its queue', records({ eventSource: 'aws:sqs' }), 'a record of aws:sqs'],
  ['a record whose queue is a number', records({ ...GOOD, eventSourceARN: 7 }), 'aws:sqs'],
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

  it('takes an event without records for an empty batch', async () => {
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
  return { handle: flow.handle('first', (payload) => ran.push(payload)), ran }
}
