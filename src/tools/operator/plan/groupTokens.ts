import type { Store } from '../../../library/protocol/store/store.ts'
import { displayId, splitId } from '../text/itemId.ts'
import { unknownCalls, unknownOutcomes } from '../explain/tokenState.ts'
import { readToken, type Token } from '../../../library/protocol/claim/token/token.ts'
import { errorShape, groupName } from '../text/errorShape.ts'
import { readItems, itemIn } from '../../../library/entries/sweeper/due/listDue.ts'
import { timeIn } from '../text/humanTime.ts'
import { listOpen, type TaskEntry, together } from '../tasks/openEntries.ts'

/** Requests or keys that wait for an operator for one reason, with one error. */
export interface TokenGroup {
  readonly group: string
  readonly count: number
  /** Consumer, or the name of a key. */
  readonly of: string
  readonly reason: string
  readonly error: string
  /** Names of the calls whose outcome is unknown. */
  readonly calls: readonly string[]
  /** What `--not-done` of a release has to name. */
  readonly notDone: readonly string[]
  /** Epoch milliseconds; undefined: not known. */
  readonly oldest: number | undefined
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

interface ParkedToken {
  readonly token: Token
  /** As that of its dead letter: of the same consumer, reason and error. */
  readonly group: string
  /** Consumer, or the name of a key. */
  readonly of: string
  readonly reason: string
  /** The error without ids and numbers, with `…` where it was cut. */
  readonly shape: string
  /** When it was claimed last, epoch milliseconds. */
  readonly since: number | undefined
}

/** Queries of the status index, and one consistent read of each item. @throws StoreUnavailableError */
export async function* listParked(store: Store): AsyncGenerator<ParkedToken> {
  const open = listOpen(store, { statuses: ['unknown', 'error'] })
  const pages = together(open, ({ key }) => key.sk === 'token')
  for await (const entries of pages) yield* readAll(store, entries)
}

async function* readAll(store: Store, entries: readonly TaskEntry[]): AsyncGenerator<ParkedToken> {
  if (entries.length === 0) return
  const items = await readItems(
    store,
    entries.map(({ key: { pk, sk } }) => ({ pk, sk })),
  )
  for (const seen of items) {
    const item = itemIn(seen)
    const token = item && readToken(item)
    // The index may be a second old.
    if (token === undefined || (token.status !== 'unknown' && token.status !== 'error')) continue
    const of = splitId(token.pk).owner
    const reason = token.reason ?? token.status
    const { shape, shown } = errorShape(token.error ?? '')
    const since = timeIn(item?.['created'])
    yield { token, group: groupName(of, reason, shape), of, reason, shape: shown, since }
  }
}
