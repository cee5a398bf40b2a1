import { type S3ObjectEvent, s3Events } from 'lineclear'
import { eventBridgeEvent, s3Notification } from 'lineclear/testing'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  S3_OBJECT_CREATED,
  S3_OBJECT_DELETED,
  S3_OBJECT_EXPIRED,
  S3_OBJECT_RESTORED,
  S3_PUT,
  S3_TEST_EVENT,
} from './samples.ts'
import type { OpenedEvent } from '../../../src/library/protocol/record/envelope/envelope.ts'

const QUEUE = 'arn:aws:sqs:eu-west-1:111122223333:uploads'
const BUCKETS = ['mybucket', 'bucketname', 'DOC-EXAMPLE-BUCKET1', 'my-uploads']

function open(body: object | string, queue = QUEUE): OpenedEvent | undefined {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return s3Events({ buckets: BUCKETS }).open(text, queue, Date.now())
}

function payloadOf(opened: OpenedEvent | undefined): S3ObjectEvent {
  return JSON.parse(opened?.body ?? 'null') as S3ObjectEvent
}

describe('a notification of a bucket', () => {
  it('gives what happened to which object', () => {
    const opened = open(S3_PUT)
    expect(payloadOf(opened)).toEqual({
      eventName: 'ObjectCreated:Put',
      eventTime: '1970-01-01T00:00:00.000Z',
      region: 'us-west-2',
      bucket: 'mybucket',
      key: 'HappyFace.jpg',
      versionId: '096fKKXTRTtl3on89fVO.nfljtsv6qko',
      size: 1024,
      eTag: 'd41d8cd98f00b204e9800998ecf8427e',
      sequencer: '0055AED6DCD90281E5',
    })
    expect(opened?.s3?.s3.configurationId).toBe('testConfigRule')
    // The example's time is that of no clock.
    expect(opened?.event).not.toHaveProperty('sentAt')
  })

  it.each(['2.0', '2.1', '2.6', '2.99'])('version %s is read', (version) => {
    expect(payloadOf(open(S3_PUT.replace('"2.1"', `"${version}"`))).bucket).toBe('mybucket')
  })

  it.each(['3.0', '1.0', '2', '2.x', '22.1', ''])('version %j is refused, not run', (version) => {
    expect(open(S3_PUT.replace('"2.1"', `"${version}"`))).toEqual({
      refusal: `a notification of S3 in version "${version}": only 2.x is known. It was not run.`,
    })
  })

  it('has the key as it is, not as S3 encodes it', () => {
    const keys = [
      'red flower.jpg',
      'a/b+c/50%.txt',
      'Grüße/日本.pdf',
      '__proto__',
      'x'.repeat(1_024),
    ]
    const read = keys.map(
      (key) => payloadOf(open(s3Notification({ bucket: 'my-uploads', key }))).key,
    )
    expect(read).toEqual(keys)
    expect(payloadOf(open(S3_PUT.replace('HappyFace', 'red+flower%2B'))).key).toBe(
      'red flower+.jpg',
    )
  })

  it('is refused when its key is not encoded', () => {
    expect(open(S3_PUT.replace('HappyFace', '%E0%A4'))?.refusal).toContain('not URL-encoded')
  })

  it('has one identity, however often S3 sends it, and another for each event of the object', () => {
    const at = Date.UTC(2026, 0, 1)
    const base = { bucket: 'my-uploads', key: 'k', sequencer: '0A', eventTime: at }
    const idOf = (changes: object): string | undefined =>
      open(s3Notification({ ...base, ...changes }))?.event?.id
    const others = [
      { bucket: 'mybucket' },
      { key: 'k2' },
      { sequencer: '0B' },
      { versionId: 'v1' },
      { eventName: 'ObjectRemoved:Delete' },
    ]
    expect(idOf({})).toBe(idOf({ eventTime: at + 1 }))
    expect(new Set([{}, ...others].map(idOf)).size).toBe(others.length + 1)
  })

  it('without a sequencer is told from others by its time and its request', () => {
    const tagged = (changes: object) => {
      const [record] = s3Notification({
        bucket: 'my-uploads',
        key: 'k',
        eventName: 'ObjectTagging:Put',
      }).Records
      const { sequencer: _none, ...object } = record?.s3.object ?? { sequencer: '' }
      return open({
        Records: [
          {
            ...record,
            s3: { ...record?.s3, object },
            eventTime: '2026-01-01T00:00:00.000Z',
            ...changes,
          },
        ],
      })?.event?.id
    }
    const ids = [
      tagged({}),
      tagged({ eventTime: '2026-01-01T00:00:00.001Z' }),
      tagged({ responseElements: { 'x-amz-request-id': 'another' } }),
    ]
    expect(new Set(ids).size).toBe(3)
    expect(tagged({})).toBe(ids[0])
  })

  it('has another fingerprint when another object is said to be there', () => {
    const prints = [1, 2].map(
      (size) => open(s3Notification({ bucket: 'my-uploads', key: 'k', size }))?.event?.fingerprint,
    )
    expect(prints[0]).not.toBe(prints[1])
  })
})

