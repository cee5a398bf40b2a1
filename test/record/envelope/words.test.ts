import { isObject } from '../../../src/library/base/kindOf.ts'
import {
  mergeAttributes,
  readRecordAttributes,
} from '../../../src/library/protocol/record/envelope/attributes.ts'
import {
  assertUniqueRequestId,
  encodePacked,
} from '../../../src/library/protocol/record/envelope/lineclearAttributes.ts'
import {
  toAttributes,
  type AttributeInput,
  buildMessage,
  MAX_MESSAGE_BYTES,
  MAX_USER_ATTRIBUTES,
} from '../../../src/library/protocol/record/envelope/buildMessage.ts'
import {
  parseObject,
  shorten,
  toMessageJson,
} from '../../../src/library/protocol/record/envelope/json.ts'
import {
  openNotification,
  readSentTimestamp,
  readTimestamp,
} from '../../../src/library/protocol/record/envelope/readEnvelope.ts'
import { unwrap, wrap } from '../../../src/library/protocol/record/envelope/wrapper.ts'
import { handMade, NOW, read, STAMP, TOPIC } from './messages.ts'
import { Buffer } from 'node:buffer'
import { describe, expect, it } from 'vitest'

const build = (attributes: Record<string, AttributeInput>, body = 'x'): unknown =>
  buildMessage(body, attributes, STAMP)

describe('the error for what cannot be sent', () => {
  it('too many attributes', () => {
    const nine = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`a${index}`, 'v']))
    expect(() => build(nine)).toThrow(
      /^attributes: a message takes 10, of which Lineclear uses 2, so at most 8 are yours, got 9\. Nothing was sent\. Put the rest/,
    )
  })

  it.each<[string, AttributeInput, string]>([
    ['lineclear', 'v', 'this name is reserved for Lineclear'],
    ['a b', 'v', 'a name has 1 to 256 of A-Z a-z 0-9 _ - . and does not begin'],
    ['a', { type: 'Text', value: 'v' }, 'a type is String, Number or Binary'],
    ['a', { type: 'String.\u0000', value: 'v' }, 'a type is String, Number or Binary'],
    ['a', { type: 5, value: 'v' } as never, 'a type is String, Number or Binary'],
    ['a', { type: null, value: 'v' } as never, 'a type is String, Number or Binary'],
    ['a', { type: 'Binary', value: 'v' }, 'its value does not fit its type Binary'],
    ['a', '', 'its value is empty'],
    ['a', '\u0000', 'its value has characters that SQS and SNS do not take'],
    ['a', { type: 'Number', value: 'x' }, 'its value is not a number'],
    ['a', { type: 'Number.float', value: '1 ' }, 'its value is not a number'],
  ])('the attribute %j of %j', (name, value, why) => {
    const start = `attributes: ${JSON.stringify(name)} cannot be sent: ${why}`
    expect(() => build({ [name]: value })).toThrow(start)
    expect(() => build({ [name]: value })).toThrow(/\. Nothing was sent\.$/)
  })

  it('a long name is cut', () => {
    const start = `attributes: "${'n'.repeat(80)}" cannot be sent`
    expect(() => build({ ['n'.repeat(300)]: 'v' })).toThrow(start)
  })

  it.each<[string, string, string?]>([
    ['', 'its body is empty'],
    ['\u0000', 'its body has characters that SQS and SNS do not take'],
    [
      'x'.repeat(MAX_MESSAGE_BYTES),
      `bytes of at most ${MAX_MESSAGE_BYTES}`,
      ', or give the option offload.*',
    ],
  ])('a body (case %#)', (body, why, or = '') => {
    const end = `and trying again cannot help. Send a reference to the data in its place${or}\\.`
    const text = new RegExp(`^The message was not sent: .*${why}, ${end}$`)
    expect(() => build({}, body)).toThrow(text)
  })

  it('an id that no receiver would recognise', () => {
    expect(() => assertUniqueRequestId('a b')).toThrow(
      /^uniqueRequestId: expected 1 to 256 printable ASCII characters without spaces, not made of a missing value, got "a b"\. Nothing was sent\. Give an id/,
    )
    expect(() => assertUniqueRequestId('a'.repeat(300))).toThrow(`got "${'a'.repeat(80)}".`)
  })

  it.each<[unknown, string]>([
    [{ body: null }, 'null'],
    [{ body: 5 }, 'number'],
    [{}, 'undefined'],
  ])('a record without a text: %j', (record, type) => {
    expect(() => read(handMade(record as object))).toThrow(
      new RegExp(
        `^The record's body is ${type}, not a text.*batch runs\\. Check what builds the event`,
      ),
    )
  })
})

