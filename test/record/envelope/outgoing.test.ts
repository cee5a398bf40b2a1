import { describe, expect, it } from 'vitest'
import {
  type AttributeInput,
  buildMessage,
  type OutgoingMessage,
  sizeOf,
} from '../../../src/library/protocol/record/envelope/buildMessage.ts'
import { buildResend } from '../../../src/library/protocol/record/envelope/buildResend.ts'
import { type RecordOptions, sqsRecord } from '../../../src/testing/events/sqsEvent.ts'
import { listed, NOW, published, read, receive, STAMP } from './messages.ts'

const named = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`user${index}`, `v${index}`]))

const text = (value: string) => ({ DataType: 'String', StringValue: value })

function resend(
  record: ReturnType<typeof sqsRecord>,
  form: 'transparent' | 'wrapped' = 'transparent',
  resendNumber = 1,
): OutgoingMessage {
  const outgoing = buildResend(record, read(record), { ...STAMP, resendNumber }, { form })
  if (outgoing === undefined) throw new Error('it did not fit')
  return outgoing
}

describe('a transparent re-send', () => {
  it('leaves the body and the user’s attributes, and adds two', () => {
    const photo = Uint8Array.of(0, 255)
    const record = sqsRecord('{ "a":1 }', { attributes: { tenant: 'a', price: 2, photo } })
    expect(resend(record)).toEqual({
      body: '{ "a":1 }',
      attributes: {
        tenant: text('a'),
        price: { DataType: 'Number', StringValue: '2' },
        photo: { DataType: 'Binary', BinaryValue: photo },
        uniquerequestid: text('order-1'),
        lineclear: text('{"format":1,"resendNumber":1,"hops":0}'),
      },
    })
  })

  it('leaves a notification as it is, and counts at the queue’s level', () => {
    const record = published('x', {
      attributes: {
        ...named(12),
        uniquerequestid: 'publisher',
        lineclear: '{"format":1,"sentAt":5}',
      },
    })
    const outgoing = resend(record)
    expect(outgoing.body).toBe(record.body)
    expect(Object.keys(outgoing.attributes)).toEqual(['uniquerequestid', 'lineclear'])
    const envelope = read(receive(outgoing))
    expect(envelope).toMatchObject({ source: 'sns', body: 'x' })
    expect(envelope.carried).toEqual({ ...STAMP, resendNumber: 1 })
    expect(listed(envelope.attributes)).toEqual(listed(read(record).attributes))
  })

  it('leaves a payload closed that looks like a wrapper of ours', () => {
    const record = sqsRecord({ Type: 'lineclear', Message: 'x', MessageAttributes: {} })
    expect(resend(record).body).toBe(record.body)
  })

  it('replaces an old stamp', () => {
    const twice = resend(receive(resend(sqsRecord('x'))), 'transparent', 2)
    expect(twice.attributes['lineclear']).toEqual(text('{"format":1,"resendNumber":2,"hops":0}'))
  })
})

