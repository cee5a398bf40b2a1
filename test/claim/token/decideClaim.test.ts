import { describe, expect, it } from 'vitest'
import {
  type ClaimRequest,
  decideClaim,
  type TokenVerdict,
} from '../../../src/library/protocol/claim/token/decideClaim.ts'
import type { Token } from '../../../src/library/protocol/claim/token/token.ts'
import { NOW, request, token } from './given.ts'

type Given = Partial<Token> | undefined
type When = Partial<ClaimRequest>
/** The parts of the verdict besides the token, which is the one that was judged. */
type Then = { readonly [K in string]?: unknown } & { readonly kind: TokenVerdict['kind'] }
type Row = readonly [given: string, Given, when: string, When, Then]

const SECOND = NOW / 1_000
const complete = { status: 'complete', attemptId: 'theirs', leaseUntil: 0 } as const
const waiting = { leaseUntil: 0, notBefore: NOW } as const
const dead = { status: 'error', leaseUntil: 0, death: 2, reason: 'terminal' } as const
const first: When = {}

const nothing: readonly Row[] = [
  ['no token', undefined, 'a first delivery', first, { kind: 'start', expired: undefined }],
  ['no token', undefined, 'a re-send', { resendNumber: 3 }, { kind: 'lost' }],
  ['no token', undefined, 'a forged re-send', { resendNumber: 10_001 }, { kind: 'start' }],
  ['no token', undefined, 'a redriven dead letter', { death: 1 }, { kind: 'lost' }],
  [
    'no token',
    undefined,
    'a re-send that may not run',
    { resendNumber: 3, refused: true },
    { kind: 'refuse' },
  ],
  ['no token', undefined, 'what may not run', { refused: true }, { kind: 'refuse' }],
]

const ended: readonly Row[] = [
  [
    'completed',
    { ...complete, ttl: SECOND + 1 },
    'a duplicate',
    first,
    { kind: 'over', as: 'duplicate' },
  ],
  [
    'completed and expired',
    { ...complete, ttl: 1 },
    'a re-send',
    { resendNumber: 1 },
    { kind: 'over', as: 'duplicate' },
  ],
  [
    'completed, never to be forgotten',
    complete,
    'a duplicate',
    first,
    { kind: 'over', as: 'duplicate' },
  ],
  [
    'completed',
    { ...complete, ttl: SECOND + 1 },
    'a re-send',
    { resendNumber: 9 },
    { kind: 'over', as: 'duplicate' },
  ],
  [
    'completed after a death',
    { ...complete, death: 1 },
    'its dead letter again',
    { death: 1 },
    { kind: 'over', as: 'duplicate' },
  ],
  ['completed', complete, 'what may not run', { refused: true }, { kind: 'over', as: 'duplicate' }],
  ['completed', complete, 'another payload', { payloadHash: 'other' }, { kind: 'conflict' }],
  [
    'completed and expired',
    { ...complete, ttl: SECOND },
    'a new request',
    first,
    { kind: 'start' },
  ],
  [
    'completed and expired',
    { ...complete, ttl: SECOND },
    'another payload',
    { payloadHash: 'other' },
    { kind: 'start' },
  ],
  [
    'completed and expired',
    { ...complete, ttl: SECOND },
    'what may not run',
    { refused: true },
    { kind: 'refuse' },
  ],
  [
    'completed by me, expired',
    { ...complete, attemptId: 'mine', ttl: SECOND },
    'myself',
    first,
    { kind: 'start' },
  ],
]

const mine: readonly Row[] = [
  ['mine', { attemptId: 'mine' }, 'myself again', first, { kind: 'mine' }],
  [
    'mine, its lease over',
    { attemptId: 'mine', leaseUntil: 0 },
    'myself again',
    first,
    { kind: 'mine' },
  ],
  [
    'mine, the last attempt',
    { attemptId: 'mine', attempt: 3 },
    'myself again',
    first,
    { kind: 'mine' },
  ],
  [
    'mine, reopened',
    { attemptId: 'mine', death: 2 },
    'myself again',
    { death: 2 },
    { kind: 'mine' },
  ],
  [
    'dying by me',
    { status: 'dying', attemptId: 'mine' },
    'myself again',
    first,
    { kind: 'deadLetter', because: 'dying' },
  ],
]

