import { describe, expect, it } from 'vitest'
import { readEnvelope } from '../../../src/library/protocol/record/envelope/readEnvelope.ts'
import { buildResend } from '../../../src/library/protocol/record/envelope/buildResend.ts'
import { sqsRecord } from '../../../src/testing/events/sqsEvent.ts'
import { handMade, listed, NOW, published, read, receive, STAMP, TOPIC } from './messages.ts'

const PAYLOAD = '{ "orderId" : "o-1", "price": 1.50 }'
const ATTRIBUTES = {
  tenant: 'a',
  price: { type: 'Number.float', value: '1.50' },
  photo: Uint8Array.of(0, 255, 10),
  tags: { type: 'String.Array', value: '["x","y"]' },
}
const EXPECTED = [
  ['photo', { type: 'Binary', value: Uint8Array.of(0, 255, 10) }],
  ['price', { type: 'Number.float', value: '1.50' }],
  ['tags', { type: 'String.Array', value: '["x","y"]' }],
  ['tenant', { type: 'String', value: 'a' }],
]

describe('A1 a message sent to the queue', () => {
  it('has its payload in the body and its attributes at the record', () => {
    const envelope = read(sqsRecord(PAYLOAD, { attributes: ATTRIBUTES, sentAt: NOW - 5 }))
    expect(envelope).toMatchObject({ source: 'sqs', body: PAYLOAD, enqueuedAt: NOW - 5 })
    expect(listed(envelope.attributes)).toEqual(EXPECTED)
    expect(envelope.carried).toEqual({ resendNumber: 0, hops: 0 })
    expect(envelope.ignored).toEqual([])
  })
})

describe('A2 a message published through SNS', () => {
  const record = published(PAYLOAD, {
    attributes: ATTRIBUTES,
    messageId: 'sns-1',
    subject: 'New order',
    timestamp: NOW - 10,
    record: { sentAt: NOW - 5, attributes: { tenant: 'queue', hop: 2 } },
  })

  it('says what SNS knows of it', () => {
    expect(read(record)).toMatchObject({
      source: 'sns',
      body: PAYLOAD,
      snsMessageId: 'sns-1',
      topicArn: TOPIC,
      subject: 'New order',
      enqueuedAt: NOW - 10,
    })
  })

  it('has the attributes of both levels, the publisher winning', () => {
    const hop = ['hop', { type: 'Number', value: '2' }]
    expect(listed(read(record).attributes)).toEqual([hop, ...EXPECTED])
  })

  it('is opened for any topic by explicit choice', () => {
    expect(read(record, { topics: 'any' })).toMatchObject({ source: 'sns', body: PAYLOAD })
  })

  it('has no subject when SNS gives none', () => {
    expect(read(published('x'))).not.toHaveProperty('subject')
  })

  it('is opened once only: a notification inside is payload', () => {
    const inner = published('x').body
    expect(read(published(inner)).body).toBe(inner)
  })
})

describe('A3 the handler cannot tell the way', () => {
  const direct = sqsRecord(PAYLOAD, { attributes: ATTRIBUTES })
  const resend = (form: 'transparent' | 'wrapped') => {
    const outgoing = buildResend(direct, read(direct), STAMP, { form })
    return outgoing && receive(outgoing)
  }
  it.each([
    ['direct', direct],
    ['SNS', published(PAYLOAD, { attributes: ATTRIBUTES })],
    ['SNS raw', published(PAYLOAD, { attributes: ATTRIBUTES, raw: true })],
    ['re-sent, transparent', resend('transparent')],
    ['re-sent, wrapped', resend('wrapped')],
  ])('%s', (_way, record) => {
    const envelope = read(handMade(record ?? {}))
    expect(envelope.body).toBe(PAYLOAD)
    expect(listed(envelope.attributes)).toEqual(EXPECTED)
  })
})

describe('A8 only a notification of a named topic is opened', () => {
  const sns = (change: object) => {
    const notification = { Type: 'Notification', TopicArn: TOPIC, Message: 'x', MessageId: 'm' }
    return sqsRecord({ ...notification, ...change })
  }
  const payload = (record: ReturnType<typeof sqsRecord>) => {
    const envelope = read(record)
    expect(envelope).toMatchObject({ source: 'sqs', body: record.body })
    return envelope
  }

  it('opens the complete one', () => {
    expect(read(sns({}))).toMatchObject({ source: 'sns', body: 'x', snsMessageId: 'm' })
  })

  it.each([
    { TopicArn: undefined },
    { TopicArn: 7 },
    { Message: undefined },
    { Message: { a: 1 } },
    { MessageId: undefined },
    { MessageId: '' },
    { MessageId: 'has space' },
    { MessageId: 'm'.repeat(257) },
    { Type: 'SubscriptionConfirmation', was: 'Notification' },
    { Type: undefined, was: 'Notification' },
  ])('leaves %j closed', (change) => {
    expect(payload(sns(change))).not.toHaveProperty('unnamedTopic')
  })

  it('leaves a list and broken JSON closed', () => {
    const { body } = sns({})
    for (const broken of [`[${body}]`, body.slice(0, -1)]) {
      expect(payload(sqsRecord(broken))).not.toHaveProperty('unnamedTopic')
    }
  })

  it.each([[[]], [undefined], [[`${TOPIC}-2`, TOPIC.slice(0, -1)]]])('topics %j', (topics) => {
    const envelope = readEnvelope(sns({}), { topics, now: NOW })
    expect(envelope).toMatchObject({ source: 'sqs', body: sns({}).body, unnamedTopic: TOPIC })
    expect(envelope).not.toHaveProperty('topicArn')
  })

  it('leaves a topic that is no text closed, by whatever choice', () => {
    expect(read(sns({ TopicArn: 7 }), { topics: 'any' }).source).toBe('sqs')
  })

  it('names an unnamed topic only when it can go into a log', () => {
    for (const TopicArn of ['orders', `${TOPIC}\u001b[2J`, `arn:${'x'.repeat(401)}`]) {
      expect(payload(sns({ TopicArn }))).not.toHaveProperty('unnamedTopic')
    }
    expect(payload(sns({ TopicArn: `arn:${'x'.repeat(400)}` }))).toHaveProperty('unnamedTopic')
  })
})

