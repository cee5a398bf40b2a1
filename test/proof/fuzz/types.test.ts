import type { SQSRecord } from 'aws-lambda'
import {
  defineFlow,
  eventBridge,
  recordHandler,
  s3Events,
  type Settlement,
  snsTopic,
} from 'lineclear'
import { memoryCloud, snsWrapped, sqsRecord } from 'lineclear/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { wrap, wrapCompressed } from '../../../src/library/protocol/record/envelope/wrapper.ts'
import { lambdaContext } from '../../deliver/lambdaContext.ts'
import {
  EC2_TERMINATED,
  S3_OBJECT_CREATED,
  S3_PUT,
  S3_TEST_EVENT,
} from '../../record/events/samples.ts'
import { assertUnpolluted } from './settings.ts'
import { TOPIC } from './values.ts'

/** What may stand in a field where something else belongs. Those with `toString` or `length` trap code that converts. */
const WRONG: readonly string[] = [
  'null',
  'true',
  '0',
  '-1',
  '1e400',
  '""',
  '"x"',
  '"\\u0000"',
  '"\\uffff"',
  '"\\ud800"',
  '[]',
  '[null]',
  '[[]]',
  '{}',
  '{"toString":1}',
  '{"toString":null,"valueOf":null}',
  '{"length":-1}',
  '{"toJSON":1}',
  '{"__proto__":{"x":1}}',
  '{"then":1}',
]

type Path = readonly (string | number)[]

function* pathsIn(value: unknown, path: Path = []): Generator<Path> {
  yield path
  if (typeof value !== 'object' || value === null) return
  for (const [name, held] of Object.entries(value)) yield* pathsIn(held, [...path, name])
}

/** The text of `value` with `wrong`, which is JSON, at the path; and one without the field. */
function withWrong(value: unknown, [name, ...rest]: Path, wrong: string | undefined): string {
  if (name === undefined || typeof value !== 'object' || value === null) return wrong ?? 'null'
  const parts = Object.entries(value).flatMap(([own, held]) => {
    if (own !== String(name)) return [[own, JSON.stringify(held)] as const]
    if (rest.length === 0 && wrong === undefined) return []
    return [[own, withWrong(held, rest, wrong)] as const]
  })
  if (Array.isArray(value)) return `[${parts.map(([, text]) => text).join()}]`
  return `{${parts.map(([own, text]) => `${JSON.stringify(own)}:${text}`).join()}}`
}

function spoilt(sample: string): string[] {
  const value: unknown = JSON.parse(sample)
  return [...pathsIn(value)].flatMap((path) =>
    [undefined, ...WRONG].map((wrong) => withWrong(value, path, wrong)),
  )
}

const twice = JSON.stringify({
  Records: ['a', 'b'].flatMap(() => (JSON.parse(S3_PUT) as { Records: object[] }).Records),
})
const NOTIFICATION = snsWrapped(JSON.stringify({ n: 1 }), {
  topicArn: TOPIC,
  subject: 'news',
  attributes: { tenant: 'a', uniquerequestid: 'r-1', lineclear: '{"format":1,"resendNumber":1}' },
}).body
const PACKED = JSON.stringify({
  messageId: 'm-1',
  resendNumber: 1,
  hops: 1,
  asked: 1,
  sentAt: 1,
  takenAt: 1,
  notBefore: 1,
  death: 1,
  attempts: 1,
  source: 'arn:aws:sqs:eu-west-1:1:q',
  consumer: 'orders',
  traceparent: `00-${'1'.repeat(32)}-${'1'.repeat(16)}-01`,
  reason: 'exhausted',
  error: 'e',
  stack: 's',
  wrapped: true,
  payload: { sha256: '1'.repeat(64), bytes: 1 },
  flow: {
    name: 'f',
    key: 'k',
    id: 'i',
    epoch: 1,
    sentAt: 1,
    from: 's',
    fence: 1,
    timeout: true,
  },
})
const PACKED_WRAPPED = {
  attributes: { lineclear: '{"format":1,"wrapped":true,"resendNumber":0,"hops":0}' },
}
const TENANT = { tenant: { type: 'String', value: 'a' } }
const wrapped = (inside: string): SQSRecord => sqsRecord(inside, PACKED_WRAPPED)

