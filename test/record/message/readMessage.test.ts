import * as v from 'valibot'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { SQSRecord } from 'aws-lambda'
import { snsWrapped, sqsEvent } from 'lineclear/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { readEnvelope } from '../../../src/library/protocol/record/envelope/readEnvelope.ts'
import {
  type Message,
  isSameRequest,
  payloadHashOf,
} from '../../../src/library/protocol/record/message/message.ts'
import {
  readMessage,
  type ReadMessageOptions,
} from '../../../src/library/protocol/record/message/readMessage.ts'

const DAY = 86_400_000

const now = Date.UTC(2026, 5, 1)

async function read(
  record: SQSRecord,
  options: Partial<ReadMessageOptions<unknown>> = {},
  envelope = readEnvelope(record, { topics: 'any', now }),
): Promise<Message<unknown>> {
  return readMessage(record, envelope, {
    form: 'json',
    schema: undefined,
    idOf: undefined,
    maxAge: 30 * DAY,
    retention: 30 * DAY,
    now,
    ...options,
  })
}

function recordOf(payload: unknown, changes: Partial<SQSRecord> = {}): SQSRecord {
  const [record] = sqsEvent(payload).Records
  if (record === undefined) throw new Error('no record')
  return {
    ...record,
    attributes: { ...record.attributes, SentTimestamp: String(now - 1_000) },
    ...changes,
  }
}

const stamped = (id: string): Partial<SQSRecord> => ({
  messageAttributes: { uniquerequestid: { dataType: 'String', stringValue: id } },
})
const topicArn = 'arn:aws:sns:eu-west-1:123456789012:placed'

it('a refused notification of a topic that no option names says so before what the schema found', async () => {
  const record = snsWrapped({ n: 1 }, { topicArn })
  const envelope = readEnvelope(record, {
    topics: ['arn:aws:sns:eu-west-1:123456789012:paid'],
    now,
  })
  const message = await read(record, { schema: z.object({ n: z.number() }) }, envelope)
  const error = `RejectedError: the body is an SNS notification of ${topicArn}, which the option envelopes does not name, so it was taken as payload: the schema refuses the payload: `
  expect(message).toMatchObject({ kind: 'refused', refusal: { reason: 'rejected' } })
  expect(message).toHaveProperty('refusal.error', expect.stringContaining(error))
})

describe('identity', () => {
  const idOf = (payload: unknown): string => z.object({ id: z.string() }).parse(payload).id

  it('is the stamped attribute before all others', async () => {
    const message = await read(recordOf({ id: 'order-1' }, stamped('stamped-1')), { idOf })
    expect(message).toMatchObject({ uniqueRequestId: 'stamped-1', identity: 'attribute' })
  })

  it("is the user's id before the id of SNS: a provider that calls twice is published twice", async () => {
    const twice = [1, 2].map(() => snsWrapped({ id: 'tx-1' }, { topicArn }))
    const messages = await Promise.all(twice.map((record) => read(record, { idOf })))
    expect(messages.map(({ uniqueRequestId }) => uniqueRequestId)).toEqual(['tx-1', 'tx-1'])
  })

  describe('with a message id that a redrive carries', () => {
    const brought = (messageId: string): Partial<SQSRecord> => ({
      messageAttributes: {
        lineclear: { dataType: 'String', stringValue: JSON.stringify({ format: 1, messageId }) },
      },
    })

    it('is that one in place of the SQS id', async () => {
      const message = await read(recordOf({ id: 'order-1' }, brought('first-1')))
      expect(message).toMatchObject({ uniqueRequestId: 'first-1', identity: 'sqs' })
    })

    it('is never that one when the payload, SNS or a sender gives an id', async () => {
      const own = brought('first-1')
      const byPayload = await read(recordOf({ id: 'order-1' }, own), { idOf })
      expect(byPayload).toMatchObject({ uniqueRequestId: 'order-1', identity: 'payload' })
      const published = { ...snsWrapped({ id: 1 }, { topicArn }), ...own }
      expect(await read(published)).toMatchObject({ identity: 'sns' })
      const { messageAttributes } = stamped('stamped-1')
      const both = { messageAttributes: { ...own.messageAttributes, ...messageAttributes } }
      expect(await read(recordOf({}, both))).toMatchObject({ uniqueRequestId: 'stamped-1' })
    })

    it('has the fingerprint of its payload: forged, it is in conflict with the request that it names', async () => {
      const [one, other] = await Promise.all(
        ['a', 'b'].map((n) => read(recordOf({ n }, { ...brought('first-1'), md5OfBody: '' }))),
      )
      expect(one?.uniqueRequestId).toBe(other?.uniqueRequestId)
      expect(one?.payloadHash).toEqual(expect.stringMatching(/^[\w-]{43}$/))
      expect(one?.payloadHash).not.toBe(other?.payloadHash)
    })

    it.each(['', 'two words', 'x'.repeat(257), 3, null])('is not %j', async (messageId) => {
      const record = recordOf({}, brought(messageId as string))
      const message = await read(record)
      expect(message).toMatchObject({ uniqueRequestId: record.messageId, identity: 'sqs' })
      expect(message.envelope.ignored).toEqual(['lineclear.messageId'])
    })
  })

  it('is the id of SNS in every copy that SNS makes', async () => {
    const copies = [1, 2].map(() => snsWrapped({ id: 'tx-1' }, { topicArn, messageId: 'sns-1' }))
    const messages = await Promise.all(copies.map((record) => read(record)))
    expect(messages.map(({ uniqueRequestId }) => uniqueRequestId)).toEqual(['sns-1', 'sns-1'])
  })

  it('is the SQS id where nothing else is', async () => {
    const record = recordOf({ id: 'order-1' })
    expect(await read(record)).toMatchObject({ uniqueRequestId: record.messageId, identity: 'sqs' })
  })

  it('hashes an id that no attribute could carry', async () => {
    const message = await read(recordOf({ id: 'Größe 12 €' }), { idOf })
    expect(message.uniqueRequestId).toMatch(/^[\w-]{43}$/)
  })

  it('refuses an empty id: all such records would share one token', async () => {
    const message = await read(recordOf({ id: '' }), { idOf })
    expect(message).toMatchObject({ kind: 'refused', refusal: { reason: 'rejected' } })
  })

  it('treats an error of the id function as one that may pass', async () => {
    const message = await read(recordOf({ other: 1 }), { idOf })
    expect(message.kind).toBe('unread')
  })

  it('keeps a hash of each payload, and whether the payload itself gave the id', async () => {
    expect((await read(recordOf({ id: 'a' }))).payloadHash).toMatch(/^[\w-]{43}$/)
    expect((await read(recordOf({ id: 'a' }), { idOf })).payloadHash).toMatch(/^id:[\w-]{43}$/)
  })

  it('gives a payload one fingerprint, whichever way it comes', async () => {
    const direct = await read(recordOf('{"id":"a"}'))
    const wrapped = await read(snsWrapped('{"id":"a"}', { topicArn }))
    expect(wrapped.payloadHash).toBe(direct.payloadHash)
  })
})