describe('A9 what lies in the body is data', () => {
  it.each(['', 'plain', '{', '"Notification" "TopicArn"', '\u0000\ud800', 'null'])('%j', (body) => {
    expect(read(sqsRecord(body)).body).toBe(body)
  })

  it.each([
    ['undefined', undefined],
    ['null', null],
    ['number', 7],
    ['object', { orderId: 'o-1' }],
  ])('rejects a record whose body is %s, saying so', (what, body) => {
    const bad = handMade({ ...sqsRecord('x'), body })
    expect(() => read(bad)).toThrow(expect.objectContaining({ code: 'REJECTED' }))
    expect(() => read(bad)).toThrow(`body is ${what}, not a text`)
  })

  it('rejects what is no record', () => {
    for (const record of [null, undefined, 7]) {
      const broken = record as unknown as ReturnType<typeof sqsRecord>
      expect(() => read(broken)).toThrow(expect.objectContaining({ code: 'REJECTED' }))
    }
  })
})

describe('other services that send to queues are payload', () => {
  const eventBridge = {
    version: '0',
    id: '17793124-05d4-b198-2fde-7ededc63b103',
    'detail-type': 'Object Created',
    source: 'aws.s3',
    account: '123456789012',
    time: '2026-05-04T11:59:59Z',
    region: 'eu-west-1',
    resources: ['arn:aws:s3:::uploads'],
    detail: { bucket: { name: 'uploads' }, object: { key: 'a.png', size: 5 } },
  }
  const s3 = {
    Records: [
      {
        eventVersion: '2.1',
        eventSource: 'aws:s3',
        awsRegion: 'eu-west-1',
        eventTime: '2026-05-04T11:59:59.000Z',
        eventName: 'ObjectCreated:Put',
        s3: { bucket: { name: 'uploads' }, object: { key: 'a+b.png', size: 5, eTag: 'd41d8' } },
      },
    ],
  }
  it.each([
    ['EventBridge', eventBridge],
    ['S3', s3],
  ])('%s', (_service, event) => {
    const direct = read(sqsRecord(event))
    expect(direct).toMatchObject({ source: 'sqs', body: JSON.stringify(event), ignored: [] })
    expect(read(published(event))).toMatchObject({ source: 'sns', body: JSON.stringify(event) })
  })
})

describe('when it was enqueued', () => {
  const taken = (timestamp: string | number, sentAt = NOW - 1) =>
    read(published('x', { timestamp, record: { sentAt } }))

  it('is when SNS took it', () => {
    expect(taken('2026-05-04T11:59:00Z').enqueuedAt).toBe(NOW - 60_000)
  })

  it.each([
    'yesterday',
    '2026-05-04',
    '2026-05-04T11:59:00+02:00',
    '2026-02-30T11:59:00Z',
    '2026-05-03T24:00:00Z',
    '1969-12-31T23:59:59Z',
  ])('is when SQS took it when SNS says %j', (timestamp) => {
    const envelope = taken(timestamp)
    expect(envelope.enqueuedAt).toBe(NOW - 1)
    expect(envelope.ignored).toEqual(['Timestamp'])
  })

  it('is never later than SQS took it; a clock that is 5 minutes ahead is a clock, and no more', () => {
    expect(taken(NOW + 300_000)).toMatchObject({ enqueuedAt: NOW - 1, ignored: [] })
    expect(taken(NOW + 300_001)).toMatchObject({ enqueuedAt: NOW - 1, ignored: ['Timestamp'] })
  })

  it.each(['', '0', '-5', '1.5', '12e3', ' 12', '0012', '1'.repeat(16), undefined, 12])(
    'is not known when SQS says %j',
    (SentTimestamp) => {
      const record = handMade({ ...sqsRecord('x'), attributes: { SentTimestamp } })
      expect(read(record).enqueuedAt).toBeUndefined()
    },
  )

  it('is not known when the record says nothing', () => {
    const record = { body: 'x' }
    expect(read(handMade(record)).enqueuedAt).toBeUndefined()
    expect(read(handMade({ ...record, attributes: null })).enqueuedAt).toBeUndefined()
  })
})

describe('an envelope', () => {
  it('is frozen all the way', () => {
    const record = published('x', { attributes: ATTRIBUTES, record: { attributes: { hop: 'h' } } })
    for (const envelope of [read(record), read(sqsRecord('x', { attributes: ATTRIBUTES }))]) {
      const { attributes, carried, ignored } = envelope
      for (const part of [envelope, attributes, carried, ignored, ...Object.values(attributes)]) {
        expect(Object.isFrozen(part)).toBe(true)
      }
    }
  })
})
