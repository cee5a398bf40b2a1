import type { Fate, StageFacts } from './factParts.ts'
import type { LogQueries } from './insights.ts'
import type { ItemFacts } from './itemFacts.ts'

/**
 * The record of a flow's key.
 * - `idle`: no request has the key.
 * - `running`: an attempt of a stage holds its lease.
 * - `waiting`: no stage runs; a message, an answer or the time of a retry continues it.
 * - `lost`: the lease of a stage has ended, and no end was stored.
 * - `overTime`: its time limit is exhausted.
 * - `ending`: it is being ended, and can write nothing.
 */
export interface FlowFacts extends ItemFacts {
  readonly kind: 'flow'
  readonly status: 'idle' | 'running' | 'waiting' | 'lost' | 'overTime' | 'ending'
  /** Grows with each start and each reset. */
  readonly epoch: number
  /** Grows with each claim of any stage. */
  readonly fence: number
  /** The request that holds the key. */
  readonly run: RunFacts | undefined
  /** The newest request that has started. */
  readonly newest: VersionFacts | undefined
  /** The newest request that waits on the queue for the key. */
  readonly waiting: VersionFacts | undefined
  /** The last request that ended, by the digest of its id. */
  readonly last: { readonly as: string; readonly digest: string } | undefined
  /** Ended requests that are remembered. */
  readonly ended: number
  /** Requests that were dropped while another one held the key. */
  readonly dropped: number
  /** Of an idle key: effects and calls of the last run, as they are stored. */
  readonly lastMarks: readonly string[]
  /** What the next delivery of the request asked for does: one for each open stage. */
  readonly fates: readonly Fate[]
  readonly logs: LogQueries
}

interface RunFacts {
  readonly request: string
  /** When the run is ended, if it has not ended before. */
  readonly giveUpAt: number
  /** A redrive has reopened the run, or one of its stages. */
  readonly reopened: boolean
  /** Why it is being ended. `undo`: whether its effects will be undone. */
  readonly ending: { readonly as: string; readonly undo: boolean } | undefined
  /** Those that are done first, then by name; last those that a message is on its way to. */
  readonly stages: readonly StageFacts[]
  /** Effects and calls as they are stored. */
  readonly marks: readonly string[]
  /** Its awaited steps, as far as they are stored under the key. */
  readonly steps: readonly string[]
}

interface VersionFacts {
  readonly request: string
  /** When it was first sent. */
  readonly sentAt: number
}

/**
 * An awaited step.
 * - `waiting`: for answers, until its timeout. `overdue`: its timeout was lost.
 * - `complete`: the needed answers came. `timedOut`: they did not.
 */
export interface StepFacts extends ItemFacts {
  readonly kind: 'step'
  readonly status: 'waiting' | 'overdue' | 'complete' | 'timedOut'
  readonly step: string
  readonly request: string
  /** Answers that complete it. */
  readonly need: number
  readonly received: number
  /** Answers that were asked for. */
  readonly requested: number
  readonly since: number | undefined
  /** When it times out. */
  readonly until: number
  readonly externalIds: readonly { readonly id: string; readonly answered: boolean }[]
  /** Requested answers whose external ids are not stored in plain text. */
  readonly more: number
  /** Why the last answer by hand was refused. */
  readonly refused: string | undefined
  /** An operator has given up its answer: the next one runs its handler from its beginning. */
  readonly reopened: boolean
}

/**
 * What is kept of a dead request of a flow.
 * - `dead`: a redrive of its dead letter continues it.
 * - `waiting`: an operator has reopened the step whose handler had died. Its answer or its timeout continues it.
 * - `undoing`, `undone`: its effects. It cannot be redriven.
 * - `closed`: it was redriven and has ended, or `flow forget` has closed it.
 */
export interface DeadRunFacts extends ItemFacts {
  readonly kind: 'deadRun'
  readonly status: 'dead' | 'waiting' | 'undoing' | 'undone' | 'closed'
  readonly request: string
  readonly diedAt: number | undefined
  /** Why it was ended before its time. undefined: by a dead letter. */
  readonly ending: string | undefined
  /** What has become of the undo of its effects. undefined: they are not to be undone. */
  readonly undo: 'due' | 'sent' | 'undone' | undefined
  readonly stages: readonly StageFacts[]
  readonly error: string | undefined
  /** Where the error came from, one frame or cause a line. */
  readonly stack: string | undefined
  /** Effects and calls as they are stored: a redrive does not repeat them. */
  readonly marks: readonly string[]
  readonly logs: LogQueries
}
