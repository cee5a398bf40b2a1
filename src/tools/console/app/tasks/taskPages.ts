import type { OpenItem } from '../answers.ts'

/** Items of a page. */
export const PAGE = 200
/** Pages that are kept: 1,000 items. */
const KEPT = 5

/** A listing of which a few pages are in memory. Pages are read in order, each with the cursor that the one before has given. */
export interface TaskPages {
  readonly pages: ReadonlyMap<number, readonly OpenItem[]>
  /** How each page is asked for, as far as that is known. The first one is asked for without. */
  readonly cursors: readonly string[]
  /** Number of items; undefined: the end has not been seen. */
  readonly total: number | undefined
}

export const NO_PAGES: TaskPages = { pages: new Map(), cursors: [''], total: undefined }

/** Rows that can be shown. Behind the last known page stands one that loads the next. */
export function rowCount({ cursors, total, pages }: TaskPages): number {
  if (total !== undefined) return total
  return pages.size === 0 && cursors.length === 1 ? 0 : (cursors.length - 1) * PAGE + 1
}

export function itemAt({ pages }: TaskPages, index: number): OpenItem | undefined {
  return pages.get(Math.floor(index / PAGE))?.[index % PAGE]
}

/** @returns the page to load for the rows from `first` to `end`; undefined: they are all there, or cannot be asked for yet */
export function missingPage(
  { pages, cursors }: TaskPages,
  first: number,
  end: number,
): number | undefined {
  for (let page = Math.floor(first / PAGE); page * PAGE < end; page += 1) {
    if (!pages.has(page) && page < cursors.length) return page
  }
  return undefined
}

/** Takes in a page, and drops those that are farthest from it. */
export function withPage(
  { pages, cursors, total }: TaskPages,
  page: number,
  { tasks, next }: { readonly tasks: readonly OpenItem[]; readonly next: string | null },
): TaskPages {
  const all = new Map(pages).set(page, tasks)
  const near = [...all.keys()].toSorted(
    (one, other) => Math.abs(one - page) - Math.abs(other - page),
  )
  for (const far of near.slice(KEPT)) all.delete(far)
  return {
    pages: all,
    cursors: next === null || page + 1 < cursors.length ? cursors : [...cursors, next],
    total: next === null ? page * PAGE + tasks.length : total,
  }
}