describe('the sequencer', () => {
  const comparableOf = (sequencer: string): string =>
    payloadOf(open(s3Notification({ bucket: 'my-uploads', key: 'k', sequencer }))).sequencer ??
    'none'
  /** S3: right pad the shorter value with zeros, then compare lexicographically. */
  const asS3 = (one: string, other: string): number => {
    const width = Math.max(one.length, other.length)
    const [a, b] = [one, other].map((each) => each.toUpperCase().padEnd(width, '0'))
    return a === b ? 0 : (a ?? '') < (b ?? '') ? -1 : 1
  }

  it('compares as a text as S3 compares it, at any length', () => {
    const hex = fc.string({
      unit: fc.constantFrom(...'0123456789abcdefABCDEF'.split('')),
      minLength: 1,
      maxLength: 24,
    })
    const property = fc.property(hex, hex, fc.nat(6), (one, other, zeros) => {
      const longer = one + '0'.repeat(zeros)
      for (const [a, b] of [
        [one, other],
        [one, longer],
        [longer, other],
      ] as const) {
        const [x, y] = [comparableOf(a), comparableOf(b)]
        expect(x === y ? 0 : x < y ? -1 : 1).toBe(asS3(a, b))
      }
    })
    fc.assert(property, { numRuns: 300 })
  })

  it.each(['', 'xyz', '0x1', 'A'.repeat(257), '-1'])('%j is none', (sequencer) => {
    expect(comparableOf(sequencer)).toBe('none')
  })
})

describe('a notification that is no event of an object', () => {
  it('the test event stands for no request', () => {
    expect(open(S3_TEST_EVENT)).toEqual({
      testEvent: 'the test event that S3 sends when its notifications are set up',
    })
  })

  it.each([2, 101])('%i events are refused as a whole', (count) => {
    const [record] = s3Notification({ bucket: 'my-uploads', key: 'k' }).Records
    const opened = open({ Records: Array.from({ length: count }, () => record) })
    expect(opened).toEqual({ refusal: expect.stringContaining(`${count} events`) as string })
  })
})

describe('an event of S3 that comes by EventBridge', () => {
  it.each([
    [S3_OBJECT_CREATED, 'ObjectCreated:Put', '617F08299329D189'],
    [S3_OBJECT_DELETED, 'ObjectRemoved:DeleteMarkerCreated', '617F0837B476E463'],
    [S3_OBJECT_EXPIRED, 'LifecycleExpiration:DeleteMarkerCreated', '617B398'],
    [S3_OBJECT_RESTORED, 'ObjectRestore:Completed', undefined],
  ])('gives the same payload as a notification: %#', (body, eventName, sequencer) => {
    const opened = open(body)
    const { id, time, detail } = JSON.parse(body) as {
      id: string
      time: string
      detail: { object: Record<string, string> }
    }
    expect(payloadOf(opened)).toMatchObject({
      eventName,
      eventTime: time,
      region: 'ca-central-1',
      bucket: 'DOC-EXAMPLE-BUCKET1',
      key: 'example-key',
      versionId: detail.object['version-id'],
    })
    expect(payloadOf(opened).sequencer).toBe(sequencer)
    expect(opened?.event).toMatchObject({ id, sentAt: Date.parse(time) })
    expect(opened?.eventBridge?.id).toBe(id)
  })

  it('has a key that is not encoded', () => {
    const detail = {
      bucket: { name: 'my-uploads' },
      object: { key: 'a+b%20c' },
      reason: 'CopyObject',
    }
    const event = eventBridgeEvent(detail, { source: 'aws.s3', detailType: 'Object Created' })
    expect(payloadOf(open(event))).toMatchObject({
      key: 'a+b%20c',
      eventName: 'ObjectCreated:Copy',
    })
  })

  it('is left alone when it comes from another service, or from another bucket', () => {
    const event = (source: string, name: string) =>
      eventBridgeEvent(
        { bucket: { name }, object: { key: 'k' } },
        { source, detailType: 'Object Created' },
      )
    expect(open(event('my.s3', 'my-uploads'))).toBeUndefined()
    expect(open(event('aws.s3', 'others'))).toEqual({
      unlisted: expect.stringContaining('others') as string,
    })
  })
})

const GOOD = s3Notification({ bucket: 'my-uploads', key: 'k' })
const [RECORD] = GOOD.Records
const withS3 = (s3: unknown) => ({ Records: [{ ...RECORD, s3 }] })

