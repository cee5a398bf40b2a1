import { describe, expect, it } from 'vitest'
import { newToken } from '../../../src/library/protocol/claim/token/claimWrites.ts'
import { readToken } from '../../../src/library/protocol/claim/token/token.ts'
import { NOW, PK, request } from './given.ts'

describe('a stored token', () => {
  const item = { ...newToken(request(), NOW) }

  it.each(['leaseUntil', 'notBefore', 'resendNumber', 'death'])(
    'is unreadable with a text as %s',
    (name) => {
      expect(readToken({ ...item, [name]: '5' })).toBeUndefined()
      expect(readToken({ ...item, [name]: 5 })).toMatchObject({ [name]: 5 })
    },
  )

  it('is read whole', () => {
    const whole = {
      ...item,
      notBefore: 1,
      resendNumber: 2,
      confirmed: true,
      death: 3,
      reason: 'terminal',
      error: 'no',
      ttl: 4,
      applied: new Set(['sale']),
      'step:charge': 'start',
    }
    expect(readToken(whole)).toEqual({
      pk: PK,
      status: 'inProgress',
      attemptId: 'mine',
      attempt: 1,
      fence: 1,
      leaseUntil: NOW + 60_000,
      notBefore: 1,
      resendNumber: 2,
      confirmed: true,
      death: 3,
      reason: 'terminal',
      error: 'no',
      payloadHash: 'hash',
      ttl: 4,
      applied: new Set(['sale']),
      calls: new Map([['charge', 'start']]),
    })
  })

  it.each([
    ['applied', 'sale'],
    ['status', 5],
  ])('is unreadable when %s is %j', (name, value) => {
    expect(readToken({ ...item, [name]: value })).toBeUndefined()
  })

  it('takes what is of a wrong type, and decides nothing, for missing', () => {
    const odd = { ...item, reason: 5, error: 5, payloadHash: 5, ttl: 'never', confirmed: 'yes' }
    expect(readToken(odd)).toMatchObject({
      reason: undefined,
      error: undefined,
      payloadHash: undefined,
      ttl: undefined,
      confirmed: false,
    })
  })

  it.each(['dying', 'error', 'unknown', 'complete'])('may be %s', (status) => {
    expect(readToken({ ...item, status })).toMatchObject({ status })
  })
})
