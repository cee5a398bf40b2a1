import type { Store } from '../../../store/store.ts'
import { displayId } from '../../../sweeper/address.ts'
import { unknownCalls } from '../explain/tokenState.ts'
import { unknownOutcomes } from '../explain/unknownOutcomes.ts'
import { listParked, type ParkedToken } from './parkedTokens.ts'

/** Requests or keys that wait for an operator for one reason, with one error. */
interface TokenGroup {
  readonly group: string
  readonly count: number
  /** Consumer or scope. */
  readonly of: string
  readonly reason: string
  readonly error: string
  /** Names of the calls whose outcome is unknown. */
  readonly calls: readonly string[]
  /** What `--not-done` of a release has to name. */
  readonly notDone: readonly string[]
  /** Epoch milliseconds; undefined: not known. */
  readonly oldest: number | undefined
  /** One of them. */
  readonly example: string
}

/** The largest first. @throws StoreUnavailableError */
export async function groupTokens(store: Store): Promise<readonly TokenGroup[]> {
  const groups = new Map<string, TokenGroup>()
  for await (const parked of listParked(store)) {
    groups.set(parked.group, addTo(groups.get(parked.group), parked))
  }
  return [...groups.values()].toSorted((one, other) => other.count - one.count)
}

function addTo(known: TokenGroup | undefined, parked: ParkedToken): TokenGroup {
  const { token, group, of, reason, shape: error, since } = parked
  return {
    group,
    count: (known?.count ?? 0) + 1,
    of,
    reason,
    error,
    calls: [...new Set([...(known?.calls ?? []), ...unknownCalls(token)])],
    notDone: [...new Set([...(known?.notDone ?? []), ...unknownOutcomes(token)])],
    oldest: since === undefined ? known?.oldest : Math.min(known?.oldest ?? since, since),
    example: known?.example ?? displayId(token.pk),
  }
}