describe('what may be sent', () => {
  it.each<[AttributeInput, object]>([
    ['v', { type: 'String', value: 'v' }],
    [1.5, { type: 'Number', value: '1.5' }],
    [Uint8Array.of(1), { type: 'Binary', value: Uint8Array.of(1) }],
    [
      { type: 'Number.float', value: '1' },
      { type: 'Number.float', value: '1' },
    ],
  ])('is typed: %j', (input, attribute) => {
    expect(toAttributes({ a: input })['a']).toEqual(attribute)
  })

  it.each(['\t', '\n', '\r', ' ', '\u{d7ff}', '\u{e000}', '\u{fffd}', '\u{10000}', '\u{10ffff}'])(
    'has the character %j',
    (char) => {
      expect(() => build({ a: char.repeat(2) }, char)).not.toThrow()
    },
  )

  it.each(['\u0008', '\u000b', '\u001f', '\ud800', '\udfff', '\ufffe', '\uffff'])(
    'has no character %j',
    (char) => {
      expect(() => build({}, `a${char}a`)).toThrow(/characters/)
    },
  )

  it('is within the limits of SQS', () => {
    expect([MAX_USER_ATTRIBUTES, MAX_MESSAGE_BYTES]).toEqual([8, 1_048_576])
  })
})

describe('attributes of two levels', () => {
  const one = toAttributes({ a: '1', b: '1' })

  it.each([undefined, {}])('are those of one, where the other has none: %j', (nothing) => {
    const none = readRecordAttributes(nothing, () => {}).user
    expect(mergeAttributes(none, one)).toBe(one)
    expect(mergeAttributes(one, none)).toBe(one)
  })

  it('are all of them, the inner ones first, and frozen', () => {
    const merged = mergeAttributes(one, toAttributes({ b: '2' }))
    expect({ ...merged }).toEqual({
      a: { type: 'String', value: '1' },
      b: { type: 'String', value: '2' },
    })
    expect(Object.isFrozen(merged)).toBe(true)
  })
})

describe('JSON in a message', () => {
  it.each<[unknown, boolean]>([
    [{}, true],
    [[], false],
    [null, false],
    ['{}', false],
    [undefined, false],
  ])('recognises objects only: %j', (value, expected) => {
    expect(isObject(value)).toBe(expected)
    expect(parseObject(JSON.stringify(value) ?? '')).toEqual(expected ? value : undefined)
  })

  it('escapes what a queue does not take', () => {
    expect(toMessageJson({ a: '\ufffe\uffff\ufffd' })).toBe('{"a":"\\ufffe\\uffff\ufffd"}')
  })

  it.each([
    ['abc', 2, 'ab'],
    ['abc', 3, 'abc'],
    ['abc', 0, ''],
    ['éa', 1, ''],
    ['éa', 2, 'é'],
    ['😀a', 3, ''],
    ['😀a', 4, '😀'],
    ['"a', 1, ''],
    ['"a', 2, '"'],
    ['\ufffea', 6, '\ufffe'],
    ['\ufffea', 5, ''],
  ])('%j cut to %d bytes is %j', (text, bytes, start) => {
    expect(shorten(text, bytes)).toBe(start)
  })

  it('leaves the error as much room as there is', () => {
    const rest = '{"format":1,"resendNumber":1,"hops":0}'
    const carried = { resendNumber: 1, hops: 0, error: 'x'.repeat(50) }
    const least = rest.length + ',"error":""'.length
    expect(encodePacked(carried, least)).toBe(rest)
    expect(encodePacked(carried, least + 1)).toBe(
      '{"format":1,"resendNumber":1,"hops":0,"error":"x"}',
    )
    expect(Buffer.byteLength(encodePacked({ ...carried, error: 'x'.repeat(9_000) }))).toBe(4_096)
    expect(encodePacked({ resendNumber: 1, hops: 0 })).toBe(rest)
  })

  it('wraps, and unwraps only what it wrapped', () => {
    const wrapped = wrap('b', toAttributes({ a: '1' }))
    expect(JSON.parse(wrapped)).toEqual({
      Type: 'lineclear',
      Message: 'b',
      MessageAttributes: { a: { Type: 'String', Value: '1' } },
    })
    expect(unwrap(wrapped)).toEqual({
      body: 'b',
      attributes: { a: { Type: 'String', Value: '1' } },
    })
    expect(unwrap('{"Type":"other","Message":"b"}')).toBeUndefined()
    expect(unwrap('{"Type":"lineclear","Message":5}')).toBeUndefined()
    expect(unwrap('b')).toBeUndefined()
  })
})

