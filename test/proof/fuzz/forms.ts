import type { SQSRecord } from 'aws-lambda'
import fc from 'fast-check'
import { eventBridgeEvent, s3Notification, snsWrapped, sqsRecord } from 'lineclear/testing'
import { hostileRecord, json, name, text, TOPIC } from './values.ts'

/** No test takes so long that one of them would be too old. */
export const SENT_AT: number = Date.UTC(2026, 0, 1)

const bridge = {
  id: '7bf73129-1428-4cd3-a780-95db273d1602',
  source: 'my.shop',
  detailType: 'Placed',
  time: SENT_AT,
}
const order = { key: 'k', id: 'o-1', n: 1, quoteId: 'of-good-1', price: 1, at: SENT_AT }
const stamp = { format: 1, resendNumber: 1, sentAt: SENT_AT }
const flow = { name: 'trip', key: 'k', id: 'r', epoch: 1, sentAt: SENT_AT, from: 'first' }
const upload = { bucket: 'my-uploads', key: 'a b', sequencer: '0A', eventTime: SENT_AT }

/** One of each form as its sender makes it: the body, and its attribute `lineclear`. */
const FORMS: readonly (readonly [body: unknown, packed: object | undefined])[] = [
  [order, undefined],
  [order, stamp],
  [{ key: 'k' }, { ...stamp, flow }],
  [JSON.parse(snsWrapped(order, { topicArn: TOPIC, messageId: 'sns-1' }).body), undefined],
  [{ Type: 'lineclear', Message: JSON.stringify(order), MessageAttributes: {} }, stamp],
  [eventBridgeEvent(order, bridge), undefined],
  [s3Notification(upload), undefined],
  [{ Service: 'Amazon S3', Event: 's3:TestEvent', Bucket: 'my-uploads' }, undefined],
  [
    { Data: order, Metadata: { 'aws:EventId': 'e-1' }, SystemMetadata: { 'aws:EventBus': 'shop' } },
    undefined,
  ],
]

type Edit = (given: unknown) => unknown

/** A form with some of its fields gone, renamed, or of another value, also deep inside. */
const edits = fc.array(
  fc.record({
    at: fc.nat(40),
    edit: fc.oneof<fc.Arbitrary<Edit>[]>(
      json.map((it) => () => parsed(it)),
      text.map((it) => () => it),
      fc.constant(() => undefined),
      fc.constant((given: unknown) => [given]),
      fc.constant((given: unknown) => JSON.stringify(given)),
      fc.constantFrom('\ud800', 1e308, 2 ** 53 + 2, -0, null).map((it) => () => it),
    ),
  }),
  { maxLength: 3 },
)

function parsed(from: string): unknown {
  try {
    return JSON.parse(from)
  } catch {
    return from
  }
}

function edited(form: unknown, all: readonly { readonly at: number; readonly edit: Edit }[]) {
  const copy: Owner = { form: structuredClone(form) }
  for (const { at, edit } of all) {
    const places = placesIn(copy)
    const [owner, field] = places[at % places.length] ?? [copy, 'form']
    owner[field] = edit(owner[field])
  }
  return copy['form']
}

type Owner = Record<string, unknown>

function placesIn(owner: object): [Owner, string][] {
  return Object.keys(owner).flatMap((field) => {
    const value = (owner as Owner)[field]
    const inner = typeof value === 'object' && value !== null ? placesIn(value) : []
    return [[owner as Owner, field] as [Owner, string], ...inner]
  })
}

const editedRecord = fc
  .record({
    form: fc.constantFrom(...FORMS),
    edits,
    packedEdits: edits,
    id: fc.option(fc.oneof(text, name, fc.constantFrom('r', 'r', 'user/null/1')), {
      nil: undefined,
    }),
    sentAt: fc.constantFrom(SENT_AT, SENT_AT - 1_000, 0, 1e15),
    group: fc.option(fc.constantFrom('g', 'h'), { nil: undefined, freq: 4 }),
  })
  .map(({ form: [body, packed], edits: ofBody, packedEdits, id, sentAt, group }): SQSRecord => {
    const stamps = [
      ['uniquerequestid', id],
      ['lineclear', packed && (JSON.stringify(edited(packed, packedEdits)) ?? '')],
    ].filter(([, value]) => value !== undefined && value !== '')
    const record = sqsRecord(edited(body, ofBody) ?? '', {
      sentAt,
      ...(group !== undefined && { fifoGroup: group }),
    })
    const messageAttributes = Object.fromEntries(
      stamps.map(([field, stringValue]) => [field, { dataType: 'String', stringValue }]),
    )
    return { ...record, messageAttributes }
  })

/** Of any form, and with anything in any place. */
export const anyRecord: fc.Arbitrary<SQSRecord> = fc.oneof(
  { weight: 3, arbitrary: editedRecord },
  { weight: 2, arbitrary: hostileRecord },
)