describe('A4 A5 a wrapped re-send', () => {
  it('puts body and attributes inside, as SNS would', () => {
    const record = sqsRecord('{"a":"é"}', {
      attributes: { tenant: 'a', photo: Uint8Array.of(255) },
    })
    const { body, attributes } = resend(record, 'wrapped')
    expect(JSON.parse(body)).toEqual({
      Type: 'lineclear',
      Message: '{"a":"é"}',
      MessageAttributes: {
        tenant: { Type: 'String', Value: 'a' },
        photo: { Type: 'Binary', Value: '/w==' },
      },
    })
    expect({ ...attributes }).toEqual({
      uniquerequestid: text('order-1'),
      lineclear: text('{"format":1,"resendNumber":1,"hops":0,"wrapped":true}'),
    })
  })

  it.each([
    [7, 9],
    [8, 10],
    [9, 2],
    [10, 2],
  ])('is chosen when the attributes run out: %d of the user give %d', (count, onTop) => {
    const record = sqsRecord('x', { attributes: named(count) })
    const outgoing = resend(record)
    expect(Object.keys(outgoing.attributes)).toHaveLength(onTop)
    const envelope = read(receive(outgoing))
    expect(envelope.body).toBe('x')
    expect(listed(envelope.attributes)).toEqual(listed(read(record).attributes))
    expect(envelope.carried).toMatchObject({ uniqueRequestId: 'order-1', resendNumber: 1 })
  })

  it('opens a notification inside it, and says that it was wrapped', () => {
    const record = published('x', { attributes: { tenant: 'a' } })
    const envelope = read(receive(resend(record, 'wrapped')))
    expect(envelope).toMatchObject({ source: 'sns', body: 'x', carried: { wrapped: true } })
    expect(listed(envelope.attributes)).toEqual([['tenant', { type: 'String', value: 'a' }]])
  })

  it('keeps an attribute that was added on top of the wrapper', () => {
    const wrapped = resend(sqsRecord('x', { attributes: { tenant: 'a' } }), 'wrapped')
    const record = receive({ ...wrapped, attributes: { ...wrapped.attributes, hop: text('h') } })
    const names = (from: typeof record) => Object.keys(read(from).attributes)
    expect(names(record)).toEqual(['hop', 'tenant'])
    expect(names(receive(resend(record, 'wrapped')))).toEqual(['hop', 'tenant'])
  })
})

describe('A6 no nesting', () => {
  it.each(['transparent', 'wrapped'] as const)('ten re-sends, %s, are one size', (form) => {
    const first = sqsRecord('{"a":"\\"quoted\\""}', { attributes: named(10) })
    let record = first
    const sizes = Array.from({ length: 10 }, (_, resendNumber) => {
      const outgoing = resend(record, form, resendNumber)
      record = receive(outgoing)
      expect(read(record).body).toBe(first.body)
      return outgoing.body.length
    })
    expect(Math.max(...sizes) - Math.min(...sizes)).toBe(0)
  })

  it('leaves the wrapper again when it is no longer needed', () => {
    const wrapped = receive(resend(sqsRecord('x', { attributes: { tenant: 'a' } }), 'wrapped'))
    const stamp = { ...read(wrapped).carried, uniqueRequestId: 'order-1' }
    const back = buildResend(wrapped, read(wrapped), stamp, { form: 'transparent' })
    expect(back?.body).toBe('x')
    expect(back?.attributes['lineclear']).toEqual(text('{"format":1,"resendNumber":1,"hops":0}'))
  })
})

describe('a message redriven from a dead-letter queue without an identity', () => {
  it('carries its first id, and no stamp, which would come before the id of its payload', () => {
    const record = sqsRecord('x', { attributes: { tenant: 'a' } })
    const carried = { resendNumber: 0, hops: 0, messageId: 'm-1' }
    expect(buildResend(record, read(record), carried, { form: 'transparent' })).toEqual({
      body: 'x',
      attributes: {
        tenant: text('a'),
        lineclear: text('{"format":1,"messageId":"m-1","resendNumber":0,"hops":0}'),
      },
    })
  })
})

