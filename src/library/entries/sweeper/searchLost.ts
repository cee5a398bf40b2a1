import * as option from '../../base/options.ts'
import { toMilliseconds } from '../../base/options.ts'
import type { Duration } from '../../base/time.ts'
import { ConfigError, hasCode, messageOf } from '../../base/errors.ts'
import { kindOf } from '../../base/kindOf.ts'
import type { Logger } from '../../base/logger.ts'
import type { Store, StoreKey } from '../../protocol/store/store.ts'
import { type SearchLimits, searchTable, slownessOf, pageReader } from './search/searchTable.ts'
import type { IndexEntry, TaskStatus } from './due/listDue.ts'

/** Limits of the search of `sweepHandler` for attempts that were lost and that no index lists. */
export interface SearchOptions {
  /** From the begin of one turn through the table to the begin of the next; a longer turn is followed at once. Default 5 minutes. */
  readonly every?: Duration
  /**
   * Most read units in one run, 1 or more: the price of a large table is limited by it, and a turn takes several runs. A unit is
   * 8 KB. Default 1,000: 20,000 items of 400 bytes a minute.
   */
  readonly readUnits?: number
  /**
   * How long after the end of its lease an attempt counts as lost: at least the longest visibility timeout of the queues. Default:
   * five times the length of the lease and 2 minutes at least, because AWS advises a visibility timeout of six times that of the
   * function. A call of `idempotent`, the middleware or `invocationHandler` has no message: it always counts as lost after 2 minutes.
   */
  readonly after?: Duration
}

/** @throws ConfigError */
export function searchLimits(search: SearchOptions | false = {}): SearchLimits | undefined {
  if (search === false) return undefined
  option.checkOptions('sweepHandler', search, CHECKS, 'search.')
  const { every = '5m', readUnits = 1_000, after } = search
  if (typeof readUnits !== 'number' || !(readUnits >= 1)) {
    throw new ConfigError(
      `sweepHandler: search.readUnits: expected a number from 1; got ${kindOf(readUnits)}`,
    )
  }
  return {
    every: toMilliseconds('search.every', every),
    readUnits,
    after: after === undefined ? undefined : toMilliseconds('search.after', after),
  }
}

const CHECKS: option.Checks<SearchOptions> = {
  every: option.anything,
  readUnits: option.anything,
  after: option.anything,
}

interface SearchMeans {
  readonly store: Store
  readonly logger: Logger
  now(): number
}

/**
 * Makes the search of one process. It is no part of what else a run of the sweeper does: when it fails, the next run tries again,
 * and a permission that is missing is logged once.
 */
export function openSearch(
  { store, logger, now }: SearchMeans,
  limits: SearchLimits | undefined,
): (timeIsUp: () => boolean) => Promise<number> {
  const readPage = pageReader(store)
  let denied = false
  let saidSlow = -Infinity
  return async (timeIsUp) => {
    if (limits === undefined || readPage === undefined || denied) return 0
    try {
      const { listed, row } = await searchTable({ store, readPage, limits, logger, now, timeIsUp })
      const slow = row && slownessOf(row, limits.readUnits, now())
      if (slow !== undefined && (row?.over === true || now() >= saidSlow + AGAIN)) {
        saidSlow = now()
        logger.warn(slow, { looked: row?.turn.looked })
      }
      return listed
    } catch (error) {
      denied = isSetUp(error)
      const again = denied ? `not tried again by this process. ${CURE}` : 'the next run tries again'
      logger.warn(`not searched for lost first attempts and stalled runs: ${again}`, {
        error: messageOf(error),
      })
      return 0
    }
  }
}

/** Milliseconds until the same is said again of a turn that is not over. */
const AGAIN = 3_600_000

function isSetUp(error: unknown): boolean {
  const known = hasCode(error, 'STORE_UNAVAILABLE') && error instanceof Error && 'reason' in error
  return known && error.reason === 'setUp'
}

const CURE = 'Grant dynamodb:Scan on the table to the sweeper, or switch it off with search: false'

/** Decides which of the due items a run looks at. */
interface Rotation {
  next(due: ReadonlyMap<TaskStatus, readonly StoreKey[]>): AsyncGenerator<IndexEntry>
}

/**
 * Each run continues behind the items of the previous run, and wraps around, so that items that stay due, such as those that wait
 * for an operator, never keep others from being swept. Each process begins at another place, so that a sweeper whose sandbox is
 * replaced after every run does not sweep the same items each time.
 * @param most items of one status in one run
 * @param start any number, another one in each process
 */
export function openRotation(most: number, start: number): Rotation {
  let turn = Math.floor(start)
  return {
    async *next(due) {
      for (const [status, keys] of due) {
        const at = keys.length <= most ? 0 : turn % keys.length
        const window = [...keys.slice(at), ...keys.slice(0, at)].slice(0, most)
        for (const key of window) yield { status, key }
      }
      turn += most
    },
  }
}
