import { eventBridge, type EventFormat, s3Events } from 'lineclear'
import { eventBridgeEvent, s3Notification } from 'lineclear/testing'
import { describe, expect, it } from 'vitest'
import { unlessTooDeep } from '../../../src/library/protocol/record/events/openedEvents.ts'
import type { OpenedEvent } from '../../../src/library/protocol/record/envelope/envelope.ts'

const QUEUE = 'arn:aws:sqs:eu-west-1:111122223333:orders'
const uploads = s3Events({ buckets: ['my-uploads'] })

function openBy(format: EventFormat, body: object): OpenedEvent | undefined {
  return format.open(JSON.stringify(body), QUEUE, Date.now())
}

const upload = (changes: object = {}) =>
  s3Notification({ bucket: 'my-uploads', key: 'k', sequencer: '0A', eventTime: 1, ...changes })
const [RECORD] = upload().Records
/** Without a sequencer, as an event that neither creates nor deletes. */
const tagged = (responseElements: unknown) => ({
  Records: [
    {
      ...RECORD,
      eventName: 'ObjectTagging:Put',
      eventTime: '2026-01-01T00:00:00.000Z',
      responseElements,
      s3: { bucket: { name: 'my-uploads' }, object: { key: 'k' } },
    },
  ],
})
const PLACED = { source: 'my.shop', detailType: 'Placed', account: '111122223333', id: 'e-1' }

/** Another id in the next version would run everything again that is still on its way, or is redriven. */
describe('the identity of an event is the same in every version', () => {
  const again = eventBridge({ replays: 'again' })
  it.each<[what: string, EventFormat, object, id: string]>([
    ['of a notification', uploads, upload(), 'Zp5IYvm-1MrDB0LlWZNcUHzK-h_iji74hUm78pvcWdk'],
    [
      'of a version of an object',
      uploads,
      upload({ versionId: 'v1' }),
      'KLr8i762eNpHo9Qg52Tqvp47RQt1766wF1dZshGrvSk',
    ],
    [
      'without a sequencer',
      uploads,
      tagged({ 'x-amz-request-id': 'r-1' }),
      'WWbX4Ec_itnHwrm-rtRgxubOvtjeqQaUBERq7H6E7z0',
    ],
    [
      'without a sequencer and a request',
      uploads,
      tagged(undefined),
      'vWty3Z9fZIYpYXYZiFmIvmp-kkmVdtVjK3zHPyWeamA',
    ],
    [
      'of a replay',
      again,
      eventBridgeEvent({}, { ...PLACED, replayName: 'mend' }),
      '3qwS_mcexmgeBdcCeLTDv3uEvOHliGRNkyMPs_hmL7k',
    ],
  ])('%s', (_what, format, body, id) => {
    expect(openBy(format, body)?.event?.id).toBe(id)
  })
})

describe('a notification of S3', () => {
  it('has the time of its event, and without one the time of the queue', () => {
    const at = Date.UTC(2026, 0, 1)
    expect(openBy(uploads, upload({ eventTime: at }))?.event).toHaveProperty('sentAt', at)
    const [record] = upload().Records
    const timeless = openBy(uploads, { Records: [{ ...record, eventTime: 7, awsRegion: null }] })
    expect(timeless?.event).not.toHaveProperty('sentAt')
    expect(JSON.parse(timeless?.body ?? '')).toMatchObject({ eventTime: '', region: '' })
  })

  it('has only the fields that S3 gave it', () => {
    const { Records } = tagged({})
    expect(Object.keys(JSON.parse(openBy(uploads, { Records })?.body ?? '') as object)).toEqual([
      'eventName',
      'eventTime',
      'region',
      'bucket',
      'key',
    ])
  })

  it('of any bucket is opened with buckets: any, whose schema accepts it', async () => {
    const any = s3Events({ buckets: 'any' })
    const opened = openBy(any, s3Notification({ bucket: 'unknown', key: 'k' }))
    const value: unknown = JSON.parse(opened?.body ?? '')
    expect(await any.schema['~standard'].validate(value)).toEqual({ value })
    expect(await uploads.schema['~standard'].validate(value)).toEqual({
      issues: [
        {
          code: 'no notification of S3 from a bucket that s3Events() names',
          message: 'expected a notification of S3 from a bucket that s3Events() names',
        },
      ],
    })
  })

  it.each([
    ['of another service', { Service: 'Amazon SNS', Event: 's3:TestEvent', Bucket: 'my-uploads' }],
    [
      'with another event',
      { Service: 'Amazon S3', Event: 'mine', Bucket: 'my-uploads', note: 's3:TestEvent' },
    ],
    [
      'with records',
      { Service: 'Amazon S3', Event: 's3:TestEvent', Bucket: 'my-uploads', Records: null },
    ],
  ])('a test event %s remains payload', (_what, body) => {
    expect(openBy(uploads, body)).toBeUndefined()
  })

  it('beside a record of another service remains payload, of a named bucket too', () => {
    const other = { ...RECORD, eventSource: 'aws:sqs' }
    expect(openBy(uploads, { Records: [RECORD, other] })).toBeUndefined()
  })

  it('with a bucket or an event that is no text is refused', () => {
    const nameless = { ...RECORD, eventName: 7 }
    const refusal = expect.stringContaining('it has no eventName') as string
    expect(openBy(uploads, { Records: [nameless] })).toEqual({ refusal })
  })
})

