import { renewKey } from '../claim/token/endKey.ts'
import { LEASE_MARGIN_MS } from '../claim/lease.ts'
import { wasWritten } from '../claim/token/settleWrites.ts'
import type { KeyClaim } from '../claim/token/claimKey.ts'
import type { Token } from '../claim/token/token.ts'
import type { KeyConfig } from './keyConfig.ts'

/** A renewal after each third of the lease: two renewals may fail before the lease ends. */
const SHARE_OF_LEASE = 1 / 3

/**
 * Renews the lease of a key for as long as its function runs, when the time left to the process is not known. A lease that has
 * already ended is not renewed: a process that was frozen that long cannot know whether another attempt has claimed the key. If
 * one has, the end of this attempt is refused.
 * @param lease milliseconds from each renewal on
 * @returns stops the renewal
 */
export function renewLease(
  { store, clock, logger }: KeyConfig,
  { token, item }: Pick<Extract<KeyClaim, { kind: 'claimed' }>, 'token' | 'item'>,
  lease: number,
): () => void {
  const isListed = item['statusShard'] !== undefined
  const over = new AbortController()
  const length = lease + LEASE_MARGIN_MS
  const beat = async (held: Token): Promise<void> => {
    await clock.sleep(length * SHARE_OF_LEASE, over.signal, true)
    const now = clock.now()
    if (over.signal.aborted || now >= held.leaseUntil) return
    const update = renewKey(held, {
      leaseUntil: now + length,
      expectedCompletion: now + lease,
      isListed,
    })
    const [outcome] = await store.update([update])
    if (outcome === undefined || outcome.kind === 'failed') return beat(held)
    if (wasWritten(outcome, update, held)) return beat({ ...held, leaseUntil: now + length })
    if (!over.signal.aborted)
      logger.warn('another attempt holds the key now', { lockToken: token.pk })
  }
  beat(token).catch(() => {})
  return () => over.abort()
}
