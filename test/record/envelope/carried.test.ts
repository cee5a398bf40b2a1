import { stampMessage } from '../../../src/library/protocol/record/envelope/buildMessage.ts'
import { describe, expect, it } from 'vitest'
import {
  assertUniqueRequestId,
  encodePacked,
  isUniqueRequestId,
} from '../../../src/library/protocol/record/envelope/lineclearAttributes.ts'
import { snsWrapped } from '../../../src/testing/events/snsWrapped.ts'
import { sqsRecord } from '../../../src/testing/events/sqsEvent.ts'
import { NOW, published, read, TOPIC } from './messages.ts'

const DAY = 86_400_000
const HOUR = 3_600_000
const TRACE = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
const FIRST = { resendNumber: 0, hops: 0 }

const packed = (lineclear: unknown) =>
  read(
    sqsRecord('x', {
      sentAt: NOW,
      attributes: { lineclear: JSON.stringify({ format: 1, ...Object(lineclear) }) },
    }),
  )
const stamped = (uniquerequestid: string) =>
  read(sqsRecord('x', { attributes: { uniquerequestid } }))

describe('uniquerequestid', () => {
  it.each(['a', '!', '~', 'x'.repeat(255), 'x'.repeat(256)])('takes %j', (id) => {
    const envelope = stamped(id)
    expect(envelope.carried).toEqual({ ...FIRST, uniqueRequestId: id })
    expect(Object.keys(envelope.attributes)).toEqual([])
    expect(envelope.ignored).toEqual([])
  })

  it('ignores an empty one', () => {
    const envelope = stamped('')
    expect(envelope.carried).toEqual(FIRST)
    expect(Object.keys(envelope.attributes)).toEqual([])
    expect(envelope.ignored).toEqual(['uniquerequestid'])
  })

  it('hashes those of a foreign sender that have another form, and keeps them apart', () => {
    const forms = [
      ' ',
      'a b',
      'é',
      'a\n',
      '\u007f',
      '\ud800',
      '\ud801',
      'x'.repeat(257),
      'x'.repeat(258),
      { type: 'Binary', value: Uint8Array.of(65) },
      { type: 'Binary.id', value: Uint8Array.of(66) },
    ]
    const ids = forms.map((uniquerequestid) => {
      const message = () => read(sqsRecord('x', { attributes: { uniquerequestid } }))
      const { carried, ignored, attributes } = message()
      expect([ignored, Object.keys(attributes)]).toEqual([[], []])
      expect(message().carried).toEqual(carried)
      return carried.uniqueRequestId
    })
    for (const id of ids) expect(id).toMatch(/^[\w-]{43}$/)
    expect(new Set(ids).size).toBe(forms.length)
  })

  it.each([
    { type: 'String.id', value: 'a' },
    { type: 'Number', value: '7' },
  ])('takes that of another type: %j', (uniquerequestid) => {
    const { carried, ignored } = read(sqsRecord('x', { attributes: { uniquerequestid } }))
    expect(carried).toEqual({ ...FIRST, uniqueRequestId: uniquerequestid.value })
    expect(ignored).toEqual([])
  })

  it('is refused at sending by the rule it is read by', () => {
    expect(isUniqueRequestId(7)).toBe(false)
    expect(() => assertUniqueRequestId('x'.repeat(256))).not.toThrow()
    // A computed one may spell anything: one of a million does, and its message must leave all the same.
    for (const id of ['a8UhHM3NaN6wTTvDPFR2', '-NaN_', 'null', 'order-undefined']) {
      expect(() =>
        stampMessage('x', {}, { uniqueRequestId: id, resendNumber: 0, hops: 0 }, 1_000),
      ).not.toThrow()
    }
    expect(() => assertUniqueRequestId('order-undefined')).toThrow('missing value')
    for (const id of ['', 'a b', 'x'.repeat(257)]) {
      expect(() => assertUniqueRequestId(id)).toThrow(expect.objectContaining({ code: 'CONFIG' }))
    }
  })
})

