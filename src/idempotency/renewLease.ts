import { renewKey } from '../claim/token/endKey.ts'
import { LEASE_MARGIN_MS } from '../claim/token/lease.ts'
import { wasWritten } from '../claim/token/settleWrites.ts'
import type { Token } from '../claim/token/token.ts'
import type { KeyConfig } from './keyConfig.ts'

/** Three chances before the lease is over. */
const SHARE_OF_LEASE = 1 / 3

/**
 * Holds the key for as long as its work runs, where nobody can tell beforehand how long that is. Not when the lease is over
 * already: a process that was frozen for so long does not know who has begun meanwhile, and its end is refused when somebody has.
 * @param lease milliseconds, from each renewal on.
 * @returns stops it.
 */
export function renewLease(
  { store, clock, logger }: KeyConfig,
  token: Token,
  lease: number,
): () => void {
  const over = new AbortController()
  const length = lease + LEASE_MARGIN_MS
  const beat = async (held: Token): Promise<void> => {
    await clock.sleep(length * SHARE_OF_LEASE, over.signal, true)
    const now = clock.now()
    if (over.signal.aborted || now >= held.leaseUntil) return
    const update = renewKey(held, now + length, now + lease)
    const [outcome] = await store.update([update])
    if (outcome === undefined || outcome.kind === 'failed') return beat(held)
    if (wasWritten(outcome, update, held)) return beat({ ...held, leaseUntil: now + length })
    if (!over.signal.aborted)
      logger.warn('another attempt has the key now', { lockToken: token.pk })
  }
  beat(token).catch(() => {})
  return () => over.abort()
}
