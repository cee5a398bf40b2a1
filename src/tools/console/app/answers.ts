import type { Cost } from '../again.ts'
import type { ExplainJson } from '../../operator/explain/explainJson.ts'
import type { StatusFinding } from '../../operator/status/finding.ts'
import type { Task } from '../../operator/item/task.ts'
import type { TaskCount } from '../../operator/tasks/countTasks.ts'
import type { Session } from '../session.ts'

export type { Cost, Session }

/** As it comes over the wire: times are ISO 8601. */
type Wire<Value, Times extends keyof Value> = Omit<Value, Times> & {
  readonly [Name in Times]?: string
}

export type Finding = Wire<StatusFinding, 'since'>

/** `GET /api/overview` */
export interface Overview {
  readonly findings: readonly Finding[]
  /** What could not be looked at, and why. */
  readonly unread: readonly string[]
  /** The last search of the sweeper for lost first attempts. */
  readonly searched: {
    readonly begun: string
    readonly ended: string
    readonly looked: number
    readonly found: number
  } | null
}

/** `GET /api/stats` */
export interface Stats {
  readonly counts: readonly Wire<TaskCount, 'due'>[]
}

export type OpenItem = Wire<Task, 'since' | 'dueAt' | 'leaseUntil' | 'giveUpAt'>

/** `GET /api/tasks` */
export interface Tasks {
  readonly tasks: readonly OpenItem[]
  /** Where the next page begins; null: there is none. */
  readonly next: string | null
  readonly pauses: readonly object[]
}

/** `GET /api/request` */
export type Explained = ExplainJson & { readonly pauses: readonly object[] }
