import { describe, expect, it } from 'vitest'
import type { Envelope } from '../../../src/library/protocol/record/envelope/envelope.ts'
import { sqsRecord } from '../../../src/testing/events/sqsEvent.ts'
import { NOW, read } from './messages.ts'

const FLOW = {
  name: 'checkout',
  key: 'cart/1',
  id: 'r1',
  epoch: 2,
  sentAt: NOW - 5,
  from: 'validate',
}

const packed = (fields: object): Envelope =>
  read(
    sqsRecord('x', {
      sentAt: NOW,
      attributes: { lineclear: JSON.stringify({ format: 1, ...fields }) },
    }),
  )

describe('the run of a flow that a message was sent in', () => {
  it.each([
    {},
    { timeout: true },
    { epoch: 1 },
    { epoch: Number.MAX_SAFE_INTEGER },
    { sentAt: 1 },
    { sentAt: NOW + 366 * 86_400_000 },
    { key: ' ' },
    { name: '', from: '' },
  ])('is read with %j', (given) => {
    const envelope = packed({ flow: { ...FLOW, ...given } })
    expect(envelope.carried.flow).toStrictEqual({ ...FLOW, ...given })
    expect(envelope.ignored).toEqual([])
  })

  it.each([
    { name: 5 },
    { key: 5 },
    { key: '' },
    { id: 5 },
    { id: 'r 1' },
    { id: '' },
    { epoch: 0 },
    { epoch: 1.5 },
    { epoch: '2' },
    { epoch: undefined },
    { sentAt: 0 },
    { sentAt: NOW + 366 * 86_400_000 + 1 },
    { sentAt: undefined },
    { from: 5 },
    { timeout: false },
    { timeout: 'true' },
  ])('is left out with %j, and named', (given) => {
    const envelope = packed({ flow: { ...FLOW, ...given }, resendNumber: 1 })
    expect(envelope.carried).toStrictEqual({ resendNumber: 1, hops: 0 })
    expect(envelope.ignored).toEqual(['lineclear.flow'])
  })

  it.each([null, 'checkout', 5, true, []])('is left out when it is %j', (flow) => {
    expect(packed({ flow }).carried).toStrictEqual({ resendNumber: 0, hops: 0 })
    expect(packed({ flow }).ignored).toEqual(['lineclear.flow'])
  })

  it('has no more than is known of it', () => {
    expect(packed({ flow: { ...FLOW, colour: 'red' } }).carried.flow).toStrictEqual(FLOW)
  })
})

describe('the source of a dead letter', () => {
  const arn = (name: string): string => `arn:aws:sqs:eu-west-1:123456789012:${name}`

  it.each(['a', 'a-b_c.fifo', 'n'.repeat(128)])('is a queue: %s', (name) => {
    expect(packed({ source: arn(name) }).carried.source).toBe(arn(name))
  })

  it.each([
    arn('n'.repeat(129)),
    arn('a b'),
    ` ${arn('a')}`,
    `${arn('a')}:b`,
    'arn::sqs:eu-west-1:123456789012:a',
    'arn:aws:sqs::123456789012:a',
    'arn:aws:sqs:eu-west-1::a',
    'arn:aws:sqs:eu-west-1:x:a',
    `arn:${'a'.repeat(33)}:sqs:eu-west-1:1:a`,
    `arn:aws:sqs:${'a'.repeat(65)}:1:a`,
    `arn:aws:sqs:eu-west-1:${'1'.repeat(33)}:a`,
  ])('is no queue: %s', (source) => {
    expect(packed({ source }).ignored).toEqual(['lineclear.source'])
  })

  it.each(['a', 'checkout.charge', 'a-b_c', 'n'.repeat(260)])('is a consumer: %s', (consumer) => {
    expect(packed({ consumer }).carried.consumer).toBe(consumer)
  })

  it.each(['n'.repeat(261), ' a', 'a ', 'a/b'])('is no consumer: %j', (consumer) => {
    expect(packed({ consumer }).ignored).toEqual(['lineclear.consumer'])
  })
})
