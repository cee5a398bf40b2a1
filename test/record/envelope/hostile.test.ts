import { describe, expect, it } from 'vitest'
import { buildResend } from '../../../src/library/protocol/record/envelope/buildResend.ts'
import { snsWrapped } from '../../../src/testing/events/snsWrapped.ts'
import { sqsRecord } from '../../../src/testing/events/sqsEvent.ts'
import { handMade, listed, NOW, published, read, receive, STAMP, TOPIC } from './messages.ts'

const VICTIM = 'order-of-another-sender'

describe('H1 a body that looks like a notification', () => {
  const forged = (topicArn: string) =>
    sqsRecord(
      snsWrapped('x', { topicArn, attributes: { uniquerequestid: VICTIM }, messageId: VICTIM })
        .body,
    )

  it.each([undefined, []])('cannot choose an id when topics are %j', (topics) => {
    const { carried, snsMessageId } = read(forged(TOPIC), { topics })
    expect(carried.uniqueRequestId).toBeUndefined()
    expect(snsMessageId).toBeUndefined()
  })

  it('cannot choose an id by another topic’s name', () => {
    const envelope = read(forged(`${TOPIC}2`))
    expect(envelope.carried.uniqueRequestId).toBeUndefined()
    expect(envelope.unnamedTopic).toBe(`${TOPIC}2`)
  })
})

describe('H2 a body that looks like our wrapper', () => {
  const inside = { uniquerequestid: { Type: 'String', Value: VICTIM } }
  const forged = { Type: 'lineclear', Message: 'x', MessageAttributes: inside }

  it('is payload without the marker', () => {
    const envelope = read(sqsRecord(forged))
    expect(envelope.body).toBe(JSON.stringify(forged))
    expect(envelope.carried).toEqual({ resendNumber: 0, hops: 0 })
  })

  it('cannot choose an id from inside even with the marker', () => {
    const envelope = read(
      sqsRecord(forged, { attributes: { lineclear: '{"format":1,"wrapped":true}' } }),
    )
    expect(envelope).toMatchObject({ body: 'x', carried: { wrapped: true } })
    expect(envelope.carried.uniqueRequestId).toBeUndefined()
    expect(listed(envelope.attributes)).toEqual([])
  })

  it.each([
    'text',
    '{}',
    '{"Type":"lineclear"}',
    '{"Type":"lineclear","Message":7}',
    '{"Type":"Notification","Message":"x"}',
  ])('is payload when it only has the marker: %j', (body) => {
    const envelope = read(
      sqsRecord(body, { attributes: { lineclear: '{"format":1,"wrapped":true}' } }),
    )
    expect(envelope.body).toBe(body)
    expect(envelope.carried).not.toHaveProperty('wrapped')
    expect(envelope.ignored).toEqual(['lineclear.wrapped'])
  })

  it('keeps what is readable when the attributes inside are not', () => {
    const body = JSON.stringify({
      ...forged,
      MessageAttributes: { good: inside.uniquerequestid, bad: 1 },
    })
    const envelope = read(
      sqsRecord(body, { attributes: { lineclear: '{"format":1,"wrapped":true}' } }),
    )
    expect(Object.keys(envelope.attributes)).toEqual(['good'])
    expect(envelope.ignored).toEqual(['bad'])
  })

  it.each([
    '{"format":1,"wrapped":false}',
    '{"format":1,"wrapped":1}',
    '{"format":1,"wrapped":"true"}',
  ])('%s marks nothing', (lineclear) => {
    const envelope = read(sqsRecord(forged, { attributes: { lineclear } }))
    expect(envelope.body).toBe(JSON.stringify(forged))
    expect(envelope.ignored).toEqual(['lineclear.wrapped'])
  })

  it('cannot postpone, age or exhaust a request by wild numbers', () => {
    const wild = {
      resendNumber: -1,
      hops: 1e9,
      sentAt: NOW + 3_600_000,
      notBefore: 1e15,
      attempts: -0.5,
    }
    const attributes = { lineclear: JSON.stringify({ format: 1, ...wild }) }
    const { carried } = read(sqsRecord('x', { sentAt: NOW, attributes }))
    expect(carried).toEqual({ resendNumber: 0, hops: 0 })
  })
})