describe('a notification', () => {
  const body = (more: object): string =>
    JSON.stringify({ Type: 'Notification', TopicArn: TOPIC, Message: 'm', MessageId: 'i', ...more })

  it('is read whole', () => {
    const more = { MessageAttributes: {}, Subject: 's', Timestamp: 't' }
    expect(openNotification(body(more), [TOPIC])).toEqual({
      kind: 'notification',
      notification: {
        message: 'm',
        messageId: 'i',
        topicArn: TOPIC,
        attributes: {},
        subject: 's',
        timestamp: 't',
      },
    })
  })

  it.each<[string, object]>([
    ['another type', { Type: 'Notifications', note: 'Notification' }],
    ['no message', { Message: 5 }],
    ['no topic', { TopicArn: 5 }],
    ['an id with spaces', { MessageId: 'a b' }],
  ])('is payload with %s', (_, more) => {
    expect(openNotification(body(more), 'any')).toEqual({ kind: 'payload' })
  })

  it.each([`${TOPIC}x`, 'arn:a', `arn:${'a'.repeat(400)}`])('is named when unnamed: %s', (arn) => {
    const opened = { kind: 'unnamed', topicArn: arn }
    expect(openNotification(body({ TopicArn: arn }), [TOPIC])).toEqual(opened)
  })

  it.each(['arn:', ' arn:a', 'xarn:a', 'arn:a b', 'arn:a\n', `arn:${'a'.repeat(401)}`])(
    'is not named when it could do harm in a log: %j',
    (arn) => {
      expect(openNotification(body({ TopicArn: arn }), [TOPIC])).toEqual({ kind: 'payload' })
    },
  )
})

describe('a time in a message', () => {
  it.each<[unknown, number | undefined]>([
    ['2026-05-04T11:59:59.5Z', NOW - 500],
    ['2026-05-04T11:59:59.123456789Z', NOW - 877],
    ['2026-05-04T11:59:59Z', NOW - 1_000],
    ['1970-01-01T00:00:00.001Z', 1],
    ['1970-01-01T00:00:00Z', undefined],
    ['1969-12-31T23:59:59Z', undefined],
    ['2026-02-30T00:00:00Z', undefined],
    ['2026-05-03T24:00:00Z', undefined],
    ['2026-05-04T11:59:59', undefined],
    ['2026-05-04T11:59:59.1234567891Z', undefined],
    ['2026-05-04T11:59:59.Z', undefined],
    ['x2026-05-04T11:59:59Z', undefined],
    ['2026-05-04T11:59:59Zx', undefined],
    ['2026-05-04T11:59:59Z\u0000', undefined],
    ['+002026-04-04T11:59:59Z', undefined],
    ['2026-13-04T11:59:59Z', undefined],
    [NOW, undefined],
  ])('of SNS: %j is %j', (text, time) => {
    expect(readTimestamp(text, NOW)).toBe(time)
  })

  it.each<[unknown, number | undefined]>([
    ['1', 1],
    ['9'.repeat(15), 999_999_999_999_999],
    ['9'.repeat(16), undefined],
    ['01', undefined],
    ['1a', undefined],
    ['a1', undefined],
    [1, undefined],
  ])('of SQS: %j is %j', (text, time) => {
    expect(readSentTimestamp(text)).toBe(time)
  })
})
