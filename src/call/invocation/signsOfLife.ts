import { LEASE_MARGIN_MS } from '../../claim/lease.ts'
import { showAlive } from '../../claim/token/endKey.ts'
import type { FencedCall } from '../../claim/token/decideClaim.ts'
import type { HeldCall } from '../callEffects.ts'
import { readHttpEvent } from '../http/httpEvent.ts'

/**
 * Milliseconds for which a holder counts as alive after its claim and after each sign of life. With the margin for clock
 * differences it is less than the minute after which Lambda retries an asynchronous invocation.
 */
const ALIVE_MS = 30_000
/** Two signs of life may fail before the holder counts as dead. */
const BEAT_MS: number = ALIVE_MS / 3

/** An API never retries an invocation: its clients do, with requests of their own. */
export function fencedCall(
  { event, lambda }: Pick<HeldCall, 'event' | 'lambda'>,
  now: number,
): FencedCall {
  const canBeRetried = lambda?.awsRequestId !== undefined && readHttpEvent(event) === undefined
  return { aliveUntil: canBeRetried ? aliveFrom(now) : undefined }
}

function aliveFrom(now: number): number {
  return now + ALIVE_MS + LEASE_MARGIN_MS
}

/**
 * Tells a retry of the same Lambda request that this attempt still runs: one write for every ten seconds.
 * @param lost called when another attempt has the key
 * @returns stops it
 */
export function showSignsOfLife({ config, held }: HeldCall, lost: () => void): () => void {
  const { store, clock } = config
  const over = new AbortController()
  const beat = async (): Promise<void> => {
    await clock.sleep(BEAT_MS, over.signal, true)
    if (over.signal.aborted) return
    const [outcome] = await store.update([showAlive(held.token, aliveFrom(clock.now()))])
    if (outcome?.kind !== 'refused') return beat()
    if (!over.signal.aborted) lost()
  }
  if (held.token.aliveUntil !== undefined) beat().catch(() => {})
  return () => over.abort()
}
