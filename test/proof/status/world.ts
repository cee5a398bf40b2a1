/**
 * What is so in a world, as plain facts: what status says is judged by them, and clients are made of them. Times are epoch
 * milliseconds.
 */
export interface World {
  readonly seed: number
  readonly now: number
  readonly queues: readonly Queue[]
  readonly letters: readonly Letter[]
  readonly records: readonly Recorded[]
  readonly mappings: readonly Mapping[]
  readonly pauses: readonly Paused[]
  readonly circuits: readonly { readonly owner: string; readonly says: string }[]
  readonly sweeper: 'runs' | 'silent' | 'stuck' | 'absent'
  /** A redrive of many that was killed. */
  readonly killedPlan: string | undefined
  readonly denied: ReadonlySet<Denied>
  /** How far this machine is behind AWS. */
  readonly behind: number
}

/** What the credentials may not read. */
export type Denied =
  | 'list of queues'
  | `attributes of ${string}`
  | `messages of ${string}`
  | 'mappings'
  | 'index'
  | 'items'
  | 'audit'

export interface Queue {
  readonly name: string
  /** The queue that its redrive policy names. */
  readonly deadLetterQueue: string | undefined
  /** Messages of a source: those that wait at first, those that somebody has received, those that are delayed. */
  readonly waiting: number
  readonly inFlight: number
  readonly delayed: number
  /** So many more wait each second. */
  readonly grows: number
}

/** Why requests fail. */
export interface Cause {
  readonly reason: string
  /** The error of the nth request. */
  error(nth: number): string
  /** What each text about it says, and no text about another cause. */
  readonly says: string
}

export interface Letter {
  readonly queue: string
  /** Who wrote it. `sqs`: it was received too often, and SQS moved it. `stranger`: another program, without a reason. */
  readonly by: 'lineclear' | 'sqs' | 'stranger'
  /** The request that it is about, as the record has it. undefined: it does not say. */
  readonly of: Identity | undefined
  /** The queue from which SQS moved it. */
  readonly from: string | undefined
  readonly nth: number
  readonly cause: Cause | undefined
  readonly sentAt: number
  /** An attempt has ended before it was written. */
  readonly attempted: boolean
  /** Another reader holds it. */
  readonly held: boolean
  /** SQS does not count it yet. */
  readonly uncounted: boolean
}

export interface Identity {
  readonly form: 'request' | 'key' | 'run' | 'step' | 'event' | 'delayed'
  /** Consumer, name of a key, or flow. */
  readonly owner: string
  readonly id: string
}

export interface Recorded extends Identity {
  readonly nth: number
  /** `complete`: it has ended, and the index has not forgotten it yet. */
  readonly status:
    | 'inProgress'
    | 'dying'
    | 'error'
    | 'unknown'
    | 'dead'
    | 'running'
    | 'awaiting'
    | 'accepted'
    | 'later'
    | 'complete'
  readonly cause: Cause | undefined
  readonly claimedAt: number
  /** When it should have continued; of what is parked, when it died. */
  readonly dueAt: number
  readonly leaseUntil: number
  readonly attempt: number
  /** A dead letter of it was sent. */
  readonly lettered: boolean
  /** Of a run: when it is ended. Of a step: its run has ended before. */
  readonly giveUpAt?: number
  readonly runEnded?: boolean
}

export interface Mapping {
  readonly queue: string
  readonly function: string
  readonly state: string
  readonly result: string | undefined
}

export interface Paused {
  readonly queue: string
  readonly function: string
  readonly state: 'paused' | 'resuming'
  readonly since: number
  readonly until: number | undefined
}

/** The same of a letter and of its record. */
export function nameOf({ form, owner, id }: Identity): string {
  return `${form} ${owner}/${id}`
}
