import { type Claim as TokenClaim, type Claimant, claimMany } from '../claim/token/claimMany.ts'
import { tokenHold } from '../claim/token/tokenHold.ts'
import { tokenKey, type Token } from '../claim/token/token.ts'
import type { RecordHandlerContext } from '../context/context.ts'
import type { Hold } from '../claim/hold.ts'
import { byOf } from './consumerName.ts'
import type { Invocation } from './invocation.ts'
import type { Claim, Protocol, Refused } from './claimStrategy.ts'
import { scopeOf } from './scope.ts'
import { isDeadLetter, wasDelivered, type Work } from './incomingRecord.ts'

export type Handle = (payload: unknown, ctx: RecordHandlerContext) => unknown

/** One lock token per request. */
export function tokenProtocol(handle: Handle): Protocol {
  return {
    lineOf: ({ message }) => message.uniqueRequestId,
    claim: async (works, invocation, ahead) => {
      const { store, clock } = invocation.consumer
      const claimants = works.map((work) => claimantOf(work, invocation, ahead))
      const claims = await claimMany(store, claimants, clock.now())
      return claims.map((claim, index) => {
        const work = works[index]
        if (work === undefined) throw new Error('more claims than records')
        return claimOf(work, claim, invocation, handle)
      })
    },
  }
}

function claimOf(work: Work, claim: TokenClaim, invocation: Invocation, handle: Handle): Claim {
  const { uniqueRequestId } = work.message
  switch (claim.kind) {
    case 'claimed':
      return {
        kind: 'claimed',
        hold: holdOf(claim.token, invocation),
        scope: scopeOf(work, invocation.consumer),
        uniqueRequestId,
        run: (payload, { ctx }) => handle(payload, ctx),
      }
    case 'burying':
      return { kind: 'burying', hold: holdOf(claim.token, invocation) }
    case 'done':
      return { kind: 'over', as: 'duplicate' }
    case 'dead':
      return { kind: 'over', as: 'dead', reason: claim.reason }
    case 'conflict':
      return {
        kind: 'refuse',
        refusal: claim.because === 'name' ? sharedName(work, invocation) : conflict(work),
      }
    case 'refuse':
      return { kind: 'refuse', refusal: { ...refusalOf(work), death: deathOf(work) } }
    default:
      return claim
  }
}

function holdOf(token: Token, { consumer, commit }: Invocation): Hold {
  const { store, retention, clock } = consumer
  return tokenHold({ token, store, commit, retention, now: () => clock.now() })
}

function claimantOf(work: Work, invocation: Invocation, ahead: boolean): Claimant {
  const { consumer, leaseUntil, lambda } = invocation
  const { message, record } = work
  const { carried } = message.envelope
  const refusal = message.kind === 'refused' ? message.refusal : undefined
  return {
    pk: tokenKey(scopeOf(work, consumer), message.uniqueRequestId).pk,
    attemptId: invocation.nextAttemptId(),
    by: byOf(work, invocation),
    lockedBy: `${lambda.functionName}/${lambda.awsRequestId}`,
    leaseUntil,
    expectedCompletion: leaseUntil,
    maxAttempts: consumer.maxAttempts,
    payloadHash: message.payloadHash,
    trustsUnhashed: false,
    retry: carried.retry,
    death: carried.death,
    deadLetter: isDeadLetter(carried),
    refused: refusal !== undefined,
    refusal,
    seen: carried.retry > 0 || carried.death !== undefined || wasDelivered(record),
    ahead,
  }
}

function conflict(work: Work): { reason: string; error: string; death: number | undefined } {
  const error =
    `another payload came with the uniquerequestid ${work.message.uniqueRequestId} before; ` +
    `this one was neither run nor dropped`
  return { reason: 'conflict', error, death: deathOf(work) }
}

function sharedName(work: Work, { consumer, lambda }: Invocation): Refused {
  const error =
    `another function, which reads another queue, has run ${work.message.uniqueRequestId} as consumer '${consumer.name}' on the same ` +
    `table, so that this one was neither run by ${lambda.functionName} nor dropped. Give one of the two consumers another ` +
    `name and send this message back to its queue. If both are to be one consumer, set sharedName: true in both.`
  return { reason: 'conflict', error, death: deathOf(work), unnamed: true }
}

function refusalOf({ message }: Work): { reason: string; error: string } {
  if (message.kind === 'refused') return message.refusal
  return { reason: 'rejected', error: 'refused' }
}

function deathOf({ message }: Work): number | undefined {
  return message.envelope.carried.death
}
