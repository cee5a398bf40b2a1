import { readToken, type Token } from '../../../claim/token/token.ts'
import type { Store } from '../../../store/store.ts'
import { splitId } from '../../../sweeper/address.ts'
import { errorShape, groupName } from '../dlq/index.ts'
import { loadItems } from '../../../sweeper/due/listDue.ts'
import { listOpen, type OpenEntry } from '../tasks/openEntries.ts'

/** A request or a key that waits for an operator. */
export interface ParkedToken {
  readonly token: Token
  /** As that of its dead letter: of the same consumer, reason and error. */
  readonly group: string
  /** Consumer or scope. */
  readonly of: string
  readonly reason: string
  /** The error without ids and numbers, with `…` where it was cut. */
  readonly shape: string
  /** When it was claimed last, epoch milliseconds. */
  readonly since: number | undefined
}

const READ_TOGETHER = 100

/** Queries of the status index, and one consistent read of each item. @throws StoreUnavailableError */
export async function* listParked(store: Store): AsyncGenerator<ParkedToken> {
  let together: OpenEntry[] = []
  for await (const entry of listOpen(store, { statuses: ['unknown', 'error'] })) {
    if (entry.key.sk !== 'token') continue
    together.push(entry)
    if (together.length < READ_TOGETHER) continue
    yield* readAll(store, together)
    together = []
  }
  yield* readAll(store, together)
}

async function* readAll(store: Store, entries: readonly OpenEntry[]): AsyncGenerator<ParkedToken> {
  if (entries.length === 0) return
  const items = await loadItems(
    store,
    entries.map(({ key: { pk, sk } }) => ({ pk, sk })),
  )
  for (const item of items) {
    const token = item && readToken(item)
    // The index may be a second old.
    if (token === undefined || (token.status !== 'unknown' && token.status !== 'error')) continue
    const of = splitId(token.pk).owner
    const reason = token.reason ?? token.status
    const { shape, shown } = errorShape(token.error ?? '')
    const since = typeof item?.['created'] === 'string' ? Date.parse(item['created']) : undefined
    yield { token, group: groupName(of, reason, shape), of, reason, shape: shown, since }
  }
}
