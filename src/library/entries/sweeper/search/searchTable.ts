// @acts

import type { Logger } from '../../../base/logger.ts'
import { type Item, type Store, hasNoAnswer } from '../../../protocol/store/store.ts'
import { loadItem } from '../due/listDue.ts'
import { listing, mayBeLost, type LostRule } from './lost.ts'
import { moveSearch, newSearch, readSearch, SEARCH_KEY, type SearchRow } from './searchRow.ts'
import { holds } from '../../../protocol/store/condition.ts'
import { notKnown } from '../../../protocol/store/format.ts'
import {
  scanPage,
  type PageQuery,
  type ScannedPage,
} from '../../../adapters/store/dynamodb/scan.ts'

export interface SearchLimits extends LostRule {
  /** A turn begins so long after the begin of the last one, milliseconds. */
  readonly every: number
  /** Begin a turn now, also in place of one that is not over. */
  readonly anew?: boolean
  /** In one run. A page that was begun is read to its end. */
  readonly readUnits: number
}

interface SearchContext {
  readonly store: Store
  readonly readPage: ReadPage
  readonly limits: SearchLimits
  readonly logger: Logger
  now(): number
  /** Whether no further page may be begun. */
  timeIsUp(): boolean
}

/** `row`: progress of this scan; undefined: none is due. */
interface Searched {
  readonly listed: number
  readonly row: SearchRow | undefined
}

/**
 * Reads on through the table where the last run has stopped, and lists in the status index what is lost and not listed there:
 * first attempts of requests and of keys, and runs that are stalled or out of time. All else that is open is in the index at the
 * time when it is due. Only the index is changed, each time on condition that the item is as it was judged. Its progress is kept
 * in the table, so that the next sweeper continues there; two at once read the same items at worst.
 * @throws StoreUnavailableError
 */
export async function searchTable(context: SearchContext): Promise<Searched> {
  const { store, limits } = context
  const item = await loadItem(store, SEARCH_KEY)
  const seen = readSearch(item)
  const begun = context.now()
  if (seen?.over === true && begun < seen.turn.begun + limits.every)
    return { listed: 0, row: undefined }
  const goesOn = seen !== undefined && !seen.over && limits.anew !== true
  let row = goesOn ? seen : newTurn(begun, seen?.last)
  const before = row.turn.found
  try {
    for (
      let units = 0;
      !row.over &&
      // @protects the price of a search is limited
      units < limits.readUnits &&
      !context.timeIsUp();
    ) {
      const page = await context.readPage({ where: mayBeLost(context.now()), after: row.after })
      units += page.readUnits
      const found = await listAll(page.items, context)
      row = moved(row, { ...page, found }, context.now())
    }
  } finally {
    if (row !== seen) await save(row, { item, seen }, store)
  }
  return { listed: row.turn.found - before, row }
}

/** Milliseconds: what is lost is found within a turn. */
const SLOW_TURN = 15 * 60_000

/** @returns undefined: the turn is not slow */
export function slownessOf(
  { turn, over }: SearchRow,
  readUnits: number,
  now: number,
): string | undefined {
  const taken = now - turn.begun
  if (taken <= SLOW_TURN) return undefined
  const wanted = Math.ceil((readUnits * taken) / SLOW_TURN)
  return (
    `a turn of the search for lost attempts ${over ? 'took' : 'has taken'} ${Math.round(taken / 60_000)} minutes: they are found that ` +
    `late. For 15 minutes give search: { readUnits: ${wanted} }${over ? '' : ' or more'}, or search: false and an alarm on the age of ` +
    'the oldest message; lineclear doctor --rate N says what each costs'
  )
}

function newTurn(begun: number, last: SearchRow['last']): SearchRow {
  return { turn: { begun, looked: 0, found: 0 }, after: undefined, last, over: false }
}

function moved(
  { turn, last }: SearchRow,
  page: { readonly looked: number; readonly found: number; readonly next: SearchRow['after'] },
  now: number,
): SearchRow {
  const { begun } = turn
  const read = { begun, looked: turn.looked + page.looked, found: turn.found + page.found }
  const over = page.next === undefined
  return { turn: read, after: page.next, last: over ? { ...read, ended: now } : last, over }
}

async function save(
  row: SearchRow,
  { item, seen }: { readonly item: Item | undefined; readonly seen: SearchRow | undefined },
  store: Store,
): Promise<void> {
  const [outcome] =
    item === undefined
      ? await store.create([newSearch(row)])
      : await store.update([moveSearch(row, seen)])
  if (hasNoAnswer(outcome)) throw outcome.error
}

async function listAll(
  items: readonly Item[],
  { store, limits, logger, now }: SearchContext,
): Promise<number> {
  const time = now()
  const unknown = items.map(notKnown).filter((each) => each !== undefined)
  const [first] = unknown
  if (first !== undefined) {
    const error = first.error.message
    logger.warn('the search has left items alone', { items: unknown.length, error })
  }
  const known = items.filter((item) => notKnown(item) === undefined)
  const updates = known.flatMap((item) => listing(item, time, limits) ?? [])
  if (updates.length === 0) return 0
  const outcomes = await store.update(updates)
  let listed = 0
  for (const outcome of outcomes) {
    if (outcome.kind === 'failed') {
      logger.error('what is lost was not listed: the next turn of the search looks at it again', {
        error: outcome.error.message,
      })
    } else if (outcome.kind === 'applied') listed += 1
  }
  return listed
}

/** Reads the whole table, page by page. */
type ReadPage = (query: PageQuery) => Promise<ScannedPage>

/** @returns undefined: the store does not say where its items are */
export function pageReader(store: Store): ReadPage | undefined {
  const { source } = store
  if (source !== undefined) return (query) => scanPage(source, query)
  return isListed(store) ? async ({ where }) => wholeTable(store.items(), where) : undefined
}

/** `memoryStore()`. */
function isListed(store: Store): store is Store & { items(): readonly Item[] } {
  return 'items' in store && typeof store.items === 'function'
}

function wholeTable(all: readonly Item[], where: PageQuery['where']): ScannedPage {
  const items = all.filter((item) => holds(where, item))
  return { items, looked: all.length, readUnits: 0, next: undefined }
}
