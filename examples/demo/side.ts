import type { Logger } from 'lineclear'
import {
  mapQueue,
  type Counts,
  type Faults,
  type LocalCloud,
  type QueueHandler,
} from 'lineclear/local'
import { FUNCTION_TIMEOUT, type SideName } from './demoCloud.ts'

/** Invocations of one Lambda at once: enough to race, and little enough for two busy cores. */
const CONCURRENCY = 2

/** The two running Lambdas of one side. */
export interface Side {
  readonly name: SideName
  /** The counts of both Lambdas together. */
  counts(): Counts
  /** Callbacks that are not processed yet. */
  left(): number
  /** Resolves when both queues are empty. */
  finished(timeout: number): Promise<void>
  stop(): Promise<void>
}

export interface SideOptions {
  readonly cloud: LocalCloud
  readonly name: SideName
  readonly callbacks: QueueHandler
  readonly receipts: QueueHandler
  readonly faults: Faults
  readonly logger: Logger
}

export function startSide({ cloud, name, callbacks, receipts, faults, logger }: SideOptions): Side {
  const functionTimeout = `${FUNCTION_TIMEOUT}s` as const
  const common = {
    cloud,
    faults,
    logger,
    functionTimeout,
    concurrency: CONCURRENCY,
  }
  const ledger = mapQueue({ ...common, queue: `${name}-callbacks`, handler: callbacks })
  const letters = mapQueue({ ...common, queue: `${name}-receipts`, handler: receipts })
  return {
    name,
    counts: () => sumOf(ledger.counts, letters.counts),
    left: () => {
      const { ready, delayed, inFlight } = cloud.inspectQueue(`${name}-callbacks`)
      return ready.length + delayed.length + inFlight.length
    },
    finished: async (timeout) => {
      await ledger.drained({ timeout })
      await letters.drained({ timeout })
    },
    stop: async () => {
      await Promise.all([ledger.stop(), letters.stop()])
    },
  }
}

function sumOf(one: Counts, other: Counts): Counts {
  const sum = { ...one }
  for (const name of Object.keys(sum) as (keyof Counts)[]) sum[name] += other[name]
  return sum
}