describe('the packed attribute', () => {
  it('is read field by field', () => {
    const all = {
      messageId: '059f36b4-87a3-44ab-83d2-661975830a7d',
      resendNumber: 3,
      hops: 4,
      sentAt: NOW - 1_000,
      notBefore: NOW + 1_000,
      death: 2,
      attempts: 6,
      asked: 5,
      source: 'arn:aws:sqs:eu-west-1:123456789012:orders.fifo',
      consumer: 'checkout.charge',
      traceparent: TRACE,
      reason: 'exhausted',
      error: 'Error: no stock\n  at charge',
    }
    expect(packed(all)).toMatchObject({ carried: all, ignored: [] })
  })

  const limits: [string, number, number][] = [
    ['resendNumber', 0, 1_000_000],
    ['hops', 0, 1_000_000],
    ['attempts', 0, 1_000_000],
    ['asked', 0, 1_000_000],
    ['death', 1, Number.MAX_SAFE_INTEGER],
    ['notBefore', 1, NOW + 366 * DAY],
  ]
  it.each(limits)('%s is a whole number from %d to %d', (field, least, most) => {
    for (const value of [least, least + 1, most - 1, most]) {
      expect(packed({ [field]: value })).toMatchObject({ carried: { [field]: value }, ignored: [] })
    }
    const wrong = [least - 1, most + 1, least + 0.5, '1', null, true, [1], {}, 1e300]
    for (const value of wrong) {
      const envelope = packed({ [field]: value, reason: 'kept' })
      expect(envelope.carried).toEqual({ ...FIRST, reason: 'kept' })
      expect(envelope.ignored).toEqual([`lineclear.${field}`])
    }
  })

  it.each([
    ['before it came to the queue is as it was stamped', NOW - 1, NOW - 1],
    ['after it came to the queue is when it came', NOW + 1, NOW],
    ['of five minutes from now is when it came', NOW + 299_000, NOW],
  ])('a first sending %s', (_what, stamped, read) => {
    expect(packed({ sentAt: stamped })).toMatchObject({
      carried: { sentAt: read },
      enqueuedAt: NOW,
      ignored: [],
    })
  })

  it.each([0, NOW + 300_001, NOW - 0.5, '1', null])('a first sending is no %j', (sentAt) => {
    const envelope = packed({ sentAt, reason: 'kept' })
    expect(envelope.carried).toEqual({ ...FIRST, reason: 'kept' })
    expect(envelope.ignored).toEqual(['lineclear.sentAt'])
  })

  it('sentAt is compared with the time of SQS, not with our clock: one that is an hour slow would lose the newest request', () => {
    const attributes = { lineclear: JSON.stringify({ format: 1, sentAt: NOW + HOUR - 1 }) }
    expect(read(sqsRecord('x', { sentAt: NOW + HOUR, attributes })).carried).toMatchObject({
      sentAt: NOW + HOUR - 1,
    })
  })

  it.each([
    ['source', 'orders'],
    ['source', 'arn:aws:sns:eu-west-1:123456789012:orders'],
    ['source', 'arn:aws:sqs:eu-west-1:123456789012:'],
    ['source', 7],
    ['consumer', ''],
    ['consumer', 'a b'],
    ['consumer', 7],
  ])('%s is not %j', (field, value) => {
    expect(packed({ [field]: value })).toMatchObject({
      carried: FIRST,
      ignored: [`lineclear.${field}`],
    })
  })

  it.each([
    TRACE.toUpperCase(),
    TRACE.slice(1),
    `${TRACE}-00`,
    `x${TRACE}`,
    TRACE.replace(/^00/, 'ff'),
    TRACE.replace(/-[^-]{32}-/, `-${'0'.repeat(32)}-`),
    TRACE.replace(/-[^-]{16}-/, `-${'0'.repeat(16)}-`),
    `${TRACE}\n`,
    7,
  ])('traceparent is as the W3C has it, not %j', (traceparent) => {
    expect(packed({ traceparent })).toMatchObject({
      carried: FIRST,
      ignored: ['lineclear.traceparent'],
    })
  })

  it('traceparent may begin with a zero, as the one that the W3C shows', () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01'
    expect(packed({ traceparent })).toMatchObject({ carried: { traceparent }, ignored: [] })
  })

  it.each(['yes', 1, false])('does not say that it is wrapped by %j', (wrapped) => {
    expect(packed({ wrapped })).toMatchObject({ carried: FIRST, ignored: ['lineclear.wrapped'] })
  })

  it('that marks a body as wrapped which is no wrapper is ignored', () => {
    const envelope = packed({ wrapped: true })
    expect(envelope).toMatchObject({ body: 'x', ignored: ['lineclear.wrapped'] })
    expect(envelope.carried).toEqual(FIRST)
  })

  it('shortens a reason to 512 bytes', () => {
    expect(packed({ reason: 'x'.repeat(512) }).carried.reason).toBe('x'.repeat(512))
    expect(packed({ reason: 'x'.repeat(513) }).carried.reason).toBe('x'.repeat(512))
    expect(packed({ reason: 'é'.repeat(300) }).carried.reason).toBe('é'.repeat(256))
    expect(packed({ reason: 7, error: 7 }).ignored).toEqual(['lineclear.reason', 'lineclear.error'])
  })

  it('ignores fields of a later version', () => {
    expect(packed({ resendNumber: 1, epoch: 9, constructor: 1 })).toMatchObject({
      carried: { resendNumber: 1, hops: 0 },
      ignored: [],
    })
  })

  it.each(['', '{', 'null', '[]', '7', '"retry"', '{"format":1,"resendNumber":1}{'])(
    'counts as a first delivery when it is %j',
    (lineclear) => {
      const envelope = read(sqsRecord('x', { attributes: { lineclear, uniquerequestid: 'id-1' } }))
      expect(envelope.carried).toEqual({ ...FIRST, uniqueRequestId: 'id-1' })
      expect(envelope.ignored).toEqual(['lineclear'])
    },
  )

  it('is a String, not a Binary or a labelled one', () => {
    const value = '{"format":1,"resendNumber":1}'
    for (const type of ['String.json', 'Number']) {
      const { carried, ignored } = read(
        sqsRecord('x', { attributes: { lineclear: { type, value } } }),
      )
      expect(carried).toEqual(FIRST)
      expect(ignored).toEqual(['lineclear'])
    }
    const { ignored } = read(sqsRecord('x', { attributes: { lineclear: Buffer.from(value) } }))
    expect(ignored).toEqual(['lineclear'])
  })

  it.each([
    [4_095, 1, []],
    [4_096, 1, []],
    [4_097, 0, ['lineclear']],
  ])('of %d bytes gives retry %d', (bytes, resendNumber, ignored) => {
    for (const filler of ['x', 'é']) {
      const start = '{"format":1,"resendNumber":1,"error":"'
      const room = bytes - start.length - 2
      const text = filler.repeat(Math.floor(room / Buffer.byteLength(filler)))
      const lineclear = `${start}${text}"}`.padEnd(bytes - Buffer.byteLength(text) + text.length)
      expect(Buffer.byteLength(lineclear)).toBe(bytes)
      const envelope = read(sqsRecord('x', { attributes: { lineclear } }))
      expect(envelope).toMatchObject({ carried: { resendNumber }, ignored })
    }
  })
})