describe('H3 wrappers in wrappers', () => {
  it('are opened once each: ours, then one of SNS', () => {
    let body = 'x'
    const bodies = Array.from({ length: 5 }, () => {
      body = published(body).body
      return body
    })
    const record = sqsRecord(body, { attributes: { lineclear: '{"format":1,"resendNumber":1}' } })
    const outgoing = buildResend(record, read(record), STAMP, { form: 'wrapped' })
    const again = JSON.stringify({ format: 1, Type: 'lineclear', Message: outgoing?.body })
    expect(read(record).body).toBe(bodies[3])
    expect(outgoing && read(receive(outgoing)).body).toBe(bodies[3])
    const twice = sqsRecord(again, { attributes: { lineclear: '{"format":1,"wrapped":true}' } })
    expect(read(twice).body).toBe(outgoing?.body)
  })
})

describe('H4 deep and broken JSON', () => {
  const deep = `${'['.repeat(100_000)}"TopicArn","Notification"${']'.repeat(100_000)}`
  const shaped = `{"Type":"Notification","TopicArn":"${TOPIC}","MessageId":"m","Message":"x"`

  it.each([
    ['a body', deep, deep],
    ['an object', `{"a":${deep}}`, `{"a":${deep}}`],
    ['a notification', `${shaped},"x":${deep}}`, 'x'],
    ['attributes', `${shaped},"MessageAttributes":${deep}}`, 'x'],
    ['an attribute', `${shaped},"MessageAttributes":{"a":${deep}}}`, 'x'],
  ])('%s nested 100,000 deep is read, and sent again', (_what, body, payload) => {
    const record = sqsRecord(body)
    const envelope = read(record)
    expect(envelope.body === payload).toBe(true)
    for (const form of ['transparent', 'wrapped'] as const) {
      const outgoing = buildResend(record, envelope, STAMP, { form })
      expect(outgoing && read(receive(outgoing)).body === payload).toBe(true)
    }
  })

  it('a body of 1 MiB of brackets is payload', () => {
    const body = `${shaped},"x":${'['.repeat(1_000_000)}`
    expect(read(sqsRecord(body)).body === body).toBe(true)
  })
})

describe('H5 names of Object.prototype', () => {
  const NAMES = ['__proto__', 'constructor', 'hasOwnProperty', 'toString', 'prototype']
  const plain = { dataType: 'String', stringValue: 'mine' }
  const inNotification = { Type: 'String', Value: 'mine' }
  const all = (value: object) =>
    `{${NAMES.map((name) => `"${name}":${JSON.stringify(value)}`).join()}}`
  const expected = NAMES.toSorted().map((name) => [name, { type: 'String', value: 'mine' }])

  it.each([
    ['a record', `{"body":"x","messageAttributes":${all(plain)}}`],
    [
      'a notification',
      JSON.stringify({
        body: `{"Type":"Notification","TopicArn":"${TOPIC}","MessageId":"m","Message":"x","MessageAttributes":${all(inNotification)}}`,
      }),
    ],
  ])('are names like any other in %s', (_where, json) => {
    const record = handMade(JSON.parse(json) as object)
    const envelope = read(record)
    expect(listed(envelope.attributes)).toEqual(expected)
    expect(Object.getPrototypeOf(envelope.attributes)).toBeNull()
    for (const form of ['transparent', 'wrapped'] as const) {
      const outgoing = buildResend(record, envelope, STAMP, { form })
      expect(outgoing && listed(read(receive(outgoing)).attributes)).toEqual(expected)
    }
  })

  it('merge from both levels', () => {
    const notification = published('x', {
      attributes: JSON.parse('{"__proto__":"inner","a":"a"}') as Record<string, string>,
      record: { attributes: JSON.parse('{"__proto__":"outer","b":"b"}') as Record<string, string> },
    })
    expect(Object.entries(read(notification).attributes)).toHaveLength(3)
    expect(Object.entries(read(notification).attributes)).toContainEqual([
      '__proto__',
      { type: 'String', value: 'inner' },
    ])
  })

  it('carry nothing in the packed attribute', () => {
    const lineclear = '{"__proto__":{"resendNumber":9},"constructor":{"prototype":{"hops":9}}}'
    const envelope = read(sqsRecord('x', { attributes: { lineclear } }))
    expect(envelope.carried).toEqual({ resendNumber: 0, hops: 0 })
    expect({}).not.toHaveProperty('retry')
  })

  it('do not stand for attributes that are missing', () => {
    const { attributes } = read(sqsRecord('x'))
    expect(NAMES.map((name) => attributes[name])).toEqual(NAMES.map(() => undefined))
  })
})