const SAMPLES: Readonly<Record<string, () => SQSRecord[]>> = {
  'a notification of S3': () => spoilt(S3_PUT).map((body) => sqsRecord(body)),
  'a notification of S3 with two events': () => spoilt(twice).map((body) => sqsRecord(body)),
  'the test event of S3': () => spoilt(S3_TEST_EVENT).map((body) => sqsRecord(body)),
  'an event of S3 through EventBridge': () =>
    spoilt(S3_OBJECT_CREATED).map((body) => sqsRecord(body)),
  'an event of EventBridge': () => spoilt(EC2_TERMINATED).map((body) => sqsRecord(body)),
  'a notification of SNS': () => spoilt(NOTIFICATION).map((body) => sqsRecord(body)),
  'an event of S3 in a notification of SNS': () =>
    spoilt(S3_PUT).map((body) => snsWrapped(body, { topicArn: TOPIC })),
  'a wrapped copy': () => spoilt(wrap('{"n":1}', TENANT)).map(wrapped),
  'a compressed copy': () => spoilt(S3_PUT).map((body) => wrapped(wrapCompressed(body, TENANT))),
  'the attribute lineclear': () =>
    spoilt(PACKED).map((lineclear) => sqsRecord({ n: 1 }, { attributes: { lineclear } })),
}

const envelopes = [s3Events({ buckets: 'any' }), eventBridge({ accounts: 'any' })]

async function endsOf(records: readonly SQSRecord[], flow: boolean): Promise<Settlement[]> {
  const cloud = memoryCloud({ queues: { orders: {}, dead: {} } })
  const ends: Settlement[] = []
  const common = {
    ...cloud,
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    onSettled: (settlement: Settlement) => void ends.push(settlement),
  }
  const queues = { queueUrl: cloud.queueUrl('orders'), deadLetterQueueUrl: cloud.queueUrl('dead') }
  const { store, clients, clock, logger, onSettled } = common
  const options = { store, clients, clock, logger, onSettled }
  const schema = z.unknown()
  const handler = flow
    ? defineFlow({
        ...options,
        name: 'f',
        key: () => 'k',
        stages: { s: { schema, envelopes: [snsTopic(TOPIC), ...envelopes], ...queues } },
      }).stageHandler('s', () => {})
    : recordHandler(
        { ...options, ...queues, name: 'orders', envelopes: [snsTopic(TOPIC), ...envelopes] },
        () => {},
      )
  await handler({ Records: [...records] }, lambdaContext())
  return ends
}

describe.each(Object.entries(SAMPLES))('%s with a wrong value in any of its fields', (_, make) => {
  it.each([false, true])(
    'ends, and nothing is left on the queue for its form (flow: %s)',
    async (flow) => {
      const records = make()
      const ends = await endsOf(records, flow)
      expect(ends).toHaveLength(records.length)
      const left = ends.flatMap((end) => (end.kind === 'failed' ? [end.error.message] : []))
      expect([...new Set(left)]).toEqual([])
      assertUnpolluted()
    },
  )
})

it('a record of SQS itself with a wrong value in any of its fields ends beside its neighbours', async () => {
  const whole = sqsRecord({ n: 1 }, { attributes: { tenant: 'a', lineclear: PACKED } })
  const { eventSource, eventSourceARN } = whole
  const records = spoilt(JSON.stringify(whole)).map(
    (text) =>
      ({ ...(JSON.parse(text) as SQSRecord), eventSource, eventSourceARN }) satisfies SQSRecord,
  )
  const good = sqsRecord({ n: 2 }, { messageId: 'good' })
  const ends = await endsOf([...records, good], false)
  expect(ends).toHaveLength(records.length + 1)
  expect(ends.at(-1)?.kind).toBeDefined()
})
