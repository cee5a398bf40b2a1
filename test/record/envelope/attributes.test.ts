import { describe, expect, it } from 'vitest'
import { sqsRecord } from '../../../src/testing/events/sqsEvent.ts'
import { handMade, listed, published, read, TOPIC } from './messages.ts'

const inRecord = (messageAttributes: unknown) =>
  read(handMade({ ...sqsRecord('x'), messageAttributes }))

const publishedWith = (MessageAttributes: unknown) => {
  const notification = { Type: 'Notification', TopicArn: TOPIC, Message: 'x', MessageId: 'm' }
  return read(sqsRecord({ ...notification, MessageAttributes }))
}

const good = { dataType: 'String', stringValue: 'kept' }
const goodPublished = { Type: 'String', Value: 'kept' }

describe('attributes of a record', () => {
  it.each([
    null,
    'text',
    7,
    [],
    {},
    { dataType: 'String' },
    { stringValue: 'x' },
    { dataType: 'String', stringValue: 7 },
    { dataType: 7, stringValue: 'x' },
    { dataType: '', stringValue: 'x' },
    { dataType: 'Text', stringValue: 'x' },
    { dataType: 'String.', stringValue: 'x' },
    { dataType: 'Strings', stringValue: 'x' },
    { dataType: 'aString', stringValue: 'x' },
    { dataType: `String.${'x'.repeat(250)}`, stringValue: 'x' },
    { dataType: 'Binary', stringValue: 'AA==' },
    { dataType: 'Binary', binaryValue: 'not base64!' },
    { dataType: 'Binary', binaryValue: 'AAA' },
  ])('leaves out the malformed %j, and names it', (entry) => {
    const envelope = inRecord({ good, bad: entry })
    expect(listed(envelope.attributes)).toEqual([['good', { type: 'String', value: 'kept' }]])
    expect(envelope.ignored).toEqual(['bad'])
  })

  it.each(['text', 7, ['a'], true])('leaves out %j as a whole', (all) => {
    expect(inRecord(all)).toMatchObject({ ignored: ['messageAttributes'] })
  })

  it.each([undefined, null, {}])('takes %j for none', (none) => {
    const envelope = inRecord(none)
    expect(envelope.ignored).toEqual([])
    expect(listed(envelope.attributes)).toEqual([])
    expect(Object.getPrototypeOf(envelope.attributes)).toBeNull()
  })

  it('keeps a type of 256 characters', () => {
    const type = `String.${'x'.repeat(249)}`
    const envelope = inRecord({ long: { dataType: type, stringValue: 'x' } })
    expect(listed(envelope.attributes)).toEqual([['long', { type, value: 'x' }]])
  })

  it('prefers the value that belongs to the type', () => {
    const both = { stringValue: 'text', binaryValue: 'AQ==', stringListValues: [] }
    const envelope = inRecord({ b: { ...both, dataType: 'Binary.png' }, s: { ...both, ...good } })
    expect(listed(envelope.attributes)).toEqual([
      ['b', { type: 'Binary.png', value: Uint8Array.of(1) }],
      ['s', { type: 'String', value: 'kept' }],
    ])
  })
})

describe('attributes that SNS wrote', () => {
  it.each([
    null,
    'text',
    {},
    { Type: 'String' },
    { Value: 'x' },
    { Type: 'Number', Value: 7 },
    { Type: 'Binary', Value: '../../../src/library/base/inTime.ts' },
    { Type: 'Text', Value: 'x' },
    good,
  ])('leaves out the malformed %j, and names it', (entry) => {
    const envelope = publishedWith({ good: goodPublished, bad: entry })
    expect(listed(envelope.attributes)).toEqual([['good', { type: 'String', value: 'kept' }]])
    expect(envelope.ignored).toEqual(['bad'])
  })

  it.each(['text', 7, [goodPublished]])('leaves out %j as a whole', (all) => {
    expect(publishedWith(all)).toMatchObject({ source: 'sns', ignored: ['MessageAttributes'] })
  })

  it('may be more than ten', () => {
    const names = Array.from({ length: 25 }, (_, index) => [`n${index}`, 'x'] as const)
    const record = published('x', { attributes: Object.fromEntries(names) })
    expect(listed(read(record).attributes)).toHaveLength(25)
  })
})

describe('what goes into a log', () => {
  it('is at most 20 names of 256 characters', () => {
    const many = Array.from({ length: 30 }, (_, index) => [`${index}`.padEnd(300, 'x'), null])
    const { ignored } = inRecord(Object.fromEntries(many))
    expect(ignored).toHaveLength(20)
    expect(ignored.map((name) => name.length)).toEqual(Array.from({ length: 20 }, () => 256))
  })
})
