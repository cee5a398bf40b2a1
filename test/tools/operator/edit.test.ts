import { hash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { readToken } from '../../../src/library/protocol/claim/token/token.ts'
import { readDeadLetter } from '../../../src/tools/operator/dlq/deadLetter.ts'
import { changesBetween, setInJson } from '../../../src/tools/operator/dlq/jsonChange.ts'
import { decideEdit } from '../../../src/tools/operator/dlq/edit.ts'
import { toPutBack } from '../../../src/tools/operator/dlq/send.ts'
import { sqsRecord } from './deadLetterRecord.ts'

const sha256 = (text: string): string => hash('sha256', text, 'base64url')
const CHANGE = { before: '{"n":"1"}', after: '{"n":1}' }
const token = (more: object = {}) =>
  readToken({
    pk: 'lock#orders/r1',
    sk: 'token',
    attemptId: 'a',
    attempt: 2,
    fence: 3,
    status: 'error',
    death: 1,
    payloadHash: sha256(CHANGE.before),
    ...more,
  })

describe('an edit', () => {
  it('lets the record accept the new payload, if nothing has happened since', () => {
    expect(decideEdit(token({ applied: new Set(['reserve']) }), CHANGE, 0)).toEqual({
      kind: 'allowed',
      update: {
        key: { pk: 'lock#orders/r1', sk: 'token' },
        where: [
          { field: 'attemptId', is: '=', value: 'a' },
          { field: 'fence', is: '=', value: 3 },
          { field: 'status', is: '=', value: 'error' },
          { field: 'payloadHash', is: '=', value: sha256(CHANGE.before) },
          { field: 'death', is: '=', value: 1 },
          { any: [{ absent: 'leaseUntil' }, { field: 'leaseUntil', is: '=', value: 0 }] },
        ],
        set: { payloadHash: sha256(CHANGE.after) },
      },
      notes: ['made with the old payload, and not repeated: reserve'],
    })
  })

  it('keeps that the id was computed from the payload', () => {
    const stored = `id:${sha256(CHANGE.before)}`
    expect(decideEdit(token({ payloadHash: stored }), CHANGE, 0)).toMatchObject({
      update: { set: { payloadHash: `id:${sha256(CHANGE.after)}` } },
    })
  })

  it.each([
    ['there is no record', undefined],
    ['the record compares no payloads', token({ payloadHash: undefined })],
    ['a killed command has changed it already', token({ payloadHash: sha256(CHANGE.after) })],
  ])('writes nothing when %s', (_, known) => {
    expect(decideEdit(known, CHANGE, 0)).toMatchObject({ kind: 'allowed', update: undefined })
  })

  it.each([
    ['is done', token({ status: undefined }), 'its request is done'],
    ['is being dead-lettered', token({ status: 'dying', leaseUntil: 9 }), 'is being sent'],
    ['runs', token({ status: 'inProgress', leaseUntil: 9 }), 'an attempt of it is running'],
    ['is of another payload', token({ payloadHash: sha256('other') }), 'of another payload'],
  ])('is refused when the request %s', (_, known, because) => {
    expect(decideEdit(known, CHANGE, 0)).toMatchObject({
      kind: 'impossible',
      because: expect.stringContaining(because),
    })
  })
})

describe('--set', () => {
  it.each([
    ['n', 2, '{"n":1,"a":{"b":[1]}}', '{"n":2,"a":{"b":[1]}}'],
    ['a.b.0', 'x', '{"a":{"b":[1]}}', '{"a":{"b":["x"]}}'],
    ['new', null, '{}', '{"new":null}'],
    ['.', { n: 2 }, '{"n":1,"old":true}', '{"n":2}'],
    ['.', { n: 2 }, 'Hello from Amazon SQS.', '{"n":2}'],
    ['.', { n: 2 }, '{"n":9007199254740993}', '{"n":2}'],
    ['/a.b/c~1d', 1, '{"a.b":{"c/d":0}}', '{"a.b":{"c/d":1}}'],
    ['__proto__', 1, '{"n":1.50}', '{"n":1.5,"__proto__":1}'],
    ['n', 1, '{"n":1e3,"m":0.10,"s":"9007199254740993"}', '{"n":1,"m":0.1,"s":"9007199254740993"}'],
  ])('%s', (path, value, before, after) => {
    expect(setInJson(before, path, value)).toBe(after)
  })

  it('of a number with millions of zeros in it ends', () => {
    const long = `{"n":1${'0'.repeat(3_000_000)}1}`
    expect(setInJson(long, 'n', 1)).toEqual({
      because: `the payload has the number 1${'0'.repeat(39)}…, which would lose digits`,
    })
  })

  it.each([
    ['a.b', '{}', 'has no a.b'],
    ['a.5', '{"a":[1]}', 'no element 5'],
    ['n', 'text', 'not JSON'],
    ['n', '{"n":9007199254740993}', 'would lose digits'],
    ['n', '{"n":0.1234567890123456789}', 'would lose digits'],
    ['constructor.name', '{}', 'has no constructor.name'],
    ['', '{}', 'the path is empty'],
  ])('%s of %s is refused', (path, before, because) => {
    expect(setInJson(before, path, 1)).toEqual({ because: expect.stringContaining(because) })
  })
})

it.each([
  [
    '{"a":1,"b":[1,2]}',
    '{"a":2,"b":[1],"c":"x"}',
    ['a: 1 → 2', 'b: [1,2] → [1]', 'c: nothing → "x"'],
  ],
  ['1', '[1]', ['the payload: 1 → [1]']],
  ['{"a": 1}', '{"a":1}', ['only spaces, or the order of names']],
  ['one\ntwo', 'one\nthree', ['- two', '+ three']],
])('the changes from %j to %j', (before, after, changes) => {
  expect(changesBetween(before, after)).toEqual(changes)
})

describe('the message of a corrected dead letter', () => {
  const record = sqsRecord({ consumer: 'orders', reason: 'terminal' })

  it('keeps everything but its body', () => {
    const deadLetter = readDeadLetter({ ...record, body: '{"n":1}' }, 0)
    const attributes = toPutBack(deadLetter)?.attributes
    expect(toPutBack(deadLetter, '{"n":2}')).toEqual({ body: '{"n":2}', attributes })
    expect(attributes?.['uniquerequestid']).toMatchObject({ StringValue: 'r1' })
  })

  it('of a message that SQS moved carries the id and the source that it had', () => {
    const { messageAttributes: _, ...moved } = sqsRecord({
      movedFrom: 'arn:aws:sqs:eu-west-1:1:orders',
    })
    const put = toPutBack(readDeadLetter({ ...moved, messageAttributes: {} }, 5), 'new')
    const lineclear = put?.attributes['lineclear']
    const carried: unknown = JSON.parse(
      lineclear !== undefined && 'StringValue' in lineclear ? lineclear.StringValue : '',
    )
    expect(put?.body).toBe('new')
    expect(carried).toMatchObject({ messageId: 'm1', source: 'arn:aws:sqs:eu-west-1:1:orders' })
  })

  it('of a notification of SNS is a notification', () => {
    const body = JSON.stringify({
      Type: 'Notification',
      MessageId: 's1',
      TopicArn: 'arn:aws:sns:eu-west-1:1:paid',
      Message: 'old',
      Timestamp: '2026-01-01T00:00:00.000Z',
    })
    const put = toPutBack(readDeadLetter({ ...record, body }, 0), 'new')
    expect(JSON.parse(put?.body ?? '')).toMatchObject({ MessageId: 's1', Message: 'new' })
  })

  it('that is too large for SQS is none', () => {
    expect(toPutBack(readDeadLetter(record, 0), 'x'.repeat(1_048_577))).toBeUndefined()
  })
})