describe('the size of a message', () => {
  it('counts names, types and values in UTF-8, and bytes as they are', () => {
    const body = 'é😀'
    const photo = { DataType: 'Binary', BinaryValue: new Uint8Array(5) }
    expect(sizeOf({ body, attributes: {} })).toBe(6)
    expect(sizeOf({ body, attributes: { é: text('é') } })).toBe(6 + 2 + 6 + 2)
    expect(sizeOf({ body, attributes: { p: photo } })).toBe(6 + 1 + 6 + 5)
  })

  const stampBytes = sizeOf({ body: '', attributes: resend(sqsRecord('x')).attributes })
  const attempt = (bytes: number, form: 'transparent' | 'wrapped', options?: RecordOptions) => {
    const record = sqsRecord('x'.repeat(bytes), options)
    return buildResend(record, read(record), { ...STAMP, resendNumber: 1 }, { form })
  }

  it.each([-1, 0])('fits at the limit of 1 MiB %d', (more) => {
    const outgoing = attempt(1_048_576 - stampBytes + more, 'transparent')
    expect(outgoing && sizeOf(outgoing)).toBe(1_048_576 + more)
  })

  it('does not fit beyond the limit, in neither form', () => {
    expect(attempt(1_048_576 - stampBytes + 1, 'transparent')).toBeUndefined()
    expect(attempt(1_048_576 - stampBytes + 1, 'wrapped')).toBeUndefined()
  })

  it('takes the other form when only that fits', () => {
    const outgoing = attempt(1_048_576 - stampBytes, 'wrapped')
    expect(outgoing?.body.startsWith('xxx')).toBe(true)
    expect(attempt(1_048_400, 'transparent', { attributes: named(9) })).toBeUndefined()
  })

  it('keeps the limit of the queue', () => {
    const record = sqsRecord('x')
    const build = (maxBytes: number) =>
      buildResend(record, read(record), STAMP, { form: 'transparent', maxBytes })
    const size = sizeOf(resend(record))
    expect(build(size)).toBeDefined()
    expect(build(size - 1)).toBeUndefined()
  })
})

describe('a dead letter', () => {
  const death = {
    resendNumber: 5,
    hops: 1,
    sentAt: NOW,
    death: 1,
    attempts: 6,
    reason: 'exhausted',
  }
  const carried = { ...death, uniqueRequestId: 'order-1', error: 'x'.repeat(9_000) }

  it('says why, with as much of the error as fits', () => {
    const record = sqsRecord('payload', { attributes: { tenant: 'a' } })
    for (const maxBytes of [1_048_576, 4_096, 400]) {
      const options = { form: 'transparent', maxBytes } as const
      const outgoing = buildResend(record, read(record), carried, options)
      expect(outgoing && sizeOf(outgoing)).toBeLessThanOrEqual(maxBytes)
      const { carried: own } = read(receive(outgoing ?? resend(record)))
      expect(own).toMatchObject({ ...death, uniqueRequestId: 'order-1' })
      expect(own.error).toMatch(/^x{60,4096}$/)
    }
  })

  it('has as much of the error as its queue takes', () => {
    const record = sqsRecord('payload')
    for (const maxBytes of [4_096, 400]) {
      const outgoing = buildResend(record, read(record), carried, { form: 'transparent', maxBytes })
      expect(outgoing && sizeOf(outgoing)).toBe(maxBytes)
    }
  })

  it('is sent without the error, or without all that only operators read, rather than not at all', () => {
    const record = sqsRecord('payload')
    const { error: _error, attempts: _attempts, ...bare } = carried
    const least = buildResend(record, read(record), bare, { form: 'transparent' })
    const maxBytes = least === undefined ? 0 : sizeOf(least)
    const build = (limit: number) =>
      buildResend(record, read(record), carried, { form: 'transparent', maxBytes: limit })
    expect(build(maxBytes)).toEqual(least)
    expect(build(maxBytes - 1)).toBeUndefined()
  })
})

describe('an id that the receiver would not recognise', () => {
  it.each(['', 'order 1', 'é', 'x'.repeat(257)])('is not sent: %j', (uniqueRequestId) => {
    const record = sqsRecord('x')
    const stamp = { ...STAMP, uniqueRequestId }
    const config: unknown = expect.objectContaining({ code: 'CONFIG' })
    expect(() => buildMessage('x', {}, stamp)).toThrow(config)
    for (const form of ['transparent', 'wrapped'] as const) {
      expect(() => buildResend(record, read(record), stamp, { form })).toThrow(config)
    }
  })
})