describe('payload', () => {
  const schema = z.object({ total: z.number() })

  it('is parsed and typed by any Standard Schema', async () => {
    const valibot = v.object({ total: v.number() })
    for (const each of [schema, valibot]) {
      expect(await read(recordOf({ total: 3, more: 1 }), { schema: each })).toMatchObject({
        kind: 'readable',
        payload: { total: 3 },
      })
    }
  })

  it('may be validated asynchronously', async () => {
    const asynchronous = schema.refine(async ({ total }) => total > 0, 'total must be positive')
    expect((await read(recordOf({ total: 3 }), { schema: asynchronous })).kind).toBe('readable')
    expect(await read(recordOf({ total: -3 }), { schema: asynchronous })).toMatchObject({
      kind: 'refused',
      refusal: { error: expect.stringContaining('total must be positive') },
    })
  })

  it('says which fields the schema refuses', async () => {
    const message = await read(recordOf({ total: 'three' }), { schema })
    expect(message).toMatchObject({
      refusal: { reason: 'rejected', error: expect.stringMatching(/schema refuses.*total:/) },
    })
  })

  it.each(['', '{', '{"a":', 'undefined', '{"a":1}x'])(
    'refuses %j, which is not JSON',
    async (body) => {
      expect(await read({ ...recordOf('x'), body })).toMatchObject({
        kind: 'refused',
        refusal: { error: expect.stringContaining('not JSON') },
      })
    },
  )

  it('is passed on unchanged in the text form', async () => {
    expect(await read(recordOf('not json'), { form: 'text' })).toMatchObject({
      payload: 'not json',
    })
  })

  it('treats an error of the schema itself as one that may pass', async () => {
    const broken: StandardSchemaV1 = {
      '~standard': {
        version: 1,
        vendor: 'test',
        validate: async () => Promise.reject(new Error('the look-up failed')),
      },
    }
    const message = await read(recordOf({}), { schema: broken })
    expect(message).toMatchObject({ kind: 'unread', error: new Error('the look-up failed') })
  })

  it('names the nesting when it overflows the schema', async () => {
    const levels = 100_000
    const deep = '['.repeat(levels) + ']'.repeat(levels)
    const recursive: z.ZodType = z.lazy(() => z.array(recursive))
    expect(await read(recordOf(deep), { schema: recursive })).toMatchObject({
      kind: 'refused',
      refusal: { error: expect.stringContaining('64 levels') },
    })
    expect((await read(recordOf(deep))).kind).toBe('readable')
  })
})

describe('age', () => {
  const aged = (age: number, carried: object = {}): SQSRecord =>
    recordOf('{}', {
      messageAttributes: {
        lineclear: {
          dataType: 'String',
          stringValue: JSON.stringify({ format: 1, sentAt: now - age, ...carried }),
        },
      },
    })

  it('counts from the first sending', async () => {
    expect(await read(aged(2 * DAY))).toMatchObject({ kind: 'readable', sentAt: now - 2 * DAY })
  })

  it('refuses a request that is older than its limit: whether it was completed may be forgotten', async () => {
    expect((await read(aged(30 * DAY))).kind).toBe('readable')
    expect(await read(aged(30 * DAY + 1))).toMatchObject({ refusal: { reason: 'too old' } })
    expect(await read(aged(DAY), { maxAge: DAY - 1 })).toMatchObject({
      refusal: { reason: 'too old' },
    })
  })

  it('lets a redriven dead letter run until the retention is over', async () => {
    const options = { maxAge: 1_000 }
    expect((await read(aged(2 * DAY, { death: 1 }), options)).kind).toBe('readable')
    expect((await read(aged(31 * DAY, { death: 1 }), options)).kind).toBe('refused')
  })
})

const stated = (body: string): string => payloadHashOf(body, false)
const computed = (body: string): string => payloadHashOf(body, true)

it.each([
  ['the same body', stated('a'), stated('a'), true],
  ['another body', stated('a'), stated('b'), false],
  ['another body, both ids computed from it', computed('a'), computed('b'), true],
  ['another body, only the first id computed', computed('a'), stated('b'), false],
  ['another body, only the second id computed', stated('a'), computed('b'), false],
  ['the same body, one id computed', stated('a'), computed('a'), true],
])('%s under one id', (_, before, payloadHash, same) => {
  expect(isSameRequest(before, { payloadHash, trustsUnhashed: false })).toBe(same)
})
