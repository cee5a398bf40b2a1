import type { Hold } from '../../claim/hold.ts'
import { lateHold } from '../../claim/token/tokenHold.ts'
import type { Claim, ClaimedRecord, ClaimStrategy } from '../../deliver/claimStrategy.ts'
import { scopeOf, type IncomingRecord } from '../../deliver/incomingRecord.ts'
import type { Invocation } from '../../deliver/invocation.ts'
import { claimantOf, tokenStrategy } from '../../deliver/tokenStrategy.ts'
import { latestKnownTime } from '../../base/time.ts'
import { makeWrites } from './makeWrites.ts'
import { returningContext, type ReturningContext } from './returningContext.ts'

type HandleReturning = (payload: unknown, ctx: ReturningContext) => unknown

/**
 * A message that comes for the first time is run without a claim. Every other one is claimed: else a record that kills its
 * sandbox would run for ever.
 */
export function returnedStrategy(handle: HandleReturning): ClaimStrategy {
  const ordinary = tokenStrategy(() => {})
  return {
    ...ordinary,
    async claim(batch, invocation, ahead) {
      const asked = batch.map((incoming) => claimantOf(incoming, invocation, ahead))
      const isNew = asked.map(({ deliveredBefore, refused }) => !deliveredBefore && !refused)
      const others = batch.filter((_, index) => isNew[index] === false)
      const claims = others.length === 0 ? [] : await ordinary.claim(others, invocation, ahead)
      const claimOf = new Map(others.map((incoming, index) => [incoming, claims[index]]))
      return batch.map((incoming, index): Claim => {
        const claim = claimOf.get(incoming)
        if (claim !== undefined && claim.kind !== 'claimed') return claim
        const request = asked[index]
        if (request === undefined) throw new Error('more records than claims')
        const { store, retention, clock } = invocation.consumer
        const { commit } = invocation
        const hold =
          claim?.hold ?? lateHold({ request, store, commit, retention, now: () => clock.now() })
        return { ...claim, ...claimed(incoming, invocation, hold, handle) }
      })
    },
  }
}

function claimed(
  incoming: IncomingRecord,
  invocation: Invocation,
  hold: Hold,
  handle: HandleReturning,
): ClaimedRecord {
  const { store, clock } = invocation.consumer
  const { uniqueRequestId, envelope } = incoming.message
  const scope = scopeOf(incoming, invocation.consumer)
  return {
    kind: 'claimed',
    hold,
    scope,
    uniqueRequestId,
    run: async (payload, { ctx }) => {
      const given = await handle(payload, returningContext(ctx))
      if (given === undefined) return
      const now = latestKnownTime(clock.now(), envelope.enqueuedAt)
      await makeWrites(given, { store, consumer: scope, uniqueRequestId, hold }, now)
    },
  }
}
