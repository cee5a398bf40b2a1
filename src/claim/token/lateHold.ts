import type { Item, Store, Update, WriteOutcome } from '../../store/store.ts'
import type { Hold, WriteResult } from '../hold.ts'
import type { EndReason } from '../settlement.ts'
import { endedToken, newToken } from './claimWrites.ts'
import { type ClaimRequest, decideClaim } from './decideClaim.ts'
import { firstToken, readToken } from './token.ts'
import { heldEffects, tokenHold } from './tokenHold.ts'

interface LateHoldParts {
  readonly request: ClaimRequest
  readonly store: Store
  readonly commit: (update: Update) => Promise<WriteOutcome>
  readonly now: () => number
  readonly retention: number
}

/**
 * A first attempt that has claimed nothing. Its effects create the token of a request that has ended, in one transaction: of two
 * attempts only one can. The token is claimed late when the attempt fails: a copy or a dead letter of a request without a token
 * could come beside effects that another attempt makes.
 */
export function lateHold(parts: LateHoldParts): Hold {
  const { request, store, retention } = parts
  let ended = false
  let refusedBy: Item | undefined
  let claimed: Hold | undefined

  const isMine = (item: Item | undefined): boolean => item?.['attemptId'] === request.attemptId
  const lost = (item: Item | undefined): WriteResult => {
    refusedBy = item
    return { kind: 'lost', over: endOf(item, request, parts.now()) }
  }
  const end = async (): Promise<WriteResult> => {
    if (ended) return { kind: 'written' }
    const [outcome] = await store.create([endedToken(request, parts.now(), retention)])
    return readEnd(outcome)
  }
  const readEnd = (outcome: WriteOutcome | undefined): WriteResult => {
    if (outcome?.kind === 'failed') return outcome
    if (outcome?.kind === 'applied') return { kind: 'written' }
    return isMine(outcome?.item) ? { kind: 'written' } : lost(outcome?.item)
  }
  /** Claims the request, and fails in the ordinary way. */
  const fail = async (write: (hold: Hold) => Promise<WriteResult>): Promise<WriteResult> => {
    if (claimed === undefined) {
      const [outcome] = await store.create([newToken(request, parts.now())])
      if (outcome?.kind === 'failed') return outcome
      const isClaimed = outcome?.kind === 'applied' || isRunning(outcome?.item)
      if (!isClaimed) return lost(outcome?.item)
      claimed = tokenHold({ ...parts, token: firstToken(request) })
    }
    return write(claimed)
  }
  /** Its own claim, whose answer was lost. */
  const isRunning = (item: Item | undefined): boolean =>
    isMine(item) && item?.['status'] === 'inProgress'
  const mine = { store, token: firstToken(request) }
  const held = heldEffects(mine, { request: '', isSurelyFirst: false })
  return {
    ...held,
    effects: {
      ...held.effects,
      mark: () => ({ create: endedToken(request, parts.now(), retention) }),
      marked: () => {
        ended = true
      },
      judge: (item) => {
        if (isMine(item) && item?.['status'] === undefined) return 'set'
        refusedBy = item
        return 'lost'
      },
    },
    resendNumber: 0,
    notAfter: undefined,
    fields: { attempt: mine.token.attempt, fence: mine.token.fence },
    settle: end,
    scheduleResend: (...given) => fail((hold) => hold.scheduleResend(...given)),
    confirmResend: async (...given) => claimed?.confirmResend(...given),
    waitUntil: (...given) => fail((hold) => hold.waitUntil(...given)),
    release: async () => {},
    startDeadLettering: (death) => fail((hold) => hold.startDeadLettering(death)),
    deathReport: () => claimed?.deathReport() ?? neverClaimed(request),
    finishDeadLettering: async () => claimed?.finishDeadLettering() ?? neverClaimed(request),
    explainLostClaim: async () => lost(refusedBy),
  }
}

/**
 * How the request has ended, if it has: only then the message may be acknowledged. What else the token says is decided when the
 * message comes back.
 */
function endOf(item: Item | undefined, request: ClaimRequest, now: number): EndReason | undefined {
  const token = item && readToken(item)
  if (token === undefined) return undefined
  const { kind } = decideClaim(token, request, now)
  return kind === 'duplicate' || kind === 'undone' || kind === 'alreadyDeadLettered'
    ? kind
    : undefined
}

function neverClaimed({ pk }: ClaimRequest): never {
  throw new Error(`a dead letter of ${pk} without a claim`)
}