describe('a new message', () => {
  const build = (attributes: Record<string, AttributeInput>) => buildMessage('x', attributes, STAMP)

  it('has what its receiver reads', () => {
    const attributes = { tenant: 'a', price: 1.5, kind: { type: 'String.kind', value: 'order' } }
    const stamp = { ...STAMP, sentAt: NOW, wrapped: true } as const
    const envelope = read(receive(buildMessage('{"a":1}', attributes, stamp)))
    expect(envelope).toMatchObject({ body: '{"a":1}', ignored: [] })
    expect(envelope.carried).toEqual({ ...STAMP, sentAt: NOW })
    expect(listed(envelope.attributes)).toEqual([
      ['kind', { type: 'String.kind', value: 'order' }],
      ['price', { type: 'Number', value: '1.5' }],
      ['tenant', { type: 'String', value: 'a' }],
    ])
  })

  it('takes 8 attributes of the user, not 9', () => {
    expect(Object.keys(build(named(7)).attributes)).toHaveLength(9)
    expect(Object.keys(build(named(8)).attributes)).toHaveLength(10)
    expect(() => build(named(9))).toThrow(/at most 8 are yours, got 9/)
  })

  it.each(['a', 'A-b_c.9', 'n'.repeat(256), 'awsome', 'my.AWS.x', '__proto__'])(
    'takes the name %j',
    (name) => {
      const attributes: Record<string, AttributeInput> = Object.fromEntries([[name, 'v']])
      expect(Object.keys(build(attributes).attributes)).toContain(name)
    },
  )

  it.each([
    ['', /1 to 256/],
    ['n'.repeat(257), /1 to 256/],
    ['a b', /1 to 256/],
    ['é', /1 to 256/],
    ['a\n', /1 to 256/],
    ['.a', /period/],
    ['a.', /period/],
    ['a..b', /two in a row/],
    ['ab..c', /two in a row/],
    ['AWS.x', /'AWS\.'/],
    ['aws.x', /'AWS\.'/],
    ['Amazon.x', /'Amazon\.'/],
    ['aMaZoN.x', /'Amazon\.'/],
    ['uniquerequestid', /reserved/],
    ['lineclear', /reserved/],
  ])('refuses the name %j', (name, why) => {
    expect(() => build({ [name]: 'v' })).toThrow(why)
    expect(() => build({ [name]: 'v' })).toThrow(expect.objectContaining({ code: 'CONFIG' }))
  })

  it.each<[AttributeInput, RegExp]>([
    ['', /empty/],
    [new Uint8Array(), /empty/],
    [{ type: 'Number', value: '' }, /empty/],
    ['a\u0000', /characters/],
    ['\ud800', /characters/],
    [Number.NaN, /not a number/],
    [Infinity, /not a number/],
    [{ type: 'Number.float', value: 'ten' }, /not a number/],
    [{ type: 'Number', value: ' 1' }, /not a number/],
    [{ type: 'Text', value: 'x' }, /String, Number or Binary/],
    [{ type: `String.${'x'.repeat(250)}`, value: 'x' }, /at most 256/],
    [{ type: 'String', value: Uint8Array.of(1) }, /does not fit its type/],
    [{ type: 'Binary', value: 'AA==' }, /does not fit its type/],
  ])('refuses the value %j', (value, why) => {
    expect(() => build({ tenant: value })).toThrow(why)
    expect(() => build({ tenant: value })).toThrow(expect.objectContaining({ code: 'CONFIG' }))
  })

  it.each([
    ['', /empty/],
    ['a\u0000', /characters/],
    ['\ufffe', /characters/],
    ['x'.repeat(1_048_576), /bytes of at most 1048576/],
  ])('refuses the body (case %#)', (body, why) => {
    expect(() => buildMessage(body, {}, STAMP)).toThrow(why)
    expect(() => buildMessage(body, {}, STAMP)).toThrow(
      expect.objectContaining({ code: 'TERMINAL' }),
    )
  })

  it('keeps the limit of the topic', () => {
    const size = sizeOf(buildMessage('x', {}, STAMP))
    expect(sizeOf(buildMessage('x', {}, STAMP, { maxBytes: size }))).toBe(size)
    expect(() => buildMessage('x', {}, STAMP, { maxBytes: size - 1 })).toThrow(/bytes of at most/)
  })
})
