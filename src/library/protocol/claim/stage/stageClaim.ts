import type { AfterLost, DeadLetterNotice, Death } from '../hold.ts'
import type { ClaimStreak } from './claimStreak.ts'
import type { Unclaimed } from '../unclaimed.ts'
import type { AnyStageRequest } from './claimWrite.ts'
import type { EndOptions } from './endRun.ts'
import type { HeldStage } from './stageOwnedBy.ts'
import type { DyingEntry } from './stageEntry.ts'
import type { StageRecord } from './stageRecord.ts'
import type { StageNames } from './stageMessage.ts'
import type { StageVerdict, RefusalCode } from './verdict.ts'
import type { StoreKey, ReadOutcome, WriteOutcome } from '../../store/store.ts'

export type StageClaim =
  /**
   * `first`: no earlier attempt has had the stage in this run. A released attempt does not count as an attempt, but may have made
   * calls.
   */
  | ({
      readonly kind: 'claimed'
      readonly held: HeldStage
      readonly first: boolean
      /** As in `Fencing`. */
      readonly isSurelyFirst: boolean
      readonly refusal: Death
    } & AfterLost)
  | ({
      readonly kind: 'deadLettering'
      readonly held: HeldStage<DyingEntry>
      readonly refusal: Death
    } & AfterLost)
  | Unclaimed

export interface StageClaimRequest {
  readonly key: StoreKey
  readonly request: AnyStageRequest
  /** The request does not start before this time, epoch milliseconds: the delay is longer than a queue can keep a message. */
  readonly notBefore: number
  decide(record: StageRecord | undefined, request: AnyStageRequest): StageVerdict
  sleep(milliseconds: number): Promise<void>
  /** The cause of death for the dead letter, if the request may not run. */
  readonly refusal: Death
  readonly names: StageNames
  /** The claim is taken before the record runs. A message that may kill its sandbox is then not claimed. */
  readonly ahead: boolean
  readonly closing: EndOptions
  /** undefined: the record is read first. */
  readonly unread?: Unread | undefined
}

/** A message that was not delivered before: its claim may be tried before the record is read (probableClaim). */
export interface Unread {
  readonly streak: ClaimStreak
  /** The fence of the record when the message was sent. undefined: the message does not say it. */
  readonly fence: number | undefined
}

/** The last known state of the record: from a read, or from a refused write. */
export type Seen = ReadOutcome | WriteOutcome

export const ABANDONED = {
  reason: 'abandoned',
  error: 'its run was abandoned: it had not ended within its time limit (giveUpAfter)',
} as const

export function refusalOfStage(
  { refusal, request }: StageClaimRequest,
  because: RefusalCode,
): DeadLetterNotice {
  const why = because === 'rejected' ? refusal : WHY[because]
  return { ...why, death: request.death }
}

const WHY: Readonly<Record<Exclude<RefusalCode, 'rejected'>, Omit<DeadLetterNotice, 'death'>>> = {
  'too old': {
    reason: 'too old',
    error:
      'it arrived after its time limit (giveUpAfter), or so long after it that what belongs to its run is no longer kept: it was not run',
  },
  lost: {
    reason: 'lost record',
    error:
      'the stage record of its key is gone, or older than this message: restored from a backup, or deleted by hand. What its ' +
      'run has done is not known any more, so it was not run; start its request again once you know',
  },
  unsent: {
    reason: 'not handed on',
    error:
      'no stage of its run has sent to this stage: it was not run, and its run continues without it. It was sent by another ' +
      'sender, by an attempt that ended otherwise when it was repeated, or for a stage that was renamed (formerNames)',
  },
  conflict: {
    reason: 'conflict',
    error:
      'another payload came with its uniquerequestid before; this one was neither run nor dropped. If both are meant, send this ' +
      'one again under an id of its own',
  },
  process: {
    reason: 'process changed',
    error:
      "the option process of the flow ('newest', 'every') was changed since the record of its key began, and what that remembers of " +
      'ended requests cannot be read as the other one; it was not run, and a run that has the key waits for its messages. Set ' +
      'process back, deploy, and send this dead letter back. A flow with another process needs another name',
  },
  name: {
    reason: 'conflict',
    error:
      'another function, which reads another queue, has run its key as the first stage of a flow of the same name on the same ' +
      'table; this one was neither run nor dropped. Give one of the two flows another name and send this message back to its ' +
      'queue',
    unnamed: true,
  },
  busy: {
    reason: 'busy',
    error:
      'another request has its key: on a FIFO queue this dead letter would hold up the messages that the other one waits for. ' +
      'It was not run; send it back when the other request has ended',
  },
}

export function unknownStage(stage: string, name: string): Death {
  return {
    reason: 'unknown stage',
    error:
      `its run waits for a stage '${name}', which this definition of the flow does not know; it was not run, and its run has ` +
      `ended. If '${name}' is '${stage}' now, add formerNames: ['${name}'] to it and send this dead letter back`,
  }
}