const running: readonly Row[] = [
  ['running', {}, 'a duplicate', first, { kind: 'held', until: NOW + 1 }],
  ['running', {}, 'a re-send', { resendNumber: 1 }, { kind: 'held', until: NOW + 1 }],
  [
    'running, an older copy of it',
    { resendNumber: 2, confirmed: true },
    'a duplicate',
    first,
    { kind: 'held', until: NOW + 1 },
  ],
  [
    'running its last attempt',
    { attempt: 3 },
    'a duplicate',
    first,
    { kind: 'held', until: NOW + 1 },
  ],
  ['running', {}, 'what may not run', { refused: true }, { kind: 'held', until: NOW + 1 }],
  ['running', {}, 'another payload', { payloadHash: 'other' }, { kind: 'conflict' }],
  [
    'running',
    {},
    'a payload that is not compared',
    { payloadHash: undefined },
    { kind: 'held', until: NOW + 1 },
  ],
  [
    'running, with the hash of no payload',
    { payloadHash: undefined },
    'a payload that claims the id',
    first,
    { kind: 'conflict' },
  ],
  [
    'running, with the hash of no payload',
    { payloadHash: undefined },
    'a payload that gives the id itself',
    { payloadHash: 'id:hash' },
    { kind: 'held', until: NOW + 1 },
  ],
  [
    'running a payload that gave the id',
    { payloadHash: 'id:hash' },
    'another one that gives it',
    { payloadHash: 'id:other' },
    { kind: 'held', until: NOW + 1 },
  ],
  [
    'running a payload that gave the id',
    { payloadHash: 'id:hash' },
    'its copy, which cannot be read now',
    { payloadHash: 'hash' },
    { kind: 'held', until: NOW + 1 },
  ],
  [
    'running a payload that gave the id',
    { payloadHash: 'id:hash' },
    'another one that only claims it',
    { payloadHash: 'other' },
    { kind: 'conflict' },
  ],
  [
    'running a payload that only claimed the id',
    { payloadHash: 'other' },
    'one that gives it',
    { payloadHash: 'id:hash' },
    { kind: 'conflict' },
  ],
  ['running', {}, 'a redriven dead letter', { death: 1 }, { kind: 'held', until: NOW + 1 }],
]

const unfinished: readonly Row[] = [
  [
    'a retry whose newer copy is on the queue',
    { leaseUntil: 0, resendNumber: 2, confirmed: true },
    'its redriven dead letter',
    { resendNumber: 0, deadLetter: true },
    { kind: 'takeOver' },
  ],
  ['a dead attempt', { leaseUntil: NOW }, 'its redelivery', first, { kind: 'takeOver' }],
  [
    'a dead attempt, two of three',
    { leaseUntil: NOW, attempt: 2 },
    'its redelivery',
    first,
    { kind: 'takeOver' },
  ],
  [
    'a dead attempt, three of three',
    { leaseUntil: NOW, attempt: 3 },
    'its redelivery',
    first,
    { kind: 'deadLetter', because: 'exhausted' },
  ],
  [
    'three of five, and a new limit of two',
    { leaseUntil: 0, attempt: 3 },
    'its redelivery',
    { maxAttempts: 2 },
    { kind: 'deadLetter', because: 'exhausted' },
  ],
  [
    'handed back before it began',
    { leaseUntil: 0, attempt: 0 },
    'its redelivery',
    first,
    { kind: 'takeOver' },
  ],
  [
    'a dead attempt',
    { leaseUntil: NOW },
    'what may not run',
    { refused: true },
    { kind: 'deadLetter', because: 'rejected' },
  ],
  [
    'a dead attempt',
    { leaseUntil: NOW },
    'a redriven dead letter',
    { death: 1 },
    { kind: 'takeOver' },
  ],
  ['a retry that is due', waiting, 'its re-send', { resendNumber: 1 }, { kind: 'takeOver' }],
  [
    'a retry that is not due',
    { ...waiting, notBefore: NOW + 1 },
    'its re-send',
    { resendNumber: 1 },
    { kind: 'early', until: NOW + 1 },
  ],
  [
    'a last retry that is not due',
    { ...waiting, notBefore: NOW + 1, attempt: 3 },
    'its re-send',
    { resendNumber: 1 },
    { kind: 'early', until: NOW + 1 },
  ],
]

