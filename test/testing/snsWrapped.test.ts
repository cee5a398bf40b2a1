import { describe, expect, it } from 'vitest'
import { snsWrapped } from '../../src/testing/events/snsWrapped.ts'
import { sqsEvent } from '../../src/testing/events/sqsEvent.ts'

const topicArn = 'arn:aws:sns:us-east-2:123456789012:orders'
const notification = (record: { body: string }): unknown => JSON.parse(record.body)

describe('snsWrapped', () => {
  it('is a record for sqsEvent whose body is a notification', () => {
    const record = snsWrapped(
      { orderId: 'o-1' },
      {
        topicArn,
        attributes: { tenant: 'a', price: 2, photo: Uint8Array.of(255) },
        messageId: 'sns-1',
        subject: 'New',
        timestamp: Date.parse('2026-05-04T12:00:00.000Z'),
        record: { receiveCount: 2, attributes: { hop: 'h' } },
      },
    )
    expect(notification(record)).toMatchObject({
      Type: 'Notification',
      MessageId: 'sns-1',
      TopicArn: topicArn,
      Subject: 'New',
      Message: '{"orderId":"o-1"}',
      Timestamp: '2026-05-04T12:00:00.000Z',
      SignatureVersion: '1',
      MessageAttributes: {
        tenant: { Type: 'String', Value: 'a' },
        price: { Type: 'Number', Value: '2' },
        photo: { Type: 'Binary', Value: '/w==' },
      },
    })
    expect(record.attributes.ApproximateReceiveCount).toBe('2')
    expect(Object.keys(record.messageAttributes)).toEqual(['hop'])
    expect(sqsEvent(record).Records).toEqual([record])
  })

  it('is laid out as SNS does it', () => {
    const { body } = snsWrapped('x', { topicArn, messageId: 'm' })
    expect(body).toMatch(/^\{\n {2}"Type" : "Notification",\n {2}"MessageId" : "m",\n/)
    expect(Object.keys(notification({ body }) as object)).toEqual([
      'Type',
      'MessageId',
      'TopicArn',
      'Message',
      'Timestamp',
      'SignatureVersion',
      'Signature',
      'SigningCertURL',
      'UnsubscribeURL',
    ])
  })

  it('has a new id each time, and keeps a timestamp as it is given', () => {
    const [a, b] = [
      snsWrapped('x', { topicArn }),
      snsWrapped('x', { topicArn, timestamp: 'never' }),
    ]
    expect(notification(a)).not.toMatchObject({
      MessageId: (notification(b) as { MessageId: string }).MessageId,
    })
    expect(notification(b)).toMatchObject({ Timestamp: 'never' })
  })

  it('delivered raw is the payload with the publisher’s attributes', () => {
    const record = snsWrapped('x', {
      topicArn,
      raw: true,
      attributes: { tags: { type: 'String.Array', value: '["a"]' } },
      record: { messageId: 'm-1' },
    })
    expect(record.body).toBe('x')
    expect(record.messageId).toBe('m-1')
    expect(record.messageAttributes).toMatchObject({
      tags: { dataType: 'String.Array', stringValue: '["a"]' },
    })
  })
})
