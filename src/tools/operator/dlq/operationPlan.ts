import { hash } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import { PLAN_KEPT_MS, ttlAt } from '../../../library/base/limits/lifetime.ts'
import { isoTime } from '../../../library/base/time.ts'
import {
  outcomeOrThrow,
  type Item,
  type Store,
  type StoreKey,
} from '../../../library/protocol/store/store.ts'
import { loadItem } from '../../../library/entries/sweeper/due/listDue.ts'
import { planName } from '../text/planName.ts'
import { type BulkOperation, operationKey, operationPartition } from './operation.ts'

const idsKey = (name: string, at: number): StoreKey => ({
  pk: operationPartition(name),
  sk: `ids#${String(at).padStart(4, '0')}`,
})

/** Before gzip and base64: ids that cannot be compressed take 320,000 of the 400 KB that an item of DynamoDB may have. */
const BYTES_PER_TEXT = 240_000

/**
 * Keeps a plan. What it would change is written before the row that names it, so a plan that can be found is whole. The same plan made
 * twice has one name, in whatever order its entries were found.
 * @throws StoreUnavailableError
 */
export async function savePlan(
  store: Store,
  { action, args, by }: Pick<BulkOperation, 'action' | 'args' | 'by'>,
  entries: readonly object[],
  now: number,
): Promise<string> {
  const lines = [...new Set(entries.map((each) => JSON.stringify(each)))].toSorted()
  const fingerprint = fingerprintOf(lines)
  const name = planName([action, args, fingerprint])
  const ttl = ttlAt(now + PLAN_KEPT_MS)
  const texts = [...textsOf(lines)]
  for (const [at, text] of texts.entries()) {
    await createOrKeep(store, { ...idsKey(name, at), ids: text, ttl })
  }
  await createOrKeep(store, {
    ...operationKey(name),
    action,
    args: JSON.stringify(args),
    fingerprint,
    planned: lines.length,
    texts: texts.length,
    state: 'planned',
    done: 0,
    at: isoTime(now),
    by,
    ttl,
  })
  return name
}

/** An item that is there is of the same plan; it only has to stay for as long as a new one. */
async function createOrKeep(store: Store, item: Item & StoreKey & { ttl: number }): Promise<void> {
  const created = outcomeOrThrow(await store.create([item]))
  if (created.kind === 'applied') return
  const { pk, sk, ttl } = item
  outcomeOrThrow(await store.update([{ key: { pk, sk }, where: [{ exists: 'pk' }], set: { ttl } }]))
}

/** What a plan would change, as it was kept. undefined: it is not whole. @throws StoreUnavailableError */
export async function loadPlan<Entry>(
  store: Store,
  name: string,
): Promise<readonly Entry[] | undefined> {
  const head = await loadItem(store, operationKey(name))
  const lines: string[] = []
  for (let at = 0; at < Number(head?.['texts'] ?? 0); at++) {
    const ids = (await loadItem(store, idsKey(name, at)))?.['ids']
    lines.push(...linesIn(ids))
  }
  if (fingerprintOf(lines) !== head?.['fingerprint']) return undefined
  return lines.map((line) => JSON.parse(line) as Entry)
}

function fingerprintOf(lines: readonly string[]): string {
  return hash('sha256', lines.join('\n'), 'hex')
}

function* textsOf(lines: readonly string[]): Generator<string> {
  let together: string[] = []
  let bytes = 0
  for (const line of lines) {
    const length = Buffer.byteLength(line) + 1
    if (bytes + length > BYTES_PER_TEXT && together.length > 0) {
      yield packed(together)
      together = []
      bytes = 0
    }
    together.push(line)
    bytes += length
  }
  if (together.length > 0) yield packed(together)
}

function packed(lines: readonly string[]): string {
  return gzipSync(lines.join('\n')).toString('base64')
}

/** The lines of a packed text; none of a damaged one: then the fingerprint is another one, and the plan is refused. */
function linesIn(text: unknown): readonly string[] {
  try {
    return gunzipSync(Buffer.from(String(text), 'base64'))
      .toString()
      .split('\n')
  } catch {
    return []
  }
}
