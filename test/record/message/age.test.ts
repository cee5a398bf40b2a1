import { hash } from 'node:crypto'
import type { SQSRecord } from 'aws-lambda'
import { describe, expect, it } from 'vitest'
import { readEnvelope } from '../../../src/library/protocol/record/envelope/readEnvelope.ts'
import type { Message } from '../../../src/library/protocol/record/message/message.ts'
import { readMessage } from '../../../src/library/protocol/record/message/readMessage.ts'
import { sqsRecord } from '../../../src/testing/events/sqsEvent.ts'

const NOW = Date.UTC(2026, 5, 1)
const HOUR = 3_600_000

function read(record: SQSRecord): Message<unknown> {
  const limits = { maxAge: HOUR, retention: 3 * HOUR, now: NOW }
  const options = { form: 'json', schema: undefined, idOf: undefined, ...limits } as const
  const message = readMessage(record, readEnvelope(record, { topics: 'any', now: NOW }), options)
  if (message instanceof Promise) throw new Error('no schema was given')
  return message
}

function sent(ago: number, carried: object = {}): SQSRecord {
  const lineclear = JSON.stringify({ format: 1, sentAt: NOW - ago, ...carried })
  return sqsRecord({ id: 1 }, { attributes: { lineclear } })
}

describe('the age of a request', () => {
  it.each<[string, number, object]>([
    ['a message', HOUR, {}],
    ['a redriven dead letter', 3 * HOUR, { death: 1 }],
    ['a dead letter of which only the reason is known', 3 * HOUR, { reason: 'terminal' }],
  ])('has a limit: %s', (_, limit, carried) => {
    expect(read(sent(limit, carried)).kind).toBe('readable')
    expect(read(sent(limit + 1_000, carried))).toMatchObject({
      kind: 'refused',
      refusal: {
        reason: 'too old',
        error: expect.stringContaining(
          `first sent ${limit / 1_000 + 1} s ago (2026-05-31T2`,
        ) as string,
      },
    })
  })
})

describe('the fingerprint of a payload', () => {
  const hashOf = (md5OfBody: string): string | undefined =>
    read({ ...sqsRecord('{}'), md5OfBody }).payloadHash

  it.each(['', '0123456789abcdef0123456789abcdef'])(
    'is its SHA-256, whatever the record says of another hash: %j',
    (md5OfBody) => {
      expect(hashOf(md5OfBody)).toBe(hash('sha256', '{}', 'base64url'))
    },
  )
})
