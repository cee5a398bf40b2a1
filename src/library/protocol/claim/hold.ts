import type { LogFields } from '../../base/logger.ts'
import type { Creation, Item, Update } from '../store/store.ts'
import type { EndReason } from './settlement.ts'
import { SupersededError } from '../../base/errors.ts'

/**
 * The claim of one attempt: on the lock token of its request, or on a stage of a flow. Every write through it carries the fence.
 * The rest of the code knows both protocols only by this interface.
 */
export interface Hold {
  /** Executions that have begun, including this one. */
  readonly attempt: number
  /** Number of the newest resend. */
  readonly resendNumber: number
  /** In a flow: the partition key of its record, and the request that runs it. */
  readonly run?: { readonly recordPk: string; readonly uniqueRequestId: string }
  /** Until when the request may be tried again, epoch milliseconds. undefined: the age of its message decides. */
  readonly notAfter: number | undefined
  /** Added to every log line of the attempt. */
  readonly fields: LogFields
  readonly effects: AppliedEffects
  readonly calls: OutsideCalls
  /** Effects and calls that this attempt or an earlier one has noted, as far as they are known without a read. */
  names(): readonly string[]
  readonly fencing: Fencing

  /**
   * Called after the last effect, and after all messages are sent. `stale`: the handler stopped half-way, and its messages were
   * not sent. `sent`: kept for operators, where there is room (Outbox.sent).
   */
  settle(end: 'completed' | 'stale', sent?: string): Promise<WriteResult>
  /** Written before a copy is sent: from now on no attempt starts before `notBefore`, whichever copy arrives first. */
  scheduleResend(resendNumber: number, notBefore: number, end: FailedAttempt): Promise<WriteResult>
  /** Records that the queue has accepted the copy. This write may be lost: then an older copy is delivered again. */
  confirmResend(resendNumber: number, notBefore: number): Promise<void>
  /** Ends the attempt: SQS delivers the same message again at `notBefore`, epoch milliseconds. */
  waitUntil(notBefore: number, end: FailedAttempt): Promise<WriteResult>
  /** Gives the claim back because the handler was not started: the attempt does not count. This write may be lost. */
  release(): Promise<void>
  /** Fences the request before its dead letter is sent. `finishDeadLettering` follows. */
  startDeadLettering(death: Death): Promise<WriteResult>
  /** The cause of death that the dead letter carries. */
  deathReport(): DeathReport
  /** @param told `onFailure` follows; `final`: and the request never runs again. undefined: there is none */
  finishDeadLettering(told?: 'told' | 'final'): Promise<WriteResult>
  /** This attempt runs `onFailure` of a request that was dead-lettered for `reason`. */
  readonly afterDeath?: {
    readonly reason: string
    /** Ends it for good without a letter: it waits for an operator. */
    giveUp(error: string): Promise<WriteResult>
  }
  /** Called when a write of the handler was refused. It tells who has the claim now, and whether the message can be acknowledged. */
  explainLostClaim(): Promise<WriteResult>
}

/**
 * The claim, for a database that cannot read it. The later of two attempts at one subject has the higher epoch; within an epoch,
 * the later of two attempts at one stage has the higher fence.
 */
export interface Fencing {
  /** `pk` of the item that has the claim, so that a consumer and a flow of one name are two subjects. */
  readonly subject: string
  /** The request, where one subject has several of them. Empty for a token. */
  readonly request: string
  /** 0 for a token. */
  readonly epoch: number
  /** Stages of a run are fenced apart, because they run side by side. Empty for a token. */
  readonly stage: string
  readonly fence: number
  /**
   * The direct answer to the claim's write says that no earlier attempt can be late. Never true after a lost answer: a copy may
   * have run in between.
   */
  readonly isSurelyFirst: boolean
}

/** The result of a fenced write. `by`: the other request that has the key, for the log. */
export type WriteResult =
  | { readonly kind: 'written' }
  | { readonly kind: 'failed'; readonly error: Error }
  /**
   * Another attempt has the claim. The message may be acknowledged only if the request itself has ended, because the other
   * attempt may die. `gone`: there is no such attempt, because the record of the request was deleted.
   */
  | {
      readonly kind: 'lost'
      readonly gone?: boolean
      readonly over: EndReason | undefined
      /** As in `Over`. */
      readonly otherPayload?: true | undefined
      readonly by?: string | undefined
    }

/** Why an attempt is followed by another one. */
export interface FailedAttempt {
  /** Stored for the dead letter, in case the later attempts end silently. */
  readonly error: string
  /** Stack of the thrown error: its frames and causes, truncated to fit. */
  readonly stack?: string
  /**
   * False when a table or a queue did not answer: the record did not cause this, so the attempt does not count against its retry
   * budget.
   */
  readonly counts: boolean
}

export interface Death {
  readonly reason: string
  readonly error: string
  /** Stack of the thrown error: its frames and causes, truncated to fit. */
  readonly stack?: string
}

/**
 * The dead letter of a message without a claim in the store: it was refused before any claim, or it is in conflict with the claim
 * of another message.
 */
export interface DeadLetterNotice extends Death {
  /** The dead letter does not carry the consumer's name, because its consumer has to run it under another name. */
  readonly unnamed?: true
  /** The number of its death, if it differs from the one that the message arrived with. */
  readonly death?: number | undefined
}

export interface DeathReport extends Death {
  readonly attempts: number
  /** Identifies the death. A redriven dead letter is recognised by this number. */
  readonly death: number
}

/** Effects in the user's tables, by name. */
export interface AppliedEffects {
  /** The mark to set in one transaction with the user's write. undefined: the effect was applied before. */
  mark(name: string): Update | Creation | undefined
  marked(name: string): void
  /** Whether the item that refused a mark shows that this attempt has the claim and that the mark is set. */
  judge(item: Item | undefined, name: string): 'set' | 'lost'
}

/** Stored before a call that may not be repeated. */
export const STARTED = 'start'

/** Results of outside calls as texts, by name. Writes throw SupersededError when the claim is lost. */
export interface OutsideCalls {
  stored(name: string): Promise<string | undefined>
  /** @returns the text that is stored already, when another write was first */
  store(name: string, value: string, before: string | undefined): Promise<string | undefined>
  /** The call certainly did not happen, so it may be made again. */
  forget(name: string): Promise<void>
  /**
   * Keeps room for the result of this call, if it fits, until it is stored.
   * @returns how many bytes it may take at most
   */
  takeBytes(name: string, bytes: number): number
  /** @throws TerminalError `REQUEST_FULL` when the result of a further call could not be noted: call it before the call is made */
  assertRoom(name: string): void
}

/**
 * Whether the attempt before this one was lost: its lease ended, and nothing was written at its end. It was killed, was cut off by
 * the timeout, or could not store its end. Only the claim that takes over knows, because a lost attempt reports nothing.
 */
export interface AfterLost {
  readonly afterLost?: true
}

export const AFTER_LOST: AfterLost = { afterLost: true }

export function superseded(attempt: number, uniqueRequestId: string): SupersededError {
  return new SupersededError(
    `attempt ${attempt} of ${uniqueRequestId} no longer holds the claim: another attempt has taken over, or its flow has ` +
      `moved on, and nothing more is written by this one`,
  )
}
