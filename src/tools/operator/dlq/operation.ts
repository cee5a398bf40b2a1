import { RECORDED_MS, ttlAt } from '../../../library/base/limits/lifetime.ts'
import { isoTime } from '../../../library/base/time.ts'
import { sortableId } from '../../../library/base/sortableId.ts'
import {
  outcomeOrThrow,
  type Comparable,
  type Condition,
  type Item,
  type Store,
  type StoreKey,
} from '../../../library/protocol/store/store.ts'
import { loadItem } from '../../../library/entries/sweeper/due/listDue.ts'

type RunEnd = Exclude<OperationState, 'planned' | 'running'>

/** How long the row of an applied plan is kept, as its row in the audit: what it has discarded can be put back by its name. */
const APPLIED_KEPT = RECORDED_MS
/** A command that was killed is taken for dead after this time, milliseconds. It renews this every second. */
const LEASE = 30_000
const RENEW_EVERY = 1_000
/**
 * What a killed command has done since its last report is missing from the count for ever: the next one finds it gone, as if others
 * had done it. The first progress is reported at once, and at the default rate each page is.
 */
const REPORT_EVERY = 100
/** Characters: an error may quote what it has got. */
const LONGEST_REASON = 300

/** What a command learns when it reports: that another one has taken over. undefined: to go on. */
export type Orders = 'taken over' | undefined

export interface Pace {
  /** Dead letters a second. */
  readonly rate: number
  /** How many that this command has sent have failed again. */
  readonly failed: number
}

interface RunResult {
  readonly failed?: number | undefined
  readonly because?: string | undefined
}

export interface OperationRun {
  /** Writes the first progress at once, then at most ten times a second. `done`: dead letters that this command has dealt with. */
  report(done: number, pace?: Pace): Promise<Orders>
  end(state: RunEnd, done: number, result?: RunResult): Promise<void>
}

/**
 * Begins to work on an operation, or goes on with it.
 * @returns the operation as it is, when another command works on it
 * @throws StoreUnavailableError
 */
export async function beginRun(
  store: Store,
  operation: BulkOperation,
  {
    by,
    why,
    force,
    clock,
  }: {
    readonly by: string
    /** Default: the one of the run before. */
    readonly why: string | undefined
    readonly force: boolean
    readonly clock: { now(): number }
  },
): Promise<OperationRun | BulkOperation> {
  const { name } = operation
  const now = clock.now()
  const runner = sortableId(now)
  const key = operationKey(name)
  const free: readonly Condition[] = [
    { any: [{ absent: 'leaseUntil' }, { field: 'leaseUntil', is: '<=', value: now }] },
  ]
  const begun = outcomeOrThrow(
    await store.update([
      {
        key,
        where: [{ exists: 'pk' }, ...(force ? [] : free)],
        set: {
          state: 'running',
          runner,
          leaseUntil: now + LEASE,
          at: isoTime(now),
          by,
          ...(why !== undefined && { why }),
          ttl: ttlAt(now + APPLIED_KEPT),
          ...(force && { forced: 1 }),
        },
        remove: ['because', 'endedAt', ...(force ? [] : ['forced'])],
      },
    ]),
  )
  const item = begun.item ?? {}
  if (begun.kind === 'refused' && item['runner'] !== runner) {
    return readOperation(name, item) ?? operation
  }
  const before = typeof item['done'] === 'number' ? item['done'] : 0
  const failedBefore = typeof item['failed'] === 'number' ? item['failed'] : 0
  const mine: Condition = { field: 'runner', is: '=', value: runner }
  const write = async (set: Readonly<Record<string, Comparable>>): Promise<Orders> => {
    const outcome = outcomeOrThrow(await store.update([{ key, where: [mine], set }]))
    return outcome.kind === 'applied' ? undefined : 'taken over'
  }
  const reported = { at: now, done: 0 }
  return {
    async report(done, pace) {
      const time = clock.now()
      const isNew = done !== reported.done
      const isDue = time - reported.at >= (isNew ? REPORT_EVERY : RENEW_EVERY)
      if (!isDue && !(isNew && reported.done === 0)) return undefined
      Object.assign(reported, { at: time, done })
      const how = pace && { rate: pace.rate, failed: failedBefore + pace.failed }
      return write({ done: before + done, leaseUntil: time + LEASE, ...how })
    },
    async end(state, done, { failed, because } = {}) {
      await write({
        state,
        done: before + done,
        leaseUntil: 0,
        endedAt: isoTime(clock.now()),
        ...(failed !== undefined && { failed: failedBefore + failed }),
        ...(because !== undefined && { because: because.slice(0, LONGEST_REASON) }),
      })
    },
  }
}

