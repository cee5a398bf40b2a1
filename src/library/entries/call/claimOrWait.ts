import { claimKey, type KeyClaim, type KeyRequest } from '../../protocol/claim/token/claimKey.ts'
import type { Conflict } from '../../protocol/claim/token/claimToken.ts'
import type { Clock } from '../../base/clock.ts'
import type { Store } from '../../protocol/store/store.ts'

const FIRST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 1_000
const GROWTH = 1.5

interface WaitConfig {
  readonly store: Store
  readonly clock: Clock
  /** 0 to 1. Varies the pauses: callers that wait for one key would otherwise all read it at the same time. */
  readonly random: () => number
}

interface WaitingClaim {
  /** Called for each try, because the lease counts from `now`. */
  readonly request: (now: number) => KeyRequest
  /** Epoch milliseconds. */
  readonly calledAt: number
  /** Milliseconds from `calledAt`. */
  readonly maxWait: number
}

/**
 * Claims the key. While another call holds it, polls with backoff until that call ends or `maxWait` is over. It polls by
 * reading, which costs half of a refused write; the read may be a second old, and then the conditional write decides.
 */
export async function claimOrWait(
  { store, clock, random }: WaitConfig,
  { request, calledAt, maxWait }: WaitingClaim,
): Promise<KeyClaim> {
  let claim = await claimKey(store, request(calledAt), calledAt)
  let pause = FIRST_PAUSE_MS
  for (let left = maxWait; isRunning(claim) && left > 0; left = calledAt + maxWait - clock.now()) {
    await clock.sleep(Math.min(pause * (0.5 + random()), left))
    pause = Math.min(pause * GROWTH, LONGEST_PAUSE_MS)
    const now = clock.now()
    claim = await claimKey(store, request(now), now, true)
  }
  return claim
}

function isRunning(claim: KeyClaim): boolean {
  return claim.kind === 'taken' && runsUntil(claim.by) !== undefined
}

/** When the lease of the running call ends, epoch milliseconds. undefined: the call has ended. */
export function runsUntil(by: Conflict): number | undefined {
  switch (by.kind) {
    case 'held':
    case 'early':
      return by.until
    case 'replaced':
      return 0
    case 'over':
    case 'conflict':
    case 'refuse':
    case 'lost':
      return undefined
  }
}
