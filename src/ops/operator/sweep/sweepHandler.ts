import type { SQSClient } from '@aws-sdk/client-sqs'
import { type Clock, systemClock } from '../../../clock.ts'
import { type Duration, toMilliseconds } from '../../../duration.ts'
import { ConfigError, messageOf } from '../../../errors.ts'
import { kindOf } from '../../../kindOf.ts'
import { jsonLogger, type Logger } from '../../../logger.ts'
import { count, type Metrics, report } from '../../../metrics/metrics.ts'
import { awsMessenger } from '../../../queue/awsMessenger.ts'
import { assertStore } from '../../../store/assertStore.ts'
import type { Store } from '../../../store/store.ts'
import { countActive, isActive, listDue } from '../tasks/listDue.ts'
import { forEachConcurrently } from '../tasks/concurrency.ts'
import { openRotation } from './rotation.ts'
import { sweepItem, type SweepOutcome } from './sweepItem.ts'

export interface SweepOptions {
  readonly store: Store
  /** How long an ended request is remembered; as of the flows. Default 30 days. */
  readonly retention?: Duration
  /** After something was due, it is looked at so much later: clocks differ, and Lambdas end late. Default 1 minute. */
  readonly grace?: Duration
  /**
   * Items of one status looked at in one run, 1 or more; the next run looks at the ones after them, so that items that only a
   * person can end never hide the others. Default 1,000.
   */
  readonly most?: number
  /** Structural: Powertools Logger fits. Default: JSON lines. */
  readonly logger?: Logger
  /**
   * `missingTasks` (overdue), `waitingTasks` (for a person) and `inProgress`, each also when it is 0. Default: none. What is in
   * progress is counted only then, up to 10,000 of each status.
   */
  readonly metrics?: Metrics
  readonly sqs?: SQSClient
  /** For tests. */
  readonly clock?: Clock
}

/** How many items came to what. */
export type SweepReport = Readonly<Record<SweepOutcome, number>> & { readonly looked: number }

/** Of each status: what is due and was not looked at counts as well, or a thousand would hide how many there are. */
const MAX_COUNTED = 10_000

/** These are due no more. */
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
}

/**
 * A Lambda handler for a schedule, such as every minute: finds what was due and is still open, confirms each by a consistent
 * read, and does what has to be done: a run past its time is ended and its key freed, an event that was accepted and not
 * queued is queued, a timeout whose message got lost is sent again. The rest is logged, one line each, for a person. Safe
 * beside live attempts: every write is conditional on what was read.
 */
export function sweepHandler(options: SweepOptions): () => Promise<SweepReport> {
  const { store, most = 1_000, logger = jsonLogger(), clock = systemClock } = options
  assertStore('sweepHandler', store)
  checkMost(most)
  const retention = toMilliseconds('retention', options.retention ?? '30d')
  const grace = toMilliseconds('grace', options.grace ?? '1m')
  const messenger = awsMessenger({ sqs: options.sqs, inMemory: store.inMemory })
  const turns = openRotation(most, clock.now())
  return async () => {
    const counts = { ...ZERO_COUNTS }
    let [looked, missingTasks, waitingTasks] = [0, 0, 0]
    const due = await listDue(store, clock.now() - grace, MAX_COUNTED)
    for (const [status, { length }] of due) {
      if (isActive(status)) missingTasks += length
      else waitingTasks += length
    }
    await forEachConcurrently(turns.next(due), async ({ status, key }) => {
      const swept = await sweepOne(key)
      looked += 1
      counts[swept] += 1
      if (!NO_LONGER_DUE.has(swept)) return
      if (isActive(status)) missingTasks -= 1
      else waitingTasks -= 1
    })
    logger.info('swept', { looked, ...counts, missingTasks, waitingTasks })
    await reportMetrics(missingTasks, waitingTasks)
    return { looked, ...counts }
  }

  async function reportMetrics(missingTasks: number, waitingTasks: number): Promise<void> {
    if (options.metrics === undefined) return
    const inProgress = await countActive(store, MAX_COUNTED)
    report(options.metrics, {}, [
      count('missingTasks', missingTasks),
      count('waitingTasks', waitingTasks),
      count('inProgress', inProgress),
    ])
  }

  async function sweepOne(key: Parameters<typeof sweepItem>[0]): Promise<SweepOutcome> {
    try {
      return await sweepItem(key, { store, messenger, logger, retention, now: clock.now() })
    } catch (error) {
      logger.error('not swept: the next run looks at it again', {
        ...key,
        error: messageOf(error),
      })
      return 'failed'
    }
  }
}

function checkMost(most: unknown): void {
  if (Number.isInteger(most) && Number(most) >= 1) return
  throw new ConfigError(`sweepHandler: most: expected a whole number from 1; got ${kindOf(most)}`)
}