const resends: readonly Row[] = [
  [
    'resend 2 confirmed',
    { ...waiting, resendNumber: 2, confirmed: true },
    're-send 1',
    { resendNumber: 1 },
    { kind: 'replaced' },
  ],
  [
    'resend 2 confirmed',
    { ...waiting, resendNumber: 2, confirmed: true },
    're-send 2',
    { resendNumber: 2 },
    { kind: 'takeOver' },
  ],
  [
    'resend 2 confirmed',
    { ...waiting, resendNumber: 2, confirmed: true },
    're-send 3, of another count',
    { resendNumber: 3 },
    { kind: 'takeOver' },
  ],
  [
    'resend 2 confirmed, not due',
    { ...waiting, notBefore: NOW + 1, resendNumber: 2, confirmed: true },
    're-send 1',
    { resendNumber: 1 },
    { kind: 'replaced' },
  ],
  [
    'resend 2 not confirmed',
    { ...waiting, resendNumber: 2 },
    're-send 1',
    { resendNumber: 1 },
    { kind: 'takeOver' },
  ],
  [
    'resend 2 confirmed, its attempt killed',
    { leaseUntil: NOW, resendNumber: 2, confirmed: true },
    're-send 1',
    { resendNumber: 1 },
    { kind: 'takeOver' },
  ],
  [
    'resend 2 confirmed',
    { ...waiting, resendNumber: 2, confirmed: true },
    're-send 1 that may not run',
    { resendNumber: 1, refused: true },
    { kind: 'replaced' },
  ],
  [
    'resend 2 confirmed',
    { ...waiting, resendNumber: 2, confirmed: true },
    're-send 2 that may not run',
    { resendNumber: 2, refused: true },
    { kind: 'deadLetter', because: 'rejected' },
  ],
]

const dying: readonly Row[] = [
  [
    'dying, its burier alive',
    { status: 'dying' },
    'a duplicate',
    first,
    { kind: 'held', until: NOW + 1 },
  ],
  [
    'dying, its burier dead',
    { status: 'dying', leaseUntil: NOW },
    'its redelivery',
    first,
    { kind: 'deadLetter', because: 'dying' },
  ],
  [
    'dying, its burier dead',
    { status: 'dying', leaseUntil: NOW },
    'what may not run',
    { refused: true },
    { kind: 'deadLetter', because: 'dying' },
  ],
  [
    'dying, its dead letter redriven already',
    { status: 'dying', leaseUntil: NOW, death: 2 },
    'that dead letter',
    { death: 2 },
    { kind: 'deadLetter', because: 'dying' },
  ],
  [
    'dying',
    { status: 'dying', leaseUntil: NOW },
    'another payload',
    { payloadHash: 'other' },
    { kind: 'conflict' },
  ],
]

