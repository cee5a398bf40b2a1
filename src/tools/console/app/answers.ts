import type { SearchRow } from '../../../library/entries/sweeper/search/searchRow.ts'
import type { AnswerCost, Session } from '../reply.ts'
import type { ExplainJson } from '../../operator/explain/explain.ts'
import type { CountedRecord, StatusFinding } from '../../operator/status/finding.ts'
import type { SourceQueue } from '../../operator/status/sourceStatus.ts'
import type { Task } from '../../operator/item/task.ts'
import type { TaskCount } from '../../operator/tasks/listTasks.ts'

export type { AnswerCost, Session }

/** As it comes over the wire: times are ISO 8601. */
type Wire<Value, Times extends keyof Value> = Omit<Value, Times> & {
  readonly [Name in Times]?: string
}

export type Finding = Wire<Omit<StatusFinding, 'records'>, 'since' | 'newest'> & {
  readonly pace: string
  readonly records?: readonly CountedRecord<string>[]
}

/** `GET /api/overview` */
export interface OverviewAnswer {
  readonly findings: readonly Finding[]
  /** As far as the index was read: what it costs does not grow with the table. */
  readonly counts: TaskCounts
  /** Those that have messages. */
  readonly queues: readonly SourceQueue[]
  /** What could not be looked at, and why. */
  readonly unread: readonly string[]
  /** The last search of the sweeper for lost first attempts. null: there was none. undefined: that was not read. */
  readonly searched?: Wire<NonNullable<SearchRow['last']>, 'begun' | 'ended'> | null
}

/** What is open, by owner and status. `atLeast`: there may be more. */
export type TaskCounts = readonly (Wire<TaskCount, 'due'> & { readonly atLeast?: boolean })[]

export interface Total {
  readonly number: number
  /** There may be more. */
  readonly atLeast: boolean
}

export type OpenItem = Wire<Task, 'since' | 'dueAt' | 'leaseUntil' | 'giveUpAt'>

/** `GET /api/tasks` */
export interface TasksAnswer {
  readonly tasks: readonly OpenItem[]
  /** Where the next page begins; null: there is none. */
  readonly next: string | null
  readonly pauses: readonly object[]
}

/** `GET /api/request` */
export type Explained = ExplainJson & { readonly pauses: readonly object[] }

/** A page that follows a large table costs at most ten read units a second, milliseconds. */
const FOR_A_UNIT = 100

/** @param wanted between two requests, milliseconds */
export function pauseAfter(wanted: number, units: number): number {
  return Math.max(wanted, FOR_A_UNIT * units)
}
