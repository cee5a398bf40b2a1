import { handMade, NOW, record } from './consumerHarness.ts'
import type { Row } from './row.ts'

const GOOD = { id: 'bad', n: 7 }
const runs = { end: 'completed', ran: GOOD } as const
const stamped = (stringValue: unknown, dataType = 'String') =>
  handMade(GOOD, { messageAttributes: { uniquerequestid: { dataType, stringValue } } })
const DAY = 86_400_000
const sent = (sentAt: unknown) =>
  record(GOOD, { attributes: { lineclear: JSON.stringify({ format: 1, sentAt }) } })
const enqueued = (SentTimestamp: unknown) => handMade(GOOD, { attributes: { SentTimestamp } })
const nameless = { end: 'failed', text: 'no messageId' } as const
const noId = { end: 'deadLettered', text: 'id(payload) gave' } as const

/** The identity of a request. A stamp that does not parse is ignored: the SQS id is used. */
export const identityRows: readonly Row[] = [
  { what: 'an empty stamp', record: stamped(''), ...runs },
  { what: 'a stamp with spaces', record: stamped('a b'), ...runs },
  { what: 'a stamp with a line break', record: stamped('a\nb'), ...runs },
  { what: 'a stamp of 257 characters', record: stamped('x'.repeat(257)), ...runs },
  { what: 'a stamp of 256 characters', record: stamped('x'.repeat(256)), ...runs },
  { what: 'a stamp with umlauts', record: stamped('größe'), ...runs },
  { what: 'a stamp of type Number', record: stamped('7', 'Number'), ...runs },
  {
    what: 'a stamp of type Binary',
    record: handMade(GOOD, {
      messageAttributes: { uniquerequestid: { dataType: 'Binary', binaryValue: 'eA==' } },
    }),
    ...runs,
  },
  {
    what: 'a stamp in capitals is an attribute like any other',
    record: record(GOOD, { attributes: { UniqueRequestId: 'x' } }),
    ...runs,
  },
  { what: 'a stamp named __proto__', record: stamped('__proto__'), ...runs },
  { what: 'no message id', record: handMade(GOOD, { messageId: undefined }), ...nameless },
  { what: 'a message id that is empty', record: handMade(GOOD, { messageId: '' }), ...nameless },
  { what: 'a message id that is a number', record: handMade(GOOD, { messageId: 7 }), ...nameless },
  {
    what: 'no message id, but a stamp',
    record: handMade(GOOD, {
      messageId: 'm',
      messageAttributes: { uniquerequestid: { dataType: 'String', stringValue: 'x' } },
    }),
    ...runs,
  },
  { what: 'an id(payload) that is missing', to: 'by id', record: record({ n: 1 }), ...noId },
  { what: 'an id(payload) that is empty', to: 'by id', record: record({ id: '' }), ...noId },
  { what: 'an id(payload) that is a number', to: 'by id', record: record({ id: 7 }), ...noId },
  { what: 'an id(payload) that is an object', to: 'by id', record: record({ id: {} }), ...noId },
  {
    what: 'an id(payload) of 5,000 characters',
    to: 'by id',
    record: record({ id: 'x'.repeat(5_000) }),
    end: 'completed',
    ran: { id: 'x'.repeat(5_000) },
  },
  {
    what: 'an id(payload) with a lone surrogate',
    to: 'by id',
    record: record('{"id":"\\ud800"}'),
    end: 'completed',
    ran: { id: '\ud800' },
  },
  {
    what: 'an id(payload) named __proto__',
    to: 'by id',
    record: record({ id: '__proto__' }),
    end: 'completed',
    ran: { id: '__proto__' },
  },
  {
    what: 'a payload that is null for id(payload)',
    to: 'by id',
    record: record('null'),
    end: 'deadLettered',
    text: 'the payload is null',
  },
]

/** The time of sending. An invalid or future time is ignored. */
export const timeRows: readonly Row[] = [
  { what: 'a first sending an hour ahead', record: sent(NOW + 3_600_000), ...runs },
  { what: 'a first sending in 1970', record: sent(1), end: 'deadLettered', text: 'too old' },
  { what: 'a first sending before 1970', record: sent(-1), ...runs },
  { what: 'a first sending that is a text', record: sent(new Date(NOW).toISOString()), ...runs },
  { what: 'a first sending with a fraction', record: sent(NOW - 0.5), ...runs },
  {
    what: 'a first sending beyond all numbers',
    record: record(GOOD, { attributes: { lineclear: '{"format":1,"sentAt":1e400}' } }),
    ...runs,
  },
  {
    what: 'a first sending in seconds',
    record: sent(Math.trunc(NOW / 1_000)),
    end: 'deadLettered',
    text: 'too old',
  },
  {
    what: 'a first sending 31 days ago',
    record: sent(NOW - 31 * DAY),
    end: 'deadLettered',
    text: 'too old',
  },
  {
    what: 'a first sending two hours ago, and a limit of one',
    to: 'short age',
    record: sent(NOW - 7_200_000),
    end: 'deadLettered',
    text: 'too old',
  },
  { what: 'a queue time that is missing', record: enqueued(undefined), ...runs },
  { what: 'a queue time that is no number', record: enqueued('now'), ...runs },
  { what: 'a queue time that is a number', record: enqueued(NOW), ...runs },
  { what: 'a queue time below nothing', record: enqueued('-5'), ...runs },
  {
    what: 'a queue time 31 days ago',
    record: enqueued(String(NOW - 31 * DAY)),
    end: 'deadLettered',
    text: 'too old',
  },
  {
    what: 'a request’s own time an hour ahead',
    to: 'timed stage',
    record: record({ key: 'k', id: 'i', at: NOW + 3_600_000 }),
    end: 'deadLettered',
    text: 'at most 5 minutes ahead',
  },
  {
    what: 'a request’s own time that is a text',
    to: 'timed stage',
    record: record({ key: 'k', id: 'i', at: 'noon' }),
    end: 'deadLettered',
    text: 'expected a Date, epoch milliseconds (not seconds), or a text',
  },
  {
    what: 'a request’s own time that is zero',
    to: 'timed stage',
    record: record({ key: 'k', id: 'i', at: 0 }),
    end: 'deadLettered',
    text: 'expected a Date, epoch milliseconds (not seconds), or a text',
  },
  {
    what: 'a request’s own time that is null',
    to: 'timed stage',
    record: record({ key: 'k', id: 'i', at: null }),
    end: 'deadLettered',
    text: 'expected a Date, epoch milliseconds (not seconds), or a text',
  },
]
