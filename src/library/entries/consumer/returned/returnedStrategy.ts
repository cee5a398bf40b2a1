import type { Hold } from '../../../protocol/claim/hold.ts'
import { claimedWhenItFails } from '../../../protocol/claim/token/tokenHold.ts'
import type { Claim, ClaimedRecord, ClaimStrategy } from '../../../run/deliver/claimStrategy.ts'
import { scopeOf, type IncomingRecord } from '../../../run/deliver/readRecord.ts'
import type { Invocation } from '../../../run/deliver/invocation.ts'
import { claimantOf, tokenStrategy } from '../../../run/deliver/tokenStrategy.ts'
import { latestKnownTime } from '../../../base/time.ts'
import { checkWrites } from '../../../run/context/guard/checkWrite.ts'
import type { EffectScope } from '../../../run/context/effectScope.ts'
import { writeOnce } from '../../../run/context/writeCalls.ts'
import { StaleError, ConfigError } from '../../../base/errors.ts'
import type { RecordContext } from '../../../run/context/context.ts'

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
      const isNew = asked.map(
        ({ readFirst, refused }) =>
          // @protects a record that came before is claimed before it runs
          !readFirst && !refused,
      )
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
          claim?.hold ??
          claimedWhenItFails({ request, store, commit, retention, now: () => clock.now() })
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

/** Names the writes in the token of a request that was claimed before they were made. */
const MARK = 'returned'

/**
 * Makes what a handler has returned, once.
 * @throws ConfigError when it is not a write; StaleError when a guard does not hold: nothing is written then, now or later
 */
async function makeWrites(given: unknown, scope: EffectScope, now: number): Promise<void> {
  const writes = checkWrites('the handler of writeHandler returned', given)
  const written = await writeOnce(scope, MARK, writes, now)
  // @protects a guard that does not hold ends the request as stale
  // @without true
  if (written.applied) return
  const { index, table, reason } = written
  throw new StaleError(
    `the guard of write ${index} on table ${JSON.stringify(table)} does not hold (${reason}); nothing was written`,
  )
}

/**
 * The `ctx` of {@link writeHandler}: what has no effect. Another call of `ctx` throws a ConfigError.
 * @example
 * const write = async (order: Order, ctx: ReturningContext) => ({
 *   TableName: 'orders', Key: { orderId: order.orderId }, put: { ...order, seen: ctx.sentAt },
 * })
 */
export type ReturningContext = Pick<
  RecordContext,
  | ('uniqueRequestId' | 'sentAt' | 'attempt' | 'envelope' | 'signal' | 'logger')
  | ('lambda' | 'remainingTime' | 'idempotencyKey' | 'get')
>

/** The members without an effect, each by its name: a new effect must not pass for one of them. */
function withoutEffects(ctx: RecordContext): ReturningContext {
  const { uniqueRequestId, sentAt, attempt, envelope } = ctx
  const { signal, logger, lambda, remainingTime, idempotencyKey, get } = ctx
  const about = { uniqueRequestId, sentAt, attempt, envelope }
  return { ...about, signal, logger, lambda, remainingTime, idempotencyKey, get }
}

/** From JavaScript the other members can be used. Nothing is done by then, so each of them says so. */
function returningContext(ctx: RecordContext): ReturningContext {
  const allowed = withoutEffects(ctx)
  const refusing = Object.entries(ctx)
    .filter(([name]) => !(name in allowed))
    .map(([name, value]) => {
      const said = (): never => refuse(name)
      return [name, typeof value === 'function' ? { value: said } : { get: said }] as const
    })
  return Object.freeze(
    // @protects a handler without a claim has no effect of its own
    // @without { ...ctx }
    Object.defineProperties({ ...allowed }, Object.fromEntries(refusing)),
  )
}

function refuse(name: string): never {
  throw new ConfigError(
    `ctx.${name}: a handler of writeHandler has no effects but the writes that it returns; nothing was done. Return the write, ` +
      `or make the handler with recordHandler.`,
  )
}
