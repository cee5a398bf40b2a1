import { type WriteOutcome, type Failed } from '../../protocol/store/store.ts'
import { renewKey } from '../../protocol/claim/token/endKey.ts'
import { LEASE_MARGIN_MS, LONGEST_TIMER_MS } from '../../protocol/claim/lease.ts'
import { wasWritten } from '../../protocol/claim/token/settleWrites.ts'
import type { KeyClaim } from '../../protocol/claim/token/claimKey.ts'
import type { Token } from '../../protocol/claim/token/token.ts'
import type { KeyConfig } from './keyConfig.ts'
import type { CallLease } from './readCall.ts'

/** A renewal after each third of the lease: two renewals may fail before the lease ends. */
const SHARE_OF_LEASE = 1 / 3
/** Between two tries, milliseconds. */
const PAUSE_MS = 1_000

/**
 * Renews the lease of a key for as long as its function runs. Lambda kills a sandbox whose time is over, but Managed Instances let
 * the code run on, beside the next attempt. Where the time is known, the first renewal comes in the middle of the margin, after
 * Lambda would have killed it, so that the lease of a dead attempt is never prolonged.
 *
 * Each renewal is conditional on this attempt and on the lease that it knows: a busy process may renew a lease that has just ended,
 * as long as no other attempt has claimed the key. Where the time is not known, renewals come long before the lease ends. A process
 * that misses all of them was frozen, and leaves the key to the next caller.
 * @returns stops the renewal
 */
export function renewLease(
  { store, clock, logger }: KeyConfig,
  { token, item }: Pick<Extract<KeyClaim, { kind: 'claimed' }>, 'token' | 'item'>,
  { endsAt, renewedMs }: CallLease,
): () => void {
  const isListed = item['statusShard'] !== undefined
  const lockToken = token.pk
  const over = new AbortController()
  const length = renewedMs + LEASE_MARGIN_MS
  const share = length * SHARE_OF_LEASE
  const beat = async (held: Token, wait: number): Promise<void> => {
    await clock.sleep(
      // @protects a lease of months is not renewed without a pause
      // @without wait
      Math.min(wait, LONGEST_TIMER_MS),
      over.signal,
      true,
    )
    if (over.signal.aborted) return
    const now = clock.now()
    // @protects a holder whose lease has ended does not renew it
    if (endsAt === undefined && now >= held.leaseUntil) return
    const leaseUntil = now + length
    const update = renewKey(held, { leaseUntil, expectedCompletion: now + renewedMs, isListed })
    const [outcome] = await store.update([update])
    if (outcome === undefined || outcome.kind === 'failed')
      return beat(held, Math.min(share, PAUSE_MS))
    if (!wasWritten(outcome, update, held)) {
      if (!over.signal.aborted) logger.warn(refusedBy(outcome), { lockToken })
      return
    }
    if (held === token && endsAt !== undefined) logger.warn(RUNS_ON, { lockToken })
    return beat({ ...held, leaseUntil }, share)
  }
  const first = endsAt === undefined ? share : token.leaseUntil - LEASE_MARGIN_MS / 2 - clock.now()
  beat(token, first).catch(() => {})
  return () => over.abort()
}

const RUNS_ON =
  'the time of the invocation is over, and its function still runs: its key stays locked until the function has ended'

function refusedBy(outcome: Exclude<WriteOutcome, Failed>): string {
  if (outcome.kind === 'notKnown') return outcome.error.message
  return outcome.item === undefined
    ? 'the key was deleted while its function runs: the next caller runs it again'
    : 'another attempt holds the key now'
}