const buried: readonly Row[] = [
  [
    'dead',
    dead,
    'a duplicate',
    first,
    { kind: 'over', as: 'alreadyDeadLettered', reason: 'terminal' },
  ],
  [
    'dead',
    dead,
    'a late re-send',
    { resendNumber: 5 },
    { kind: 'over', as: 'alreadyDeadLettered', reason: 'terminal' },
  ],
  ['dead', dead, 'its dead letter', { death: 2 }, { kind: 'reopen' }],
  [
    'dead',
    dead,
    'the dead letter of an earlier death',
    { death: 1 },
    { kind: 'over', as: 'alreadyDeadLettered', reason: 'terminal' },
  ],
  [
    'dead',
    dead,
    'a dead letter of a later death',
    { death: 3 },
    { kind: 'over', as: 'alreadyDeadLettered', reason: 'terminal' },
  ],
  [
    'dead',
    dead,
    'another payload with its death number',
    { death: 2, payloadHash: 'other' },
    { kind: 'conflict' },
  ],
  [
    'dead, of a payload that gave the id',
    { ...dead, payloadHash: 'id:hash' },
    'another one that gives its id and its death number',
    { death: 2, payloadHash: 'id:other' },
    { kind: 'conflict' },
  ],
  [
    'dead, of a payload that gave the id',
    { ...dead, payloadHash: 'id:hash' },
    'its dead letter, which cannot be read now',
    { death: 2, payloadHash: 'hash' },
    { kind: 'reopen' },
  ],
  ['dead', dead, 'another payload', { payloadHash: 'other' }, { kind: 'conflict' }],
  [
    'dead',
    dead,
    'its dead letter that may not run',
    { death: 2, refused: true },
    { kind: 'refuse' },
  ],
  [
    'dead',
    dead,
    'what may not run',
    { refused: true },
    { kind: 'over', as: 'alreadyDeadLettered', reason: 'terminal' },
  ],
  [
    'dead, by me',
    { ...dead, attemptId: 'mine' },
    'myself again',
    first,
    { kind: 'over', as: 'alreadyDeadLettered', reason: 'terminal' },
  ],
  [
    'with an unknown outcome',
    { ...dead, status: 'unknown' },
    'a duplicate',
    first,
    { kind: 'over', as: 'alreadyDeadLettered', reason: 'terminal' },
  ],
  [
    'with an unknown outcome',
    { ...dead, status: 'unknown' },
    'its dead letter',
    { death: 2 },
    { kind: 'reopen' },
  ],
]

describe.each([
  ['nothing known', nothing],
  ['ended', ended],
  ['my own', mine],
  ['running', running],
  ['unfinished', unfinished],
  ['re-sent', resends],
  ['dying', dying],
  ['dead', buried],
])('%s', (_, rows) => {
  it.each(rows)('given %s, when %3$s comes', (_given, given, _when, when, then) => {
    const judged = given === undefined ? undefined : token(given)
    expect(decideClaim(judged, request(when), NOW)).toMatchObject(then)
  })
})

describe('the verdict', () => {
  it.each([...unfinished, ...resends, ...dying, ...buried, ...mine])(
    'carries the token that was judged: %s',
    (_given, given, _when, when) => {
      const judged = token(given)
      const verdict = decideClaim(judged, request(when), NOW)
      expect('token' in verdict ? verdict.token : judged).toBe(judged)
    },
  )

  it('carries the expired token, whose fence still grows', () => {
    const expired = token({ ...complete, ttl: SECOND })
    expect(decideClaim(expired, request(), NOW)).toEqual({ kind: 'start', expired })
  })
})

it.each([
  ['a live one', token({ ttl: 1 }), { kind: 'held' }],
  ['a dead one', token({ status: 'error', ttl: 1 }), { kind: 'over', as: 'alreadyDeadLettered' }],
  ['one without a holder', token({ leaseUntil: 0, ttl: 1 }), { kind: 'start' }],
  [
    'one that is kept for ever',
    token({ status: 'complete', leaseUntil: 0 }),
    { kind: 'over', as: 'duplicate' },
  ],
  [
    'one in time',
    token({ status: 'complete', leaseUntil: 0, ttl: NOW / 1_000 + 1 }),
    { kind: 'over', as: 'duplicate' },
  ],
  [
    'one past its time',
    token({ status: 'complete', leaseUntil: 0, ttl: NOW / 1_000 }),
    { kind: 'start' },
  ],
])(
  'a token that waits for nothing is forgotten at its ttl, and no other: %s',
  (_, standing, verdict) => {
    expect(decideClaim(standing, request(), NOW)).toMatchObject(verdict)
  },
)