describe('a sender without Lineclear', () => {
  const traced = (traceparent: string, lineclear = '{"format":1}') =>
    read(sqsRecord('x', { attributes: { traceparent, lineclear } })).carried

  it('gives its trace context in the attribute traceparent', () => {
    expect(traced(TRACE)).toEqual({ ...FIRST, traceparent: TRACE })
  })

  it('gives none in a form that is not that of the W3C', () => {
    expect(traced('00-1-2-01')).toEqual(FIRST)
  })

  it('is overridden by the trace context that the message carries', () => {
    const carried = TRACE.replace(/01$/, '00')
    expect(traced(TRACE, JSON.stringify({ format: 1, traceparent: carried }))).toEqual({
      ...FIRST,
      traceparent: carried,
    })
  })
})

describe('both levels', () => {
  const both = (
    queue: Record<string, string>,
    publisher: Record<string, string>,
  ): ReturnType<typeof read> =>
    read(published('x', { attributes: publisher, record: { attributes: queue } }))

  it('takes the publisher’s', () => {
    const envelope = both(
      {},
      { uniquerequestid: 'p', lineclear: '{"format":1,"resendNumber":0,"sentAt":5}' },
    )
    expect(envelope.carried).toEqual({ ...FIRST, uniqueRequestId: 'p', sentAt: 5 })
    expect(Object.keys(envelope.attributes)).toEqual([])
  })

  it('prefers the queue’s: there a re-send counts', () => {
    const envelope = both(
      { uniquerequestid: 'q', lineclear: '{"format":1,"resendNumber":2}' },
      { uniquerequestid: 'p', lineclear: '{"format":1,"resendNumber":0,"sentAt":5}' },
    )
    expect(envelope.carried).toEqual({ resendNumber: 2, hops: 0, uniqueRequestId: 'q' })
    expect(Object.keys(envelope.attributes)).toEqual([])
  })

  it('falls back on the publisher’s when the queue’s is broken', () => {
    const envelope = both(
      { uniquerequestid: '', lineclear: '{' },
      { uniquerequestid: 'p', lineclear: '{"format":1,"sentAt":5}' },
    )
    expect(envelope.carried).toEqual({ ...FIRST, uniqueRequestId: 'p', sentAt: 5 })
    expect(envelope.ignored.toSorted()).toEqual(['lineclear', 'uniquerequestid'])
  })

  it('takes nothing from a notification that stays closed', () => {
    const record = snsWrapped('x', {
      topicArn: `${TOPIC}-other`,
      attributes: { uniquerequestid: 'p', lineclear: '{"format":1,"resendNumber":9}' },
    })
    expect(read(record).carried).toEqual(FIRST)
  })

  it('does not take the marker of a wrapper from a publisher', () => {
    expect(both({}, { lineclear: '{"format":1,"wrapped":true}' }).carried).toEqual(FIRST)
  })
})

