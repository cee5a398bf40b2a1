import {
  type ClaimRequest,
  decideClaim,
} from '../../../../src/library/protocol/claim/token/decideClaim.ts'
import { firstToken, type Token } from '../../../../src/library/protocol/claim/token/token.ts'
import { change, type Move, type Play } from './play.ts'
import type { Attempt, State } from './state.ts'

const NEW: Omit<Attempt, 'death'> = {
  step: 'claim',
  request: 0,
  stage: '',
  epoch: 0,
  fence: 0,
  isSurelyFirst: false,
  isKilled: false,
  onTheWire: false,
}

/** Copies arrive at any time, also while another attempt is alive; a dead letter may be redriven within the retention. */
export function tokenDeliveries({ state, scenario }: Play): Move[] {
  if (state.attempts.length >= scenario.attempts) return []
  const add = (death: number | undefined, more: Partial<State> = {}): State => ({
    ...state,
    ...more,
    attempts: [...state.attempts, { ...NEW, death }],
  })
  const isOld = scenario.days !== undefined && state.day > scenario.days.retention
  const isWanted = state.token?.status !== 'complete' && state.letters === 0 && !isOld
  const arrives = isWanted ? [{ words: 'the message is delivered', state: add(undefined) }] : []
  const mayRedrive = state.token?.status === 'error' && state.letters > state.redriven
  const isYoung = scenario.days === undefined || state.day <= state.diedOn + scenario.days.retention
  const redrives =
    mayRedrive && isYoung
      ? [
          {
            words: 'the dead letter is redriven',
            state: add(state.token?.death, { redriven: state.redriven + 1 }),
          },
        ]
      : []
  return [...arrives, ...redrives]
}

/** The shipped decision; a lease ends at any time, so that a live attempt may be overtaken. */
export function claimToken(play: Play, attempt: Attempt, index: number): Move[] {
  const { state, off } = play
  const request = requestOf(attempt, index)
  const token = state.token && { ...state.token, leaseUntil: 0 }
  const verdict = decideClaim(token, request, 1)
  const over = { words: verdict.kind, state: change(state, index, { step: 'over' }) }
  const claimed = claimOf(token, verdict.kind, index)
  if (claimed === undefined) return [over]
  const { fence } = claimed
  const isNew = verdict.kind === 'start'
  const next = (isSurelyFirst: boolean): State =>
    change({ ...state, token: claimed }, index, { step: 'raise', fence, isSurelyFirst })
  const direct = { words: `claims (${verdict.kind})`, state: next(isNew) }
  if (state.faults === 0) return [direct]
  // A copy may run between the write and the look that follows its lost answer.
  const lost = change({ ...state, token: claimed, faults: state.faults - 1 }, index, {
    step: 'raise',
    fence,
    isSurelyFirst: off === 'raise after a lost answer',
  })
  return [direct, { words: 'claims, the answer is lost', state: lost }]
}

function requestOf({ death }: Attempt, index: number): ClaimRequest {
  return {
    pk: 'lock#a/1',
    attemptId: String(index),
    lockedBy: '',
    leaseUntil: 0,
    expectedCompletion: 0,
    maxAttempts: 100,
    payloadHash: 'body',
    trustsUnhashed: true,
    resendNumber: 0,
    death,
    deadLetter: death !== undefined,
    refused: false,
  }
}

function claimOf(token: Token | undefined, verdict: string, index: number): Token | undefined {
  const attemptId = String(index)
  switch (verdict) {
    case 'start':
      return firstToken({ pk: 'lock#a/1', attemptId, leaseUntil: 0, payloadHash: 'body' })
    case 'takeOver':
    case 'reopen':
      return token && { ...token, attemptId, status: 'inProgress', fence: token.fence + 1 }
    default:
      return undefined
  }
}

export function settleToken({ state }: Play, attempt: Attempt, index: number): Move[] {
  const { token } = state
  const isMine = token?.fence === attempt.fence && token.status === 'inProgress'
  const complete = isMine ? { ...token, status: 'complete' as const } : token
  const words = isMine ? 'completes' : 'has lost its claim'
  return [{ words, state: change({ ...state, token: complete }, index, { step: 'over' }) }]
}
