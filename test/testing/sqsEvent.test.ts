import { describe, expect, it } from 'vitest'
import { type RecordOptions, sqsEvent, sqsRecord } from '../../src/testing/events/sqsEvent.ts'

const SENT = Date.parse('2026-05-04T12:00:00.000Z')

describe('sqsEvent', () => {
  it('makes one record of each payload, in order', () => {
    const record = sqsRecord('third')
    const { Records } = sqsEvent({ orderId: 'o-1' }, 'second', record, 4, null, [5])
    expect(Records.map(({ body }) => body)).toEqual([
      '{"orderId":"o-1"}',
      'second',
      'third',
      '4',
      'null',
      '[5]',
    ])
    expect(Records[2]).toBe(record)
  })

  it('takes a payload for a payload, however like a record it looks', () => {
    const payload = { eventSource: 'aws:s3', receiptHandle: 'x' }
    expect(sqsEvent(payload).Records[0]?.body).toBe(JSON.stringify(payload))
  })

  it.each([undefined, () => 1, Symbol('x')])('refuses what has no JSON (case %#)', (payload) => {
    expect(() => sqsEvent(payload)).toThrow(expect.objectContaining({ code: 'CONFIG' }))
  })

  it('gives every record its own ids', () => {
    const { Records } = sqsEvent('x', 'x', 'x')
    expect(new Set(Records.map(({ messageId }) => messageId)).size).toBe(3)
    expect(new Set(Records.map(({ receiptHandle }) => receiptHandle)).size).toBe(3)
  })
})

describe('sqsRecord', () => {
  it('has the shape that Lambda hands over', () => {
    const record = sqsRecord('{"a":1}', {
      messageId: 'm-1',
      sentAt: SENT,
      receiveCount: 3,
      queueArn: 'arn:aws:sqs:us-east-2:210987654321:jobs',
      attributes: { tenant: 'a', price: 1.5, photo: Uint8Array.of(255) },
      systemAttributes: { DeadLetterQueueSourceArn: 'arn:aws:sqs:us-east-2:210987654321:dead' },
    })
    const lists = { stringListValues: [], binaryListValues: [] }
    expect(record).toMatchObject({
      messageId: 'm-1',
      body: '{"a":1}',
      attributes: {
        ApproximateReceiveCount: '3',
        SentTimestamp: '1777896000000',
        ApproximateFirstReceiveTimestamp: '1777896000001',
        DeadLetterQueueSourceArn: 'arn:aws:sqs:us-east-2:210987654321:dead',
      },
      messageAttributes: {
        tenant: { dataType: 'String', stringValue: 'a', ...lists },
        price: { dataType: 'Number', stringValue: '1.5', ...lists },
        photo: { dataType: 'Binary', binaryValue: '/w==', ...lists },
      },
      eventSource: 'aws:sqs',
      eventSourceARN: 'arn:aws:sqs:us-east-2:210987654321:jobs',
      awsRegion: 'us-east-2',
    })
    expect(JSON.parse(JSON.stringify(record))).toEqual(record)
  })

  it('is of a standard queue, received once and now, by default', () => {
    const { attributes, eventSourceARN, messageAttributes } = sqsRecord('x')
    expect(attributes.ApproximateReceiveCount).toBe('1')
    expect(Math.abs(Date.now() - Number(attributes.SentTimestamp))).toBeLessThan(10_000)
    expect(attributes).not.toHaveProperty('MessageGroupId')
    expect(eventSourceARN).toBe('arn:aws:sqs:eu-west-1:123456789012:orders')
    expect(messageAttributes).toEqual({})
  })

  it('has what a FIFO queue adds, its numbers growing', () => {
    const [a, b] = [
      sqsRecord('x', { fifoGroup: 'cart-1' }),
      sqsRecord('x', { fifoGroup: 'cart-1' }),
    ]
    expect(a.eventSourceARN).toMatch(/:orders\.fifo$/)
    expect(a.attributes.MessageGroupId).toBe('cart-1')
    // The SHA-256 of "x": content-based deduplication.
    expect(a.attributes.MessageDeduplicationId).toMatch(/^2d711642b726b044[0-9a-f]{48}$/)
    expect(a.attributes.SequenceNumber).toMatch(/^\d{20}$/)
    expect(String(a.attributes.SequenceNumber) < String(b.attributes.SequenceNumber)).toBe(true)
  })
})

describe('digests', () => {
  const digest = (attributes: RecordOptions['attributes']) =>
    sqsRecord('x', attributes && { attributes }).md5OfMessageAttributes

  it('of the body', () => {
    expect(sqsRecord('hello').md5OfBody).toBe('5d41402abc4b2a76b9719d911017c592')
    expect(sqsRecord('é').md5OfBody).toBe('66ddcd97cfdeabb2f6fb8a999b4bc76f')
  })

  // Values that SQS itself gave, as published with the npm package aws-md5-of-message-attributes and in moto's tests.
  const name = { attribName1: 'attribValue 1' }
  const float = {
    customNumberTypeAttrib: {
      type: 'Number.float',
      value: '4563442423554324324264524243.32543234',
    },
  }
  const binary = { binaryAttribute: Buffer.from('Hello binary world!') }
  it.each<[string, RecordOptions['attributes']]>([
    ['19e27d4e946b072f3f58da80d94fd778', name],
    ['9fe1b90bbd9965bdf77bac517c7d2495', float],
    ['31a92b15d92f8db860eda32aceb656c3', binary],
    ['c932db14a896c663f83c260297d594ff', { ...name, ...float, ...binary }],
    ['c932db14a896c663f83c260297d594ff', { ...float, ...binary, ...name }],
    ['235c5c510d26fb653d073faed50ae77c', { timestamp: { type: 'Number', value: '1493147359900' } }],
  ])('of attributes: %s', (expected, attributes) => {
    expect(digest(attributes)).toBe(expected)
  })

  it('is left out when there are no attributes', () => {
    expect(sqsRecord('x')).not.toHaveProperty('md5OfMessageAttributes')
  })
})
