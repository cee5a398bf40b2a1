import type { Advice } from '../item/advice.ts'
import type { CallFacts, Fate, MessageFacts, StageFacts } from './factParts.ts'
import type { LogQueries } from './insights.ts'

/**
 * What is known of one stored item. `explain` prints its prose from it, and `explain --json` has it beside the prose. Times are
 * epoch milliseconds; in JSON they are ISO 8601. No facts hold a payload, an answer or a result: only their sizes.
 */
export type Facts =
  | TokenFacts
  | FlowFacts
  | StepFacts
  | DeadRunFacts
  | EventFacts
  | DelayedFacts
  | OtherFacts
  | UnreadableFacts

export interface ItemFacts {
  /** `consumer/ID`, `flow/KEY` or `later/ID`, as the commands accept it. */
  readonly id: string
  readonly pk: string
  readonly sk: string
  /** Consumer, key name or flow. Empty for a delayed message. */
  readonly of: string
  /** The last change by an operator. */
  readonly operator: OperatorFacts | undefined
  /** In the order in which they are best read. */
  readonly advice: readonly Advice[]
}

export type Own<Kind extends ItemFacts, Elsewhere extends keyof Kind = never> = Omit<
  Kind,
  keyof ItemFacts | Elsewhere
>

interface OperatorFacts {
  readonly did: string
  readonly by: string
  /** undefined: the time that is stored cannot be read. */
  readonly at: number | undefined
  readonly why: string
}

/**
 * The lock token of a request, or of a key (`idempotent`, `lockTokens`).
 * - `done`: completed; duplicates are dropped, callers get the stored outcome.
 * - `running`: an attempt holds the lease. `lost`: the lease has ended, and no end was stored.
 * - `free`: no attempt has begun, or an operator released it.
 * - `waiting`: its next attempt is due later. `overdue`: its next attempt is due, and has not begun.
 * - `dying`: its dead letter is being sent. `ending`: it was sent, and `onFailure` runs, or is due.
 * - `error`, `unknown`: it waits for an operator; `unknown`: whether an outside call was made is not known.
 */
export interface TokenFacts extends ItemFacts {
  readonly kind: 'request' | 'key'
  readonly status:
    | 'done'
    | 'running'
    | 'lost'
    | 'free'
    | 'waiting'
    | 'overdue'
    | 'dying'
    | 'ending'
    | 'error'
    | 'unknown'
  /** Executions that have begun since the last fresh start. */
  readonly attempt: number
  /** Grows with each claim. */
  readonly fence: number
  /** Until when the claim of the last attempt is exclusive, or was. undefined: no attempt has a claim. */
  readonly leaseUntil: number | undefined
  /** When the next attempt may begin. undefined: at any time. */
  readonly notBefore: number | undefined
  /** Until when duplicates are recognised, once it is `done`. */
  readonly rememberedUntil: number | 'forever' | undefined
  readonly claimedAt: number | undefined
  /** Who made the last claim: `FUNCTION/REQUEST-ID` of Lambda, or what a lock token was given. */
  readonly claimedBy: string | undefined
  readonly endedAt: number | undefined
  /** SHA-256 of the payload that was taken, base64url. undefined: not known. */
  readonly sha256: string | undefined
  /** Why it was dead-lettered, or parked. */
  readonly reason: string | undefined
  readonly error: string | undefined
  /** Where the error came from, one frame or cause a line. */
  readonly stack: string | undefined
  /** Names of effects in the user's tables. */
  readonly effects: readonly string[]
  readonly calls: readonly CallFacts[]
  readonly sent: readonly MessageFacts[]
  /** How often it was dead-lettered. */
  readonly deaths: number
  /** It never runs again. */
  readonly final: boolean
  /** Why `onFailure` failed last, if it did not end well since. */
  readonly untold: string | undefined
  /** What the next delivery does, or of a key the next call. */
  readonly fates: readonly Fate[]
  readonly logs: LogQueries
}

/**
 * The record of a flow's key.
 * - `idle`: no request has the key.
 * - `running`: an attempt of a stage holds its lease.
 * - `waiting`: no stage runs; a message, an answer or the time of a retry continues it.
 * - `lost`: the lease of a stage has ended, and no end was stored.
 * - `overTime`: its time limit is exhausted.
 */
export interface FlowFacts extends ItemFacts {
  readonly kind: 'flow'
  readonly status: 'idle' | 'running' | 'waiting' | 'lost' | 'overTime'
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
  /** Effects and calls of the last run of an idle key, as they are stored. */
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
 * - `closed`: it was redriven and has ended, or `decide drop` has closed it.
 */
export interface DeadRunFacts extends ItemFacts {
  readonly kind: 'deadRun'
  readonly status: 'dead' | 'waiting' | 'closed'
  readonly request: string
  readonly diedAt: number | undefined
  readonly stages: readonly StageFacts[]
  readonly error: string | undefined
  /** Where the error came from, one frame or cause a line. */
  readonly stack: string | undefined
  /** Effects and calls as they are stored: a redrive does not repeat them. */
  readonly marks: readonly string[]
  readonly logs: LogQueries
}

/**
 * An event that is processed once. `accepted`: stored, and not yet on its queue. `queued`: it is. `taken`: by a consumer of its
 * own process.
 */
export interface EventFacts extends ItemFacts {
  readonly kind: 'event'
  readonly status: 'accepted' | 'queued' | 'taken'
  readonly acceptedAt: number | undefined
  readonly queuedAt: number | undefined
  readonly fates: readonly Fate[]
}

/**
 * A delayed message.
 * - `waiting`: it is due later. `due`: the sweeper sends it.
 * - `heldBack`: its run is dead, and it is looked at again later.
 * - `sent`, `void`: nothing is left to do.
 */
export interface DelayedFacts extends ItemFacts {
  readonly kind: 'delayed'
  readonly status: 'waiting' | 'due' | 'heldBack' | 'sent' | 'void'
  /** When it was given to the sweeper. */
  readonly since: number | undefined
  /** When it was sent, or made void. */
  readonly endedAt: number | undefined
  readonly due: number
  /** When the sweeper looks at it. undefined: never again. */
  readonly dueAt: number | undefined
  /** URL or ARN of its queue. */
  readonly queue: string
  /** Consumer or stage that has sent it. */
  readonly by: string
  readonly request: string
  /** `flow/KEY` of the run that has sent it. */
  readonly run: string | undefined
}

/**
 * An item that `explain` finds, and has no words for; also the payload, answer or result that is kept beside a request, of which only
 * the size is known here, since it may hold private data.
 */
export interface OtherFacts extends ItemFacts {
  readonly kind: 'other'
  readonly status: 'stored'
  readonly keptUntil: number | undefined
  readonly attributes: readonly Attribute[]
}

/** An attribute as text. `bytes` instead of it: it may be content. */
type Attribute =
  | { readonly name: string; readonly value: string }
  | { readonly name: string; readonly bytes: number }

/** Not known to this version: written by a newer one, or damaged. */
interface UnreadableFacts extends ItemFacts {
  readonly kind: 'unreadable'
  readonly status: 'unreadable'
  /** Which format it has, who wrote it, and what to do. */
  readonly why: string
}
