import { PLAN_KEPT_MS, ttlAt } from '../../../base/limits/lifetime.ts'
import { isoTime } from '../../../base/time.ts'
import { outcomeOrThrow, type Item, type Store, type StoreKey } from '../../../store/store.ts'
import { loadItem } from '../../../sweeper/due/listDue.ts'
import { planName } from '../text/planName.ts'
import { type IdSet, type PlanContents, readIdSet } from './idSet.ts'
import { operationKey, operationPartition } from './operation.ts'

interface NewOperation {
  readonly action: string
  readonly args: readonly string[]
  readonly by: string
}

const idsKey = (name: string, at: number): StoreKey => ({
  pk: operationPartition(name),
  sk: `ids#${String(at).padStart(4, '0')}`,
})

/**
 * Keeps a plan. Its contents are written before the row that names them, so a plan that can be found is whole. The same plan made twice
 * has one name.
 * @throws StoreUnavailableError
 */
export async function savePlan(
  store: Store,
  { action, args, by }: NewOperation,
  contents: PlanContents,
  now: number,
): Promise<string> {
  const fingerprint = contents.fingerprint()
  const name = planName([action, args, fingerprint])
  const ttl = ttlAt(now + PLAN_KEPT_MS)
  const texts = contents.texts()
  for (const [at, text] of texts.entries()) {
    await createOrKeep(store, { ...idsKey(name, at), ids: text, ttl })
  }
  await createOrKeep(store, {
    ...operationKey(name),
    action,
    args: JSON.stringify(args),
    fingerprint,
    planned: contents.size,
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

/** The dead letters of a plan. undefined: they are not whole. @throws StoreUnavailableError */
export async function loadIds(store: Store, name: string): Promise<IdSet | undefined> {
  return loadContents(store, name, readIdSet)
}

/**
 * What a plan holds, as it was kept. undefined: it is not whole.
 * @param read of what `texts` has made
 * @throws StoreUnavailableError
 */
export async function loadContents<Contents extends PlanContents>(
  store: Store,
  name: string,
  read: (texts: readonly string[]) => Contents | undefined,
): Promise<Contents | undefined> {
  const head = await loadItem(store, operationKey(name))
  const texts: string[] = []
  for (let at = 0; at < Number(head?.['texts'] ?? 0); at++) {
    const ids = (await loadItem(store, idsKey(name, at)))?.['ids']
    if (typeof ids !== 'string') return undefined
    texts.push(ids)
  }
  const contents = read(texts)
  return contents?.fingerprint() === head?.['fingerprint'] ? contents : undefined
}
