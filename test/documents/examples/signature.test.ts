import crypto, { createHmac } from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { sign, type SignedRequest, verify } from '../../../examples/provider-webhook/signature.ts'

const NOW = Date.UTC(2026, 10, 22, 12)
const CURRENT = 'c'.repeat(32)
const PREVIOUS = 'p'.repeat(32)
const SECRETS = JSON.stringify({ current: CURRENT, previous: PREVIOUS })
const BODY = '{"transactionId":"tx-1","cents":100}'
const MINUTE = 60_000

function request(change: Partial<SignedRequest> = {}): SignedRequest {
  return { headers: sign(BODY, CURRENT, NOW), body: BODY, ...change }
}

function withHeaders(change: Readonly<Record<string, string | undefined>>): SignedRequest {
  return request({ headers: { ...sign(BODY, CURRENT, NOW), ...change } })
}

const signature = sign(BODY, CURRENT, NOW)['webhook-signature'] ?? ''
const timestamp = sign(BODY, CURRENT, NOW)['webhook-timestamp'] ?? ''

describe('a webhook is taken', () => {
  it.each<[string, SignedRequest]>([
    ['as it was signed', request()],
    ['with the key before, while it is replaced', request({ headers: sign(BODY, PREVIOUS, NOW) })],
    ['five minutes late', request({ headers: sign(BODY, CURRENT, NOW - 5 * MINUTE) })],
    [
      'by a clock that is five minutes ahead',
      request({ headers: sign(BODY, CURRENT, NOW + 5 * MINUTE) }),
    ],
    [
      'with a body in base64',
      request({ body: Buffer.from(BODY).toString('base64'), isBase64Encoded: true }),
    ],
    [
      'with names of headers as a REST API gives them',
      request({
        headers: { 'Webhook-Timestamp': timestamp, 'Webhook-Signature': signature },
      }),
    ],
  ])('%s', (_, given) => {
    expect(verify(given, SECRETS, NOW)).toEqual({ body: BODY })
  })

  it('by the HMAC-SHA256 of the time, a dot and the body', () => {
    const mac = createHmac('sha256', CURRENT)
      .update(`${NOW / 1_000}.${BODY}`)
      .digest('hex')
    expect(verify(withHeaders({ 'webhook-signature': mac }), SECRETS, NOW)).toEqual({ body: BODY })
  })
})

describe('a webhook is refused', () => {
  it.each<[string, SignedRequest, string]>([
    ['without headers', request({ headers: {} }), 'no timestamp'],
    ['without a signature', withHeaders({ 'webhook-signature': undefined }), 'no signature'],
    ['without a time', withHeaders({ 'webhook-timestamp': undefined }), 'no timestamp'],
    ['with the wrong key', request({ headers: sign(BODY, 'x'.repeat(32), NOW) }), 'another key'],
    ['with an empty key', request({ headers: sign(BODY, '', NOW) }), 'another key'],
    ['too late', request({ headers: sign(BODY, CURRENT, NOW - 301_000) }), 'not of this time'],
    ['too early', request({ headers: sign(BODY, CURRENT, NOW + 301_000) }), 'not of this time'],
    ['with another body', request({ body: BODY.replace('100', '999') }), 'another key'],
    ['with a body that has one space more', request({ body: `${BODY} ` }), 'another key'],
    ['without a body', request({ body: undefined }), 'another key'],
    ['with a body that only looks like base64', request({ isBase64Encoded: true }), 'another key'],
    [
      'recorded, and with a new time',
      withHeaders({ 'webhook-timestamp': String(Number(timestamp) + 1) }),
      'another key',
    ],
    ['with half a signature', withHeaders({ 'webhook-signature': signature.slice(32) }), 'no sign'],
    [
      'with a signature that is not hex',
      withHeaders({ 'webhook-signature': 'z'.repeat(64) }),
      'no',
    ],
    ['with upper case', withHeaders({ 'webhook-signature': signature.toUpperCase() }), 'no sign'],
    ['with a line feed', withHeaders({ 'webhook-signature': `${signature}\n` }), 'no signature'],
    [
      'with two signatures',
      withHeaders({ 'webhook-signature': `${signature},${signature}` }),
      'no',
    ],
    [
      'with two headers of one name',
      withHeaders({ 'Webhook-Signature': signature }),
      'no signature',
    ],
    [
      'with two times',
      withHeaders({ 'webhook-timestamp': `${timestamp},${timestamp}` }),
      'no time',
    ],
    ['with a time in words', withHeaders({ 'webhook-timestamp': 'now' }), 'no timestamp'],
    ['with a fraction', withHeaders({ 'webhook-timestamp': `${timestamp}.0` }), 'no timestamp'],
    ['with milliseconds', withHeaders({ 'webhook-timestamp': String(NOW) }), 'no timestamp'],
    ['with a negative time', withHeaders({ 'webhook-timestamp': `-${timestamp}` }), 'no timestamp'],
  ])('%s', (_, given, refused) => {
    expect(verify(given, SECRETS, NOW)).toEqual({ refused: expect.stringContaining(refused) })
  })

  it('with the key before, when it has been taken away', () => {
    const secrets = JSON.stringify({ current: CURRENT, previous: '' })
    const given = request({ headers: sign(BODY, PREVIOUS, NOW) })
    expect(verify(given, secrets, NOW)).toEqual({ refused: 'signed by another key' })
  })

  it('with whatever a stranger can think of', () => {
    const value = fc.oneof(fc.string(), fc.constant(timestamp), fc.constant(signature))
    const headers = fc.dictionary(
      fc.constantFrom('webhook-timestamp', 'webhook-signature', 'Webhook-Signature'),
      value,
    )
    const isRefused = (given: SignedRequest): boolean =>
      verify(given, SECRETS, NOW).body === undefined
    fc.assert(
      fc.property(headers, fc.string(), fc.boolean(), (named, body, isBase64Encoded) =>
        isRefused({ headers: named, body, isBase64Encoded }),
      ),
    )
  })
})

it.each<[string, string | undefined]>([
  ['no secret', undefined],
  ['an empty one', ''],
  ['no JSON', CURRENT],
  ['an empty key', '{"current":""}'],
  ['a short key', '{"current":"short"}'],
  ['a short key before', JSON.stringify({ current: CURRENT, previous: 'short' })],
])('with %s in the environment nothing is taken, and the error quotes no secret', (_, secrets) => {
  let said = ''
  try {
    verify(request(), secrets, NOW)
  } catch (error) {
    said = String(error)
  }
  expect(said).toContain('verify: secrets: expected')
  expect(said).not.toMatch(/short|ccc/)
})

describe('keys are compared in constant time, all of them', () => {
  const compare = crypto.timingSafeEqual
  afterEach(() => {
    crypto.timingSafeEqual = compare
    syncBuiltinESMExports()
  })

  it.each([
    ['the current one', CURRENT],
    ['the one before', PREVIOUS],
    ['neither', 'x'.repeat(32)],
  ])('when %s has signed', (_, secret) => {
    const compared = vi.fn<typeof compare>(compare)
    crypto.timingSafeEqual = compared
    // Also for who has imported it by name.
    syncBuiltinESMExports()
    verify(request({ headers: sign(BODY, secret, NOW) }), SECRETS, NOW)
    // To end at the key that matches would tell which one it is.
    expect(compared).toHaveBeenCalledTimes(2)
  })
})
