import { itemStore } from '../claim/itemStore.ts'
import {
  claimToken,
  type Conflict,
  type TokenClaim,
  type TokenRequest,
} from '../claim/token/claimToken.ts'
import { writeOfMessage } from '../claim/token/claimWrites.ts'
import { type ClaimRequest, plausibleRetry } from '../claim/token/decideClaim.ts'
import { tokenHold } from '../claim/token/tokenHold.ts'
import { tokenKey, type Token } from '../claim/token/token.ts'
import type { RecordContext } from '../context/context.ts'
import { AFTER_LOST, type DeadLetterNotice, type Hold } from '../claim/hold.ts'
import {
  consumerNameOf,
  scopeOf,
  type IncomingRecord,
  isDeadLetter,
  receiptsOf,
} from './incomingRecord.ts'
import type { Invocation } from './invocation.ts'
import type { Claim, ClaimStrategy } from './claimStrategy.ts'

export type Handle = (payload: unknown, ctx: RecordContext) => unknown

/**
 * One lock token for each request.
 * @param more see ClaimRequest
 */
export function tokenStrategy(
  handle: Handle,
  more?: (incoming: IncomingRecord) => ClaimRequest['more'],
): ClaimStrategy {
  return {
    claimsUnread: true,
    serializationKey: ({ message }) => message.uniqueRequestId,
    claim: async (batch, invocation, ahead) => {
      const { store, clock } = invocation.consumer
      const claimants = batch.map((incoming) => ({
        ...claimantOf(incoming, invocation, ahead),
        more: more?.(incoming),
      }))
      const items = itemStore(store)
      const now = clock.now()
      const claims = await Promise.all(claimants.map((each) => claimToken(items, each, now)))
      return claims.map((claim, index) => {
        const incoming = batch[index]
        if (incoming === undefined) throw new Error('more claims than records')
        return claimOf(incoming, claim, invocation, handle)
      })
    },
  }
}

function claimOf(
  incoming: IncomingRecord,
  claim: TokenClaim,
  invocation: Invocation,
  handle: Handle,
): Claim {
  const { uniqueRequestId } = incoming.message
  switch (claim.kind) {
    case 'claimed':
      return {
        kind: 'claimed',
        hold: holdOf(claim.token, invocation, claim.isSurelyFirst),
        scope: scopeOf(incoming, invocation.consumer),
        uniqueRequestId,
        run: (payload, { ctx }) => handle(payload, ctx),
        ...(claim.afterLost && AFTER_LOST),
      }
    case 'deadLettering': {
      const { token, ...rest } = claim
      return { ...rest, hold: holdOf(token, invocation) }
    }
    case 'taken':
      return leftTo(claim.by, incoming, invocation)
    default:
      return claim
  }
}

function leftTo(by: Conflict, incoming: IncomingRecord, invocation: Invocation): Claim {
  switch (by.kind) {
    case 'conflict':
      return {
        kind: 'refuse',
        refusal: by.because === 'name' ? sharedName(incoming, invocation) : conflict(incoming),
      }
    case 'lost':
      return { kind: 'refuse', refusal: { ...LOST, death: deathOf(incoming) } }
    case 'refuse':
      return { kind: 'refuse', refusal: { ...refusalOf(incoming), death: deathOf(incoming) } }
    default:
      return by
  }
}

function holdOf(token: Token, { consumer, commit }: Invocation, isSurelyFirst = false): Hold {
  const { store, retention, clock } = consumer
  return tokenHold({ token, store, commit, retention, isSurelyFirst, now: () => clock.now() })
}

/** What the store has to know of a record to claim it. */
export function claimantOf(
  incoming: IncomingRecord,
  invocation: Invocation,
  ahead: boolean,
): TokenRequest {
  const { consumer, leaseUntil, lambda } = invocation
  const { message, record } = incoming
  const { carried } = message.envelope
  const refusal = message.kind === 'refused' ? message.refusal : undefined
  return {
    pk: tokenKey(scopeOf(incoming, consumer), message.uniqueRequestId).pk,
    attemptId: invocation.nextAttemptId(),
    by: consumerNameOf(incoming, invocation),
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
    ofMessage: writeOfMessage,
    readFirst: carried.retry > 0 || carried.death !== undefined || receiptsOf(record) > 1,
    ahead,
  }
}

function conflict(incoming: IncomingRecord): {
  reason: string
  error: string
  death: number | undefined
} {
  const error =
    `another payload came with the uniquerequestid ${incoming.message.uniqueRequestId} before; ` +
    `this one was neither run nor dropped`
  return { reason: 'conflict', error, death: deathOf(incoming) }
}

function sharedName(incoming: IncomingRecord, { consumer, lambda }: Invocation): DeadLetterNotice {
  const error =
    `another function, which reads another queue, has run ${incoming.message.uniqueRequestId} as consumer '${consumer.name}' on the same ` +
    `table, so that this one was neither run by ${lambda.functionName} nor dropped. Give one of the two consumers another ` +
    `name and send this message back to its queue. If both are to be one consumer, set sharedName: true in both.`
  return { reason: 'conflict', error, death: deathOf(incoming), unnamed: true }
}

function refusalOf({ message }: IncomingRecord): { reason: string; error: string } {
  if (message.kind === 'refused') return message.refusal
  return { reason: 'rejected', error: 'refused' }
}

const LOST = {
  reason: 'lost record',
  error:
    'an earlier attempt has had a lock token, and it is gone: deleted by hand, or by a restore. What that attempt has done is not ' +
    'known any more, so this message was not run. If it has done nothing, or that was put right: lineclear dlq redrive --force ' +
    'runs it as a new one',
}

/** A dead letter has no number of its copy, and after a retry it must not pass for a message that was never attempted. */
function deathOf({ message }: IncomingRecord): number | undefined {
  const { death, retry } = message.envelope.carried
  return death ?? (plausibleRetry(retry) > 0 ? 1 : undefined)
}
