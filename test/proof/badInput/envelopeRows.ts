import { snsWrapped } from 'lineclear/testing'
import { TOPIC } from './consumers.ts'
import { handMade, NOW, record } from './consumerHarness.ts'
import type { Row } from './row.ts'

const GOOD = { id: 'bad', n: 7 }
const TEXT = JSON.stringify(GOOD)
const OTHER = 'arn:aws:sns:eu-west-1:123456789012:others'
const VICTIM = { uniquerequestid: 'good-1' }

const published = (changes: object = {}) => ({
  Type: 'Notification',
  MessageId: 'sns-bad',
  TopicArn: TOPIC,
  Message: TEXT,
  Timestamp: new Date(NOW - 500).toISOString(),
  ...changes,
})
const wrapper = (changes: object = {}) => ({
  Type: 'lineclear',
  Message: TEXT,
  MessageAttributes: {},
  ...changes,
})
const marked = { lineclear: '{"format":1,"wrapped":true}' }
const notJson = { end: 'deadLettered', text: 'not JSON' } as const
const refused = { end: 'deadLettered', text: 'the schema refuses the payload' } as const
const runs = { end: 'completed', ran: GOOD } as const

/** The envelope around the payload. */
export const envelopeRows: readonly Row[] = [
  {
    what: 'no body',
    record: handMade('', { body: undefined }),
    end: 'failed',
    text: 'undefined, not a text',
  },
  {
    what: 'a body that is null',
    record: handMade('', { body: null }),
    end: 'failed',
    text: 'null, not a text',
  },
  {
    what: 'a body that is an object',
    record: handMade('', { body: GOOD }),
    end: 'failed',
    text: 'object, not a text',
  },
  {
    what: 'a body that is a number',
    record: handMade('', { body: 7 }),
    end: 'failed',
    text: 'number, not a text',
  },
  // SQS takes no empty message, so the dead-letter queue cannot either.
  { what: 'an empty body', record: record(''), end: 'failed', text: 'MessageBody' },
  { what: 'a body of spaces', record: record('   '), ...notJson },
  { what: 'a byte order mark before the payload', record: record(`\ufeff${TEXT}`), ...notJson },
  {
    what: 'half a payload',
    record: record(TEXT.slice(0, -3)),
    end: 'deadLettered',
    text: 'at character 15',
  },
  {
    what: 'a payload and more after it',
    record: record(`${TEXT}x`),
    end: 'deadLettered',
    text: 'at character 18',
  },
  { what: 'single quotes', record: record("{'id':'bad','n':7}"), ...notJson },
  { what: 'a notification of a named topic', record: record(published()), ...runs },
  {
    what: 'a notification of another topic',
    record: record(published({ TopicArn: OTHER })),
    ...refused,
  },
  {
    what: 'a notification for a consumer without topics',
    to: 'no topic',
    record: record(published()),
    ...refused,
  },
  {
    what: 'a notification of any topic',
    to: 'any topic',
    record: record(published({ TopicArn: OTHER })),
    ...runs,
  },
  {
    what: 'a look-alike that chooses the id of another request',
    record: record(
      published({
        TopicArn: OTHER,
        MessageId: 'good-1',
        MessageAttributes: { uniquerequestid: { Type: 'String', Value: 'good-1' } },
      }),
    ),
    ...refused,
  },
  {
    what: 'a notification without a message id',
    record: record(published({ MessageId: undefined })),
    ...refused,
  },
  {
    what: 'a notification whose message id has spaces',
    record: record(published({ MessageId: 'a b' })),
    ...refused,
  },
  {
    what: 'a notification whose message is an object',
    record: record(published({ Message: GOOD })),
    ...refused,
  },
  {
    what: 'a notification whose message is not JSON',
    record: record(published({ Message: 'hello' })),
    ...notJson,
  },
  {
    what: 'a notification in a notification',
    record: record(published({ Message: JSON.stringify(published()) })),
    ...refused,
  },
  {
    what: 'a notification with a broken time',
    record: record(published({ Timestamp: 'yesterday' })),
    ...runs,
  },
  {
    what: 'a notification of the 30th of February',
    record: record(published({ Timestamp: '2026-02-30T00:00:00Z' })),
    ...runs,
  },
  {
    what: 'a notification whose attributes are a list',
    record: record(published({ MessageAttributes: [1] })),
    ...runs,
  },
  {
    what: 'a subscription confirmation',
    record: record(published({ Type: 'SubscriptionConfirmation' })),
    end: 'deadLettered',
    text: 'confirm the subscription',
  },
  { what: 'a wrapper of ours without its mark', record: record(wrapper()), ...refused },
  { what: 'a wrapper of ours', record: record(wrapper(), { attributes: marked }), ...runs },
  { what: 'a mark without a wrapper', record: record(GOOD, { attributes: marked }), ...runs },
  {
    what: 'a wrapper in a wrapper',
    record: record(wrapper({ Message: JSON.stringify(wrapper()) }), { attributes: marked }),
    letter: JSON.stringify(wrapper()),
    ...refused,
  },
  {
    what: 'a wrapper whose message is null',
    record: record(wrapper({ Message: null }), { attributes: marked }),
    ...refused,
  },
  {
    what: 'a wrapper that carries an id inside',
    record: record(
      wrapper({ MessageAttributes: { uniquerequestid: { Type: 'String', Value: 'good-1' } } }),
      { attributes: marked },
    ),
    ...runs,
  },
  {
    what: 'an event of EventBridge',
    record: record({ version: '0', 'detail-type': 'Placed', source: 'shop', detail: GOOD }),
    ...refused,
  },
  {
    what: 'a test event of S3',
    record: record({ Service: 'Amazon S3', Event: 's3:TestEvent', Bucket: 'b' }),
    ...refused,
  },
  {
    what: 'a raw notification',
    record: snsWrapped(GOOD, {
      topicArn: TOPIC,
      raw: true,
      attributes: { a: 'b' },
      record: { sentAt: NOW },
    }),
    ...runs,
  },
  {
    what: 'another event source’s body in a text consumer',
    to: 'text',
    record: record('<xml/>'),
    end: 'completed',
    ran: '<xml/>',
  },
  {
    what: 'a forged id by an outer attribute is a request of its own',
    record: record(GOOD, { attributes: VICTIM }),
    ...runs,
  },
]