/**
 * `planned`: nothing was changed yet. `running`: a command works on it, or was killed. `paused`: by Ctrl-C. `stopped`: by
 * itself, because what it did failed. `done`: nothing of it is left.
 */
type OperationState = (typeof STATES)[number]
const STATES = ['planned', 'running', 'paused', 'stopped', 'done'] as const
/** Epoch milliseconds: a later time cannot be printed. */
const LAST_TIME = 8.64e15

/** What an operator has planned for many items, and how far it is. It is a row of the table; rows beside it hold the contents. */
export interface BulkOperation {
  readonly name: string
  /** `dlq redrive`, `decide done`, …. */
  readonly action: string
  readonly args: readonly string[]
  /** Number of dead letters or requests of the plan. */
  readonly planned: number
  readonly state: OperationState
  /** Those that are dealt with. After a kill it may lack those of the last page, or of the last tenth of a second. */
  readonly done: number
  /** How many that a redrive has sent, and watches, have failed again. */
  readonly failed: number
  /** Dead letters a second, of a redrive that runs or has run. */
  readonly rate: number | undefined
  /** Its last run was given `--force`. */
  readonly forced: boolean
  /** Why it was stopped; undefined unless `stopped`. */
  readonly because: string | undefined
  /** When it was planned, or began to run. ISO 8601. */
  readonly at: string
  /** When its last run ended, ISO 8601. undefined: it runs, was killed or did not begin. */
  readonly endedAt: string | undefined
  readonly by: string
  /** The reason of its last run that was given one: the next run has the same, unless it is given another. */
  readonly why: string | undefined
  /** Until when the command that runs it is taken to be alive, epoch milliseconds. 0: no command runs it. */
  readonly leaseUntil: number
}

/** The partition of a plan: this row, and rows with its contents. */
export const operationPartition = (name: string): string => `operation#${name}`
export const operationKey = (name: string): StoreKey => ({
  pk: operationPartition(name),
  sk: 'plan',
})

/** @returns undefined when there is no such plan. @throws StoreUnavailableError */
export async function loadOperation(
  store: Store,
  name: string,
): Promise<BulkOperation | undefined> {
  const item = await loadItem(store, operationKey(name))
  return item && readOperation(name, item)
}

/** @returns undefined for a row that is none */
function readOperation(name: string, item: Item): BulkOperation | undefined {
  const {
    action,
    planned,
    done,
    failed,
    rate,
    because,
    at,
    endedAt,
    by,
    why,
    leaseUntil = 0,
  } = item
  const state = STATES.find((each) => each === item['state'])
  const args = readArgs(item['args'])
  if (typeof action !== 'string' || args === undefined || typeof by !== 'string') return
  if (typeof planned !== 'number' || typeof done !== 'number' || typeof at !== 'string') return
  if (state === undefined || typeof leaseUntil !== 'number') return undefined
  if (Number.isNaN(Date.parse(at)) || leaseUntil > LAST_TIME) return undefined
  return {
    name,
    action,
    args,
    planned,
    state,
    done,
    failed: typeof failed === 'number' ? failed : 0,
    rate: typeof rate === 'number' ? rate : undefined,
    forced: item['forced'] === 1,
    because: typeof because === 'string' ? because : undefined,
    at,
    endedAt: typeof endedAt === 'string' ? endedAt : undefined,
    by,
    why: typeof why === 'string' ? why : undefined,
    leaseUntil,
  }
}

function readArgs(text: unknown): readonly string[] | undefined {
  try {
    const args = JSON.parse(String(text)) as unknown
    return Array.isArray(args) && args.every((each) => typeof each === 'string') ? args : undefined
  } catch {
    return undefined
  }
}
