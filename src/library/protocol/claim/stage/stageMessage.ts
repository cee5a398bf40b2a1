import type { RequestHistory } from './requestHistory.ts'
import type { Process } from './stageRecord.ts'
import { isAtEnd, type StageEntry } from './stageEntry.ts'

/** What happens to a request whose key another request has. `supersede` and `coalesce` exist for `newest` only. */
export type OnConflict = 'defer' | 'drop' | 'supersede' | 'coalesce'

/** What a message says about its request and stage. All times are epoch milliseconds. */
export interface StageMessage {
  readonly stage: string
  /** Id of the request that runs the flow. In a later stage this is the id that was passed on, not the message's own. */
  readonly uniqueRequestId: string
  readonly attemptId: string
  readonly leaseUntil: number
  readonly maxAttempts: number
  /** The number of the resend that made this copy; 0 for the original message. */
  readonly resendNumber: number
  /** The epoch of its death, when this message is a redriven dead letter. 0: its request never started. */
  readonly death: number | undefined
  /** From then on the request may no longer run: sentAt + maxAge, or now + maxAge for a redriven dead letter. */
  readonly giveUpAt: number
  /** The stage that sent the message, or the stage that waits for the answer. */
  readonly after?: string | undefined
  /** The epoch of the record that the message carries. 0: it carries none, as a new request does. */
  readonly seen: number
  /** The run began within the retention, so its record cannot have expired. False: it may have, or that is not known. */
  readonly young: boolean
  /** The message is on a FIFO queue, where a waiting message blocks all later messages of its group. */
  readonly fifo: boolean
  /** The fingerprint of a first stage (fingerprintOf). undefined: not known, as for messages of later stages. */
  readonly payload?: string | undefined
  /** The fingerprint of a later stage. undefined: not compared, as for the handler of an answer. */
  readonly laterPayload?: string | undefined
  /**
   * Where epoch and fence of a key without a record begin: the fence at the time, the epoch at the time with `sql`. An outside
   * system or the database may keep the numbers of its last record for longer than the table, and no key is claimed every
   * millisecond. undefined: both begin at 0.
   */
  readonly first?: { readonly epoch: number; readonly fence: number }
  /** The payload may not run (schema). The claim only finds out how the request ended. */
  readonly refused: boolean
  /** What other items show about the request. The verdict `lookUp` asks for it. */
  readonly history: RequestHistory | undefined
  /** URL of the queue of the flow's failure handler. */
  readonly failures?: string | undefined
}

/** A message of the first stage. */
export interface StartRequest extends StageMessage {
  readonly sentAt: number
  readonly process: Process
  readonly onConflict: OnConflict
  /** Identifies the function and its queue. undefined: not known, or not to be compared. */
  readonly by?: string | undefined
}

/** A message of a later stage, sent within the run of `epoch`. */
export interface StageRequest extends StageMessage {
  readonly sentAt: number
  readonly process: Process
  readonly epoch: number
}

/** The names in the current definition, and the former names of the message's stage. */
export interface StageNames {
  readonly known: ReadonlySet<string>
  readonly former: readonly string[]
}

type NameInRun =
  | { readonly kind: 'named'; readonly stage: string }
  /** The run waits for a stage that no definition knows, which must be the stage of this message. */
  | { readonly kind: 'unknown'; readonly stage: string }

/**
 * A run that began before its stage was renamed continues under the old name: its marks, the ids of the messages it sends, and
 * the stages it waits for use that name.
 */
export function nameInRun(
  stages: ReadonlyMap<string, StageEntry>,
  { stage, after }: Pick<StageMessage, 'stage' | 'after'>,
  { known, former }: StageNames,
): NameInRun {
  const names = after === undefined ? [...stages.keys()] : passedBy(stages.get(after))
  if (stages.has(stage) || names.includes(stage)) return { kind: 'named', stage }
  const before = former.find((name) => names.includes(name))
  if (before !== undefined) return { kind: 'named', stage: before }
  const unknown = names.filter((name) => !known.has(name))
  const open = unknown.find((name) => !isAtEnd(stages.get(name)))
  const [only] = unknown
  if (only === undefined || (after !== undefined && unknown.length > 1)) {
    return { kind: 'named', stage }
  }
  return { kind: 'unknown', stage: open ?? only }
}

function passedBy(sender: StageEntry | undefined): readonly string[] {
  return sender?.status === 'settled' ? sender.sentTo : []
}
