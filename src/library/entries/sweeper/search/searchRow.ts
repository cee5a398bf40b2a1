import type { Condition, Item, StoreKey, Update } from '../../../protocol/store/store.ts'

/** A turn of the search through the whole table. Times are epoch milliseconds. */
interface Turn {
  readonly begun: number
  /** Items that were looked at, and how many of them were lost and not listed. */
  readonly looked: number
  readonly found: number
}

/** Progress of the search: a sweeper continues where another one has stopped. */
export interface SearchRow {
  readonly turn: Turn
  /** The item behind which the turn continues to read. undefined: it has not begun to read, or is over. */
  readonly after: StoreKey | undefined
  /** The last turn that reached the end of the table. */
  readonly last: (Turn & { readonly ended: number }) | undefined
  /** The turn is the last one. */
  readonly over: boolean
}

export const SEARCH_KEY: StoreKey = { pk: 'searches', sk: 'lost attempts' }

export function newSearch(row: SearchRow): Item & StoreKey {
  return { ...SEARCH_KEY, ...attributesOf(row) }
}

/**
 * @param seen the row that it replaces; undefined: one that cannot be read. If another sweeper has moved the row since, this write is
 * refused.
 */
export function moveSearch(row: SearchRow, seen: SearchRow | undefined): Update {
  const set = attributesOf(row)
  if (seen === undefined) return { key: SEARCH_KEY, where: [], set }
  const before = attributesOf(seen)
  const where = SEEN.map((field): Condition => {
    const value = before[field]
    return value === undefined ? { absent: field } : { field, is: '=', value }
  })
  const remove = Object.keys(before).filter((name) => !(name in set))
  return { key: SEARCH_KEY, where, set, remove }
}

/** One of these changes with each write. */
const SEEN = ['begun', 'after', 'looked', 'lastEnded'] as const

function attributesOf({
  turn,
  after,
  last,
  over,
}: SearchRow): Readonly<Record<string, string | number>> {
  return {
    st: over ? 'over' : 'searching',
    ...turn,
    ...(after !== undefined && { after: JSON.stringify([after.pk, after.sk]) }),
    ...(last !== undefined && {
      lastBegun: last.begun,
      lastEnded: last.ended,
      lastLooked: last.looked,
      lastFound: last.found,
    }),
  }
}

/** @returns undefined: there is none, or it cannot be read, and the search begins anew */
export function readSearch(item: Item | undefined): SearchRow | undefined {
  const { st, begun, looked, found } = item ?? {}
  if (item === undefined || !isCount(begun) || !isCount(looked) || !isCount(found)) return undefined
  const { lastBegun, lastEnded, lastLooked, lastFound } = item
  const last =
    isCount(lastBegun) && isCount(lastEnded) && isCount(lastLooked) && isCount(lastFound)
      ? { begun: lastBegun, ended: lastEnded, looked: lastLooked, found: lastFound }
      : undefined
  const over = st === 'over' && last !== undefined
  return { turn: { begun, looked, found }, after: readPlace(item['after']), last, over }
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && value >= 0
}

function readPlace(value: unknown): StoreKey | undefined {
  try {
    const place: unknown = JSON.parse(typeof value === 'string' ? value : '[]')
    const [pk, sk] = Array.isArray(place) ? (place as readonly unknown[]) : []
    return typeof pk === 'string' && typeof sk === 'string' ? { pk, sk } : undefined
  } catch {
    return undefined
  }
}
