import {
  claimAsSeen,
  claimKey,
  type KeyConflict,
  type KeyClaim,
  type KeyRequest,
} from '../claim/token/claimKey.ts'
import type { Clock } from '../clock.ts'
import type { Store } from '../store/store.ts'

const FIRST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 1_000
const GROWTH = 1.5

export interface WaitConfig {
  readonly store: Store
  readonly clock: Clock
  readonly chance: () => number
}

/**
 * Claims the key, or waits for the call that holds it to end, and looks once more when the time is over. A read costs half
 * of what a refused write does; it may be a second behind, and then the write decides.
 * @param request made anew for each look: the lease counts from then.
 * @param start when the caller came, epoch milliseconds.
 * @param maxWait milliseconds, from then on.
 */
export async function claimOrWait(
  { store, clock, chance }: WaitConfig,
  request: (now: number) => KeyRequest,
  start: number,
  maxWait: number,
): Promise<KeyClaim> {
  let claim = await claimKey(store, request(start), start)
  let pause = FIRST_PAUSE_MS
  for (let left = maxWait; isRunning(claim) && left > 0; left = start + maxWait - clock.now()) {
    await clock.sleep(Math.min(pause * (0.5 + chance()), left))
    pause = Math.min(pause * GROWTH, LONGEST_PAUSE_MS)
    const now = clock.now()
    const key = request(now)
    const [seen] = await store.read([{ pk: key.pk, sk: 'token' }])
    if (seen !== undefined) claim = await claimAsSeen(store, key, seen, now)
  }
  return claim
}

function isRunning(claim: KeyClaim): boolean {
  return claim.kind === 'taken' && runsUntil(claim.by) !== undefined
}

/** Epoch milliseconds; undefined: it has ended. */
export function runsUntil(by: KeyConflict): number | undefined {
  switch (by.kind) {
    case 'held':
    case 'early':
      return by.until
    case 'deadLetter':
      return by.token.leaseUntil
    case 'replaced':
    case 'refuse':
      return 0
    case 'reopen':
    case 'done':
    case 'dead':
    case 'conflict':
      return undefined
  }
}
