import type { DueKey, DueOutcome, DueQuery, Item } from '../store.ts'

/** Lists items in the order of the index: by time, and items of the same time by their keys. */
export function due(
  items: readonly Item[],
  { statusShard, from = 0, until, most, after }: DueQuery,
): DueOutcome {
  const listed = items
    .filter((item) => item['statusShard'] === statusShard)
    .flatMap(asListed)
    .filter(({ dueAt }) => dueAt >= from && dueAt <= until)
    .toSorted((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1))
    .filter((each) => after === undefined || placeOf(each) > after)
  const page = listed.slice(0, most)
  const last = page.at(-1)
  const next = last === undefined || listed.length === page.length ? undefined : placeOf(last)
  return { kind: 'found', keys: page, next }
}

function asListed({ pk, sk, dueAt }: Item): DueKey[] {
  const isListed = typeof pk === 'string' && typeof sk === 'string' && typeof dueAt === 'number'
  return isListed ? [{ pk, sk, dueAt }] : []
}

const DIGITS = 16

function placeOf({ pk, sk, dueAt }: DueKey): string {
  return `${String(dueAt).padStart(DIGITS, '0')} ${pk} ${sk}`
}