describe('encodePacked', () => {
  it('shortens the error, and only it, to 4 KB', () => {
    const rest = {
      resendNumber: 1,
      hops: 1,
      attempts: 6,
      death: 1,
      traceparent: TRACE,
      sentAt: NOW,
    }
    const reason = '"'.repeat(300)
    for (const char of ['x', '"', '\u0000', 'é', '😀', '\uffff', '\ud800']) {
      const error = char.repeat(10_000)
      const text = encodePacked({ ...rest, reason, error })
      const size = Buffer.byteLength(text)
      expect(size).toBeLessThanOrEqual(4_096)
      expect(size).toBeGreaterThan(4_084)
      const { carried } = read(sqsRecord('x', { attributes: { lineclear: text } }))
      expect(carried).toMatchObject({ ...rest, reason: '"'.repeat(256) })
      expect(error.startsWith(carried.error ?? 'none')).toBe(true)
    }
  })

  it('shortens a reason to 512 bytes', () => {
    const reason = 'x'.repeat(513)
    expect(encodePacked({ ...FIRST, reason })).toBe(
      JSON.stringify({ format: 1, ...FIRST, reason: reason.slice(1) }),
    )
  })

  it('leaves the error out when there is no room at all', () => {
    const wire = { ...FIRST, reason: 'exhausted', error: 'boom' }
    const bare = encodePacked({ ...FIRST, reason: 'exhausted' })
    const full = encodePacked(wire)
    expect(encodePacked(wire, full.length)).toBe(full)
    expect(encodePacked(wire, full.length - 1)).toBe(full.replace('boom', 'boo'))
    expect(encodePacked(wire, bare.length)).toBe(bare)
    expect(encodePacked(wire, -5_000)).toBe(bare)
  })

  it('writes what a queue takes', () => {
    const text = encodePacked({ ...FIRST, error: '\u0001\ufffe\uffff\udc00' })
    expect(text).toBe(
      String.raw`{"format":1,"resendNumber":0,"hops":0,"error":"\u0001\ufffe\uffff\udc00"}`,
    )
  })
})
