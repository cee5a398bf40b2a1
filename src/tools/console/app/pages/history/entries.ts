import type { BulkOperation } from '../../../../operator/dlq/operation.ts'
import type { AuditEntry } from '../../../../../library/entries/sweeper/audit/auditRow.ts'
import type { Tone } from '../../parts/statuses.ts'

const OF_MANY: ReadonlySet<string> = new Set(['dlq redrive', 'dlq discard', 'dlq restore'])

/** Whether the plan of an entry is kept under its name, so that its progress can be shown. */
export function hasProgress({ action, id }: AuditEntry): boolean {
  return OF_MANY.has(action) || (action.startsWith('decide ') && id.startsWith('group '))
}

const GOOD: ReadonlySet<string> = new Set(['applied', 'done', 'taken', 'nothing'])
const BAD: ReadonlySet<string> = new Set(['refused', 'failed', 'stopped', 'begun'])

/** `begun`: the command was killed, and what it has done is not recorded. */
export function toneOf(result: string): Tone {
  if (GOOD.has(result)) return 'good'
  return BAD.has(result) ? 'bad' : 'warn'
}

/** `GET /api/overview?plan=…`: a plan of many items, as its row in the table says. */
export type BulkPlanAnswer = Omit<
  BulkOperation,
  'name' | 'leaseUntil' | 'rate' | 'because' | 'endedAt' | 'why'
> &
  Partial<Pick<BulkOperation, 'rate' | 'because' | 'endedAt' | 'why'>> & {
    /** `missing`: there is no such plan. */
    readonly outcome?: string
    readonly plan: string
    /** The command that goes on with it. */
    readonly next?: string
    /** A person types it: a page cannot. */
    readonly typed: boolean
    /** Until when its command is taken to be alive. */
    readonly runsUntil?: string
  }

export interface PlanStanding {
  /** `killed`: its command has not reported for half a minute. `failed again`: done, and some of them have. */
  readonly status: BulkPlanAnswer['state'] | 'killed' | 'failed again'
  /** Not dealt with. When the plan is done, they were gone, or other commands have dealt with them. */
  readonly left: number
  readonly canGoOn: boolean
}

/** @param now epoch milliseconds */
export function standingOf(
  { state, planned, done, failed, runsUntil }: BulkPlanAnswer,
  now: number,
): PlanStanding {
  const isAlive = runsUntil !== undefined && Date.parse(runsUntil) > now
  const ended = state === 'done' && failed > 0 ? 'failed again' : state
  const status = state === 'running' && !isAlive ? 'killed' : ended
  return { status, left: Math.max(0, planned - done), canGoOn: GOES_ON.has(status) }
}

const GOES_ON: ReadonlySet<PlanStanding['status']> = new Set([
  'planned',
  'paused',
  'stopped',
  'killed',
])
