import { type DeadLetterNotice, AFTER_LOST } from '../../protocol/claim/hold.ts'
import { itemStore } from '../../protocol/claim/itemStore.ts'
import {
  claimToken,
  type Conflict,
  type TokenClaim,
  type TokenRequest,
} from '../../protocol/claim/token/claimToken.ts'
import { writeOfMessage } from '../../protocol/claim/token/claimWrites.ts'
import { plausibleRetry } from '../../protocol/claim/token/decideClaim.ts'
import { tokenKey } from '../../protocol/claim/token/token.ts'
import { tokenHold } from '../../protocol/claim/token/tokenHold.ts'
import type { RecordContext } from '../context/context.ts'
import type { LineclearAttributes } from '../../protocol/record/envelope/envelope.ts'
import type { Claim, ClaimStrategy } from './claimStrategy.ts'
import { type IncomingRecord, receiptsOf, scopeOf } from './readRecord.ts'
import { consumerNameOf, type Invocation } from './invocation.ts'

export type Handle = (payload: unknown, ctx: RecordContext) => unknown

/** One lock token for each request. */
export function tokenStrategy(handle: Handle): ClaimStrategy {
  return {
    claimsUnread: true,
    serializationKey: ({ message }) => message.uniqueRequestId,
    claim: (batch, invocation, ahead) => {
      const { store, clock } = invocation.consumer
      const items = itemStore(store)
      const now = clock.now()
      return Promise.all(
        batch.map(async (incoming) => {
          const claim = await claimToken(items, claimantOf(incoming, invocation, ahead), now)
          return claimOf(incoming, claim, invocation, handle)
        }),
      )
    },
  }
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
    by: consumerNameOf(invocation),
    lockedBy: `${lambda.functionName}/${lambda.awsRequestId}`,
    leaseUntil,
    expectedCompletion: leaseUntil,
    maxAttempts: consumer.maxAttempts,
    payloadHash: message.payloadHash,
    trustsUnhashed: false,
    resendNumber: carried.resendNumber,
    death: carried.death,
    deadLetter: isDeadLetter(carried),
    refused: refusal !== undefined,
    refusal,
    isTold: consumer.onFailure !== undefined,
    ofMessage: writeOfMessage,
    readFirst:
      carried.resendNumber > 0 ||
      carried.death !== undefined ||
      // @protects a redelivered record is read before it is claimed
      // @without false
      receiptsOf(record) > 1,
    ahead,
  }
}

/** Whether it is a dead letter, and not a copy of one that was sent for a retry. */
function isDeadLetter({ reason, resendNumber }: LineclearAttributes): boolean {
  return reason !== undefined && resendNumber === 0
}

function claimOf(
  incoming: IncomingRecord,
  claim: TokenClaim,
  { consumer, lambda, commit }: Invocation,
  handle: Handle,
): Claim {
  const { store, retention, clock } = consumer
  const { uniqueRequestId } = incoming.message
  const parts = { store, commit, retention, now: () => clock.now() }
  switch (claim.kind) {
    case 'claimed': {
      const { token, isSurelyFirst, afterLost } = claim
      // @protects onFailure runs after a death, not the handler
      // @without false
      const isEnding = token.status === 'ending'
      return {
        kind: 'claimed',
        hold: tokenHold({ ...parts, token, isSurelyFirst }),
        scope: scopeOf(incoming, consumer),
        uniqueRequestId,
        run: (payload, { ctx }) => handle(payload, ctx),
        ...(isEnding && { afterDeath: { ...parts, token } }),
        ...(afterLost && AFTER_LOST),
      }
    }
    case 'deadLettering': {
      const { token, ...rest } = claim
      return { ...rest, hold: tokenHold({ ...parts, token }) }
    }
    case 'taken':
      return leftTo(claim.by, incoming, consumer.name, lambda.functionName)
    default:
      return claim
  }
}

/** A function of its own: what the hold closes over must not keep the message. */
function leftTo(by: Conflict, incoming: IncomingRecord, name: string, lambda: string): Claim {
  const id = incoming.message.uniqueRequestId
  const refused = (why: DeadLetterNotice): Claim => ({
    kind: 'refuse',
    refusal: { ...why, death: deathOf(incoming) },
  })
  if (by.kind === 'lost') return refused(LOST)
  if (by.kind === 'refuse') return refused(refusalOf(incoming))
  if (by.kind !== 'conflict') return by
  return refused(by.because === 'name' ? takenByNamesake(id, name, lambda) : otherPayload(incoming))
}

/** A dead letter has no number of its copy, and after a retry it must not pass for a message that was never attempted. */
function deathOf({ message }: IncomingRecord): number | undefined {
  const { death, resendNumber } = message.envelope.carried
  return (
    death ??
    // @protects the dead letter of a lost retry is no first time either
    // @without undefined
    (plausibleRetry(resendNumber) > 0 ? 1 : undefined)
  )
}

function refusalOf({ message }: IncomingRecord): DeadLetterNotice {
  return message.kind === 'refused' ? message.refusal : { reason: 'rejected', error: 'refused' }
}

function otherPayload({ message }: IncomingRecord): DeadLetterNotice {
  const unread = message.kind === 'refused' ? `. It cannot be read: ${message.refusal.error}` : ''
  return {
    reason: 'conflict',
    error:
      `another payload came with the uniquerequestid ${message.uniqueRequestId} before; this one was neither run nor ` +
      `dropped${unread}`,
  }
}

function takenByNamesake(id: string, name: string, lambda: string): DeadLetterNotice {
  const error =
    `another function, which reads another queue, has run ${id} as consumer '${name}' on the same ` +
    `table, so that this one was neither run by ${lambda} nor dropped. Give one of the two consumers another ` +
    'name and send this message back to its queue.'
  return { reason: 'conflict', error, unnamed: true }
}

const LOST: DeadLetterNotice = {
  reason: 'lost record',
  error:
    'an earlier attempt has had a lock token, and it is gone: deleted by hand, or by a restore. What that attempt has done is not ' +
    'known any more, so this message was not run. If it has done nothing, or that was put right: lineclear dlq redrive --force ' +
    'runs it as a new one',
}