describe('an event of S3 by EventBridge', () => {
  const event = (detailType: string, detail: object, version?: string) => ({
    ...eventBridgeEvent(
      { bucket: { name: 'my-uploads' }, object: { key: 'k' }, ...detail },
      { source: 'aws.s3', detailType },
    ),
    ...(version !== undefined && { version }),
  })
  const nameOf = (detailType: string, detail: object): unknown =>
    (JSON.parse(openBy(uploads, event(detailType, detail))?.body ?? '') as { eventName: unknown })
      .eventName

  /** S3 User Guide, "Amazon S3 event notification types and destinations" and "Using EventBridge". */
  it.each([
    ['Object Created', { reason: 'PutObject' }, 'ObjectCreated:Put'],
    ['Object Created', { reason: 'POST Object' }, 'ObjectCreated:Post'],
    ['Object Created', { reason: 'CopyObject' }, 'ObjectCreated:Copy'],
    [
      'Object Created',
      { reason: 'CompleteMultipartUpload' },
      'ObjectCreated:CompleteMultipartUpload',
    ],
    ['Object Created', {}, 'ObjectCreated:'],
    [
      'Object Deleted',
      { reason: 'DeleteObject', 'deletion-type': 'Permanently Deleted' },
      'ObjectRemoved:Delete',
    ],
    ['Object Restore Initiated', {}, 'ObjectRestore:Post'],
    ['Object Restore Completed', {}, 'ObjectRestore:Completed'],
    ['Object Restore Expired', {}, 'ObjectRestore:Delete'],
    ['Object Tags Added', {}, 'ObjectTagging:Put'],
    ['Object Tags Deleted', {}, 'ObjectTagging:Delete'],
    ['Object ACL Updated', {}, 'ObjectAcl:Put'],
    ['Object Storage Class Changed', {}, 'LifecycleTransition'],
    ['Object Access Tier Changed', {}, 'IntelligentTiering'],
    ['Object Sent To The Moon', {}, 'Object Sent To The Moon'],
  ])('%s %j is %s', (detailType, detail, eventName) => {
    expect(nameOf(detailType, detail)).toBe(eventName)
  })

  it.each([
    [
      'without a key',
      event('Object Created', { object: {} }),
      'it has no bucket.name or object.key',
    ],
    [
      'of another version',
      event('Object Created', {}, '1'),
      'an event of EventBridge in version "1"',
    ],
    [
      'of a version that is a long text',
      event('Object Created', {}, 'x'.repeat(1_000)),
      `in version "${'x'.repeat(20)}"`,
    ],
  ])('%s is not run', (_what, body, refusal) => {
    const opened = openBy(uploads, body)
    expect(Object.keys(opened ?? {})).toEqual(['refusal'])
    expect(opened?.refusal).toContain(`an event of S3 that cannot be read: `)
    expect(opened?.refusal).toContain(refusal)
  })

  it.each([7, null, ['my-uploads'], ''])('with %j as its bucket remains payload', (name) => {
    expect(openBy(uploads, event('Object Created', { bucket: { name } }))).toBeUndefined()
  })
})

describe('an event of EventBridge', () => {
  const printOf = (options: object): string | undefined =>
    openBy(eventBridge({ accounts: 'any' }), eventBridgeEvent({ n: 1 }, { ...PLACED, ...options }))
      ?.event?.fingerprint

  it('has another fingerprint from another source, account, or of another detail type', () => {
    const others = [{ source: 'my.mill' }, { account: '999999999999' }, { detailType: 'Paid' }]
    expect(new Set([{}, ...others].map(printOf)).size).toBe(4)
  })

  it('of a version that is a long text is refused in a short one', () => {
    const body = { ...eventBridgeEvent({}, PLACED), version: 'x'.repeat(1_000) }
    expect(openBy(eventBridge(), body)?.refusal).toHaveLength(99)
  })

  it.each([
    { sources: ['a\n'] },
    { sources: ['x'.repeat(257)] },
    { accounts: ['1111222233334'] },
    { accounts: ['x111122223333'] },
    { replays: 'twice' },
  ])('%j is a wrong option', (options) => {
    expect(() => eventBridge(options as object)).toThrow(/^eventBridge: /)
  })

  it.each([{ replays: 'once' }, { replays: 'again' }] as const)('%j is an option', (options) => {
    expect(() => eventBridge(options)).not.toThrow()
  })
})

it.each([['no buckets'], ['/my-uploads'], ['my-uploads/'], ['ab']])(
  '%j is the name of no bucket',
  (name) => {
    expect(() => s3Events({ buckets: [name] })).toThrow(/^s3Events: buckets: /)
  },
)

it('an error that is not about nesting is not taken for one', () => {
  const open = (): never => {
    throw new TypeError('ours')
  }
  expect(() => unlessTooDeep(open)).toThrow('ours')
})
