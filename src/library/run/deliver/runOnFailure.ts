import { TerminalError } from '../../base/errors.ts'
import { STARTED } from '../../protocol/claim/hold.ts'
import { actHold } from '../../protocol/claim/token/actHold.ts'
import { nameOfEnd, type Token } from '../../protocol/claim/token/token.ts'
import type { TokenHoldParts } from '../../protocol/claim/token/tokenHold.ts'
import type { FailureEnd, MadeEffect } from '../context/failureEnd.ts'
import { shortKey } from '../context/outsideCalls.ts'
import { readResult } from '../context/results.ts'
import type { ClaimedRecord } from './claimStrategy.ts'
import type { Consumer } from './consumer.ts'
import { type IncomingRecord, scopeOf } from './readRecord.ts'

/** The second act of a request that was dead-lettered: `onFailure` in place of the handler, on the same token. */
export function actOf(
  incoming: IncomingRecord,
  parts: TokenHoldParts,
  consumer: Consumer,
): ClaimedRecord {
  const { token } = parts
  const { uniqueRequestId, envelope } = incoming.message
  const scope = scopeOf(incoming, consumer)
  return {
    kind: 'claimed',
    hold: actHold(parts),
    scope: `${scope}/end ${nameOfEnd(token)}`,
    uniqueRequestId,
    runsUnread: true,
    run: async (payload, { ctx }) => {
      const { maxAttempts, onFailure } = consumer
      if (token.attempt > maxAttempts) throw silent(maxAttempts)
      const made = await madeBy(token, consumer)
      const request = { uniqueRequestId, consumer: scope }
      return onFailure?.(payload, ctx, endOf(token, envelope.body, made, request))
    },
  }
}

/** The last attempts at it were killed, or ran out of time. */
function silent(attempts: number): TerminalError {
  return new TerminalError(`the last of ${attempts} attempts at onFailure ended without an answer`)
}

function endOf(
  { reason = 'exhausted', error = '', death, ending }: Token,
  text: string,
  made: readonly MadeEffect[],
  request: { readonly uniqueRequestId: string; readonly consumer: string },
): FailureEnd {
  return {
    as: ending?.dropped === true ? 'dropped' : 'dead',
    reason,
    error,
    final: ending?.final === true,
    attempts: ending?.attempts ?? 0,
    deaths: death,
    text,
    made,
    keyOf: (name, options) => shortKey('end.keyOf', request, name, options),
  }
}

async function madeBy(
  { applied, calls }: Token,
  { offload, clock }: Consumer,
): Promise<readonly MadeEffect[]> {
  const made = [...calls].map(async ([name, stored]): Promise<MadeEffect> => {
    if (stored === STARTED) return { name, kind: 'call', outcome: 'unknown' }
    const kept = await readResult({ store: offload, clock }, name, stored)
    const result = kept.kind === 'result' ? { result: kept.result } : {}
    return { name, kind: 'call', outcome: 'made', ...result }
  })
  const writes = [...applied].map((name): MadeEffect => ({ name, kind: 'write', outcome: 'made' }))
  return [...writes, ...(await Promise.all(made))]
}
