import { DEFAULT_RETENTION_MS } from '../../base/limits/lifetime.ts'
import { timeLeft } from '../../protocol/claim/lease.ts'
import { type Clock, systemClock } from '../../base/clock.ts'
import {
  toMilliseconds,
  someClients,
  aClock,
  aLogger,
  anything,
  type Checks,
  checkOptions,
  having,
  someMetrics,
} from '../../base/options.ts'
import type { Duration } from '../../base/time.ts'
import { ConfigError, messageOf, hasCode, toError } from '../../base/errors.ts'
import { kindOf } from '../../base/kindOf.ts'
import { jsonLogger, safeLogger, type Logger } from '../../base/logger.ts'
import {
  count,
  type Metrics,
  milliseconds,
  report,
  tableDimension,
} from '../../features/metrics/metrics.ts'
import { awsMessenger } from '../../adapters/send/awsMessenger.ts'
import type { Clients } from '../../protocol/send/messenger.ts'
import { assertStore, type Store } from '../../protocol/store/store.ts'
import {
  NO_CIRCUITS,
  readCircuits,
  countActive,
  type IndexEntry,
  listDue,
  isActive,
} from './due/listDue.ts'
import { forEachConcurrently } from './due/concurrency.ts'
import type { MappingSwitch } from './pause/applyPause.ts'
import type { DelayedReport } from './sendDue.ts'
import { sendDelayed } from './sendDelayed.ts'
import { collectWaiting, type WaitingLines } from './waitingLines.ts'
import { resumePauses } from './resumePauses.ts'
import { openRotation, openSearch, searchLimits, type SearchOptions } from './searchLost.ts'
import { leaveAlone, sweepItem, type SweepOutcome } from './sweepItem.ts'

/** Options of `sweepHandler`. */
export interface SweepOptions {
  /** The store of the consumers, flows and keys to sweep. */
  readonly store: Store
  /** How long an ended request is remembered: the `retention` of the flows. Default 30 days. */
  readonly retention?: Duration
  /** How long after its due time an item is looked at: clocks differ, and Lambdas end late. Default 1 minute. */
  readonly grace?: Duration
  /**
   * Most items of one status in one run, 1 or more. The next run continues behind them, so that items that wait for an operator
   * never hide the others. Default 1,000.
   */
  readonly most?: number
  /** Powertools Logger fits. Default: JSON lines on standard output. */
  readonly logger?: Logger | undefined
  /**
   * Reports `missingTasks` (overdue), `waitingTasks` (waiting for an operator), `inProgress`, `openCircuits` (consumers and stages whose
   * circuit is open, whose requests then are not overdue), and `oldestDelayed`: for how many milliseconds the oldest delayed message has been due; each also when it is 0.
   * Default: none. What is in progress and which circuits are open is counted only with metrics, up to 10,000 of each status.
   */
  readonly metrics?: Metrics
  /** Sends delayed messages, timeouts and accepted events. Default: a client made at first use. */
  readonly clients?: Clients | undefined
  /**
   * Ends pauses of `lineclear pause` at their time (`lambda:UpdateEventSourceMapping`): `new Lambda()` of `@aws-sdk/client-lambda`.
   * Default: none; a pause that is over is logged as an error in each run, until an operator resumes it.
   */
  readonly lambda?: MappingSwitch | undefined
  /**
   * Searches the table, some of it in each run, for requests and keys whose first attempt was lost and for runs that are stalled or
   * past their time limit: no index lists them before. Needs `dynamodb:Scan`, and costs read units. Default: 1,000 units in a run at most, a turn through the table every
   * 5 minutes or longer. `false`: no search; of runs whose stages were all in their first attempt, only the next request of the
   * key ends one past its time limit, and a key whose first call was lost stays in the table until it is called again.
   */
  readonly search?: SearchOptions | false | undefined
  /** A clock for tests. Default: the clock of the machine. */
  readonly clock?: Clock | undefined
}

/**
 * What one run of the sweeper did: `looked` items, and how many of them had each outcome. `delayed`: the messages of
 * `storedDelays()` that were due. `resumed`: pauses that were over, and whose mappings are enabled again; `found`: lost first attempts
 * and stalled runs that the search has listed. Both are left out when there were none.
 */
export type SweepReport = Readonly<Record<SweepOutcome, number>> & {
  readonly looked: number
  readonly delayed: DelayedReport
  readonly resumed?: number
  readonly found?: number
}

/** Milliseconds kept at the end of an invocation for the page that was begun. */
const RESERVE_MS = 5_000

/** Per status. Due items beyond `most` count too: else the metrics would never show more than `most`. */
const MAX_COUNTED = 10_000

/** Outcomes after which an item is no longer due. */
const NO_LONGER_DUE: ReadonlySet<SweepOutcome> = new Set([
  'freed',
  'queued',
  'reminded',
  'unlisted',
])

const ZERO_COUNTS: Record<SweepOutcome, number> = {
  freed: 0,
  queued: 0,
  reminded: 0,
  unlisted: 0,
  overdue: 0,
  waiting: 0,
  failed: 0,
  notKnown: 0,
}

/**
 * Makes the handler of a Lambda that a schedule calls, such as every minute. It finds what is past its due time and still open,
 * confirms each item by a consistent read, then ends runs past `giveUpAfter` and frees their keys, queues accepted events that
 * could not be queued, and sends lost timeouts again. It lists first attempts that were lost and that nothing has continued, and runs that are stalled
 * or past their time limit: it searches the table for them, because no index holds them. It also sends the messages of `storedDelays()` that are due, until its time
 * is nearly up: where that option is used, nothing that waits is sent without this function. It logs one line for each group of items
 * that are overdue or wait for an operator.
 * Safe beside live attempts: each of its writes is conditional on what it read.
 * @example
 * export const handler = sweepHandler({
 *   store: dynamoDbStore({ tableName: 'lineclear' }),
 *   metrics: emfMetrics(),
 * })
 */