const OTHERS = expect.stringContaining(
  `a notification of S3 from the bucket others, and s3Events() names ${BUCKETS.join(', ')}.`,
) as string

/** Bodies that look like a notification: each remains payload, or is refused. */
const LOOK_ALIKES: readonly (readonly [
  what: string,
  body: object | string,
  end: object | undefined,
])[] = [
  ['an object', { Records: 'aws:s3' }, undefined],
  ['no records', { Records: [], source: 'aws:s3' }, undefined],
  ['a record of another service', { Records: [{ ...RECORD, eventSource: 'aws:sqs' }] }, undefined],
  [
    'a record of another service beside one of S3',
    { Records: [RECORD, { eventSource: 'aws:sns' }] },
    undefined,
  ],
  ['a record that is null', `{"Records":[null,"aws:s3"]}`, undefined],
  ['half a notification', JSON.stringify(GOOD).slice(0, -2), undefined],
  ['a list', [GOOD], undefined],
  ['another bucket', s3Notification({ bucket: 'others', key: 'k' }), { unlisted: OTHERS }],
  [
    'another bucket beside one that is named',
    { Records: [RECORD, ...s3Notification({ bucket: 'others', key: 'k' }).Records] },
    { unlisted: OTHERS },
  ],
  [
    'a bucket with a name that no bucket has',
    s3Notification({ bucket: 'a\nb', key: 'k' }),
    undefined,
  ],
  ['no bucket', withS3({ object: { key: 'k' } }), undefined],
  ['no s3', withS3(undefined), undefined],
  ['a bucket that is a list', withS3({ bucket: ['my-uploads'], object: {} }), undefined],
  [
    'no object',
    withS3({ bucket: { name: 'my-uploads' } }),
    { refusal: expect.stringContaining('no eventName') as string },
  ],
  [
    'a key that is a number',
    withS3({ bucket: { name: 'my-uploads' }, object: { key: 7 } }),
    { refusal: expect.stringContaining('s3.object.key') as string },
  ],
  [
    'an empty key',
    withS3({ bucket: { name: 'my-uploads' }, object: { key: '' } }),
    { refusal: expect.stringContaining('s3.object.key') as string },
  ],
  [
    'a version that is a number',
    { Records: [{ ...RECORD, eventVersion: 2.1 }] },
    { refusal: expect.stringContaining('version ""') as string },
  ],
  [
    'a test event of another bucket',
    S3_TEST_EVENT.replace('bucketname', 'others'),
    { unlisted: expect.stringContaining('others') as string },
  ],
  ['a test event without a bucket', { Service: 'Amazon S3', Event: 's3:TestEvent' }, undefined],
  [
    'a test event with records',
    { ...(JSON.parse(S3_TEST_EVENT) as object), ...GOOD, Records: {} },
    undefined,
  ],
]

it.each(LOOK_ALIKES)('%s', (_what, body, end) => {
  expect(open(body)).toEqual(end)
})

it('no body throws', () => {
  const formats = s3Events({ buckets: 'any' })
  const values = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constant('aws:s3'),
      fc.constant('2.1'),
      fc.string(),
      fc.integer(),
      fc.constant(null),
      tie('object'),
      fc.array(tie('value')),
    ),
    object: fc.dictionary(
      fc.constantFrom(
        'Records',
        'eventSource',
        's3',
        'bucket',
        'name',
        'object',
        'key',
        'eventVersion',
        'detail',
        'detail-type',
        'source',
        '__proto__',
      ),
      tie('value'),
    ),
  }))
  fc.assert(
    fc.property(values.object, (value) => {
      expect(() => formats.open(JSON.stringify(value), QUEUE, Date.now())).not.toThrow()
    }),
    { numRuns: 500 },
  )
})

describe('the schema', () => {
  const { schema } = s3Events({ buckets: ['my-uploads'] })
  const validate = (value: unknown) => schema['~standard'].validate(value)

  it('accepts what was opened, and nothing else', () => {
    const event = payloadOf(open(GOOD))
    expect(validate(event)).toEqual({ value: event })
    for (const other of [
      GOOD,
      null,
      'text',
      { ...event, bucket: 'others' },
      { ...event, key: 7 },
    ]) {
      expect(validate(other)).toHaveProperty('issues')
    }
  })
})

it.each([
  [undefined, 's3Events: expected an object of options'],
  [{}, 'buckets: expected a list of bucket names'],
  [{ buckets: [''] }, 'buckets: expected a list of bucket names'],
  [{ buckets: 'my-uploads' }, 'buckets: expected a list of bucket names'],
  [{ bucket: 'my-uploads' }, `"bucket" is not known here: write 'buckets'`],
])('%j is a wrong option', (options, text) => {
  expect(() => s3Events(options as never)).toThrow(text)
})