export function sweepHandler(
  options: SweepOptions,
): (event?: unknown, context?: unknown) => Promise<SweepReport> {
  checkOptions('sweepHandler', options, OPTIONS)
  const { store, most = 1_000, clock = systemClock } = options
  const logger = safeLogger(options.logger ?? jsonLogger())
  assertStore('sweepHandler', store)
  checkMost(most)
  const retention = toMilliseconds('retention', options.retention ?? DEFAULT_RETENTION_MS)
  const grace = toMilliseconds('grace', options.grace ?? '1m')
  const messenger = awsMessenger({ ...options.clients, inMemory: store.inMemory })
  const turns = openRotation(most, clock.now())
  const limits = searchLimits(options.search)
  const now = (): number => clock.now()
  const search = openSearch({ store, logger, now }, limits)
  return async (_event, context) => {
    const timeIsUp = endOf(context)
    const [delayed, swept, pauses, found] = await Promise.allSettled([
      sendDelayed({ store, messenger, logger, now, timeIsUp }),
      sweep(),
      resume(),
      search(timeIsUp),
    ])
    if (delayed.status === 'rejected') throw delayed.reason
    if (swept.status === 'rejected') throw swept.reason
    if (pauses.status === 'rejected') throw pauses.reason
    if (found.status === 'rejected') throw found.reason
    const { oldest, ...sent } = delayed.value
    const { missingTasks, waitingTasks, openCircuits, ...counts } = swept.value
    const report = {
      ...counts,
      ...(pauses.value > 0 && { resumed: pauses.value }),
      ...(found.value > 0 && { found: found.value }),
    }
    logger.info('swept', { ...report, missingTasks, waitingTasks, delayed: sent })
    await reportMetrics({ missingTasks, waitingTasks, openCircuits }, oldest)
    return { ...report, delayed: sent }
  }

  async function resume(): Promise<number> {
    return resumePauses({ store, lambda: options.lambda, clock, logger })
  }

  /** Says when the function's time is nearly up: work that takes longer is continued in the next run. */
  function endOf(context: unknown): () => boolean {
    const left = timeLeft(context)
    const end = left === undefined ? Infinity : clock.now() + left - Math.min(RESERVE_MS, left / 2)
    return () => clock.now() >= end
  }

  async function sweep() {
    const counts = { ...ZERO_COUNTS }
    let [looked, missingTasks, waitingTasks] = [0, 0, 0]
    const waiting = collectWaiting(logger)
    const due = await listDue(store, clock.now() - grace, MAX_COUNTED)
    const circuits = options.metrics === undefined ? NO_CIRCUITS : await readCircuits(store)
    const isMissing = ({ status, key }: IndexEntry): boolean =>
      isActive(status) && !circuits.holdBack({ status, key })
    for (const [status, keys] of due) {
      if (isActive(status)) missingTasks += keys.filter((key) => isMissing({ status, key })).length
      else waitingTasks += keys.length
    }
    await forEachConcurrently(turns.next(due), async ({ status, key }) => {
      const swept = await sweepOne(key, waiting)
      looked += 1
      counts[swept] += 1
      if (!NO_LONGER_DUE.has(swept)) return
      if (isMissing({ status, key })) missingTasks -= 1
      else if (!isActive(status)) waitingTasks -= 1
    })
    waiting.log()
    return { looked, ...counts, missingTasks, waitingTasks, openCircuits: circuits.keys.length }
  }

  async function reportMetrics(
    swept: Readonly<Record<'missingTasks' | 'waitingTasks' | 'openCircuits', number>>,
    oldest: number,
  ): Promise<void> {
    if (options.metrics === undefined) return
    const inProgress = await countActive(store, MAX_COUNTED)
    report(options.metrics, tableDimension(store), [
      count('missingTasks', swept.missingTasks),
      count('waitingTasks', swept.waitingTasks),
      count('inProgress', inProgress),
      count('openCircuits', swept.openCircuits),
      milliseconds('oldestDelayed', oldest),
    ])
  }

  async function sweepOne(
    key: Parameters<typeof sweepItem>[0],
    waiting: WaitingLines,
  ): Promise<SweepOutcome> {
    try {
      return await sweepItem(key, {
        store,
        messenger,
        logger,
        waiting,
        retention,
        now: now(),
        lost: { after: limits?.after },
      })
    } catch (error) {
      if (hasCode(error, 'UNKNOWN_FORMAT')) return leaveAlone(key, toError(error), waiting)
      const line = { ...key, error: messageOf(error) }
      waiting.see('error', 'not swept: the next run looks at it again', line)
      return 'failed'
    }
  }
}

const OPTIONS: Checks<SweepOptions> = {
  store: anything,
  retention: anything,
  grace: anything,
  most: anything,
  logger: aLogger,
  metrics: someMetrics,
  clients: someClients,
  lambda: having('a Lambda client, such as new Lambda()', 'updateEventSourceMapping'),
  search: anything,
  clock: aClock,
}

function checkMost(most: unknown): void {
  if (Number.isInteger(most) && Number(most) >= 1) return
  throw new ConfigError(`sweepHandler: most: expected a whole number from 1; got ${kindOf(most)}`)
}
