import type { LogFields } from '../logger.ts'
import type { Item, Update } from '../store/store.ts'
import type { EndReason } from './settlement.ts'

/**
 * What one attempt holds: the lock token of its request, or a stage of a flow. Every write it makes carries its fence, and
 * all that the rest of the way knows of the two protocols is this.
 */
export interface Hold {
  /** Executions begun, this one included. */
  readonly attempt: number
  /** Number of the newest re-send. */
  readonly resendNumber: number
  /** Until when it may be tried again, epoch milliseconds. undefined: as the age of its message allows. */
  readonly notAfter: number | undefined
  /** On every line of its log. */
  readonly fields: LogFields
  readonly effects: AppliedEffects
  readonly calls: OutsideCalls

  /** After the last effect, and after all that was sent. `stale`: it stopped half-way, and what it wanted to send was not sent. */
  settle(end: 'completed' | 'stale'): Promise<WriteResult>
  /** Written before a copy is sent: from here on no attempt starts before `notBefore`, whichever copy arrives first. */
  scheduleResend(resendNumber: number, notBefore: number, end: FailedAttempt): Promise<WriteResult>
  /** The queue has accepted the copy. The write may be lost: then an older copy is delivered once more. */
  confirmResend(resendNumber: number, notBefore: number): Promise<void>
  /** The same message comes back after its visibility timeout. */
  waitUntil(notBefore: number, end: FailedAttempt): Promise<WriteResult>
  /** Returned to the queue before its handler started: the attempt does not count. The write may be lost. */
  release(): Promise<void>
  /** Fences the request before its dead letter is sent; then comes `finishDeadLettering`. */
  startDeadLettering(death: Death): Promise<WriteResult>
  /** What the dead letter says. */
  deathReport(): DeathReport
  finishDeadLettering(): Promise<WriteResult>
  /** A write of the handler was refused: who has the claim now, and whether the message has a job left. */
  explainLostClaim(): Promise<WriteResult>
}

/** What became of a write. `by`: the other request that has its key, for the log. */
export type WriteResult =
  | { readonly kind: 'written' }
  | { readonly kind: 'failed'; readonly error: Error }
  /** Another attempt has it now. Only if the request itself is over may the message go: the other attempt may die. */
  | {
      readonly kind: 'lost'
      readonly over: EndReason | undefined
      readonly by?: string | undefined
    }

/** Why an attempt is followed by another one. */
export interface FailedAttempt {
  /** Kept for the dead letter, in case the attempts after it end silently. */
  readonly error: string
  /** False: a table or a queue did not answer. That is no fault of the record, and costs it nothing of its budget. */
  readonly counts: boolean
}

export interface Death {
  readonly reason: string
  readonly error: string
}

/** A dead letter for a message that nothing in the store stands for: refused before any claim, or in conflict with another's. */
export interface DeadLetterNotice extends Death {
  /** The dead letter bears no consumer's name: its consumer is to run it under another name. */
  readonly unnamed?: true
  /** The number of its death, when that is not the one it came with. */
  readonly death?: number | undefined
}

export interface DeathReport extends Death {
  readonly attempts: number
  /** A redrive is recognised by it. */
  readonly death: number
}

/** Effects in the user's tables, by name. */
export interface AppliedEffects {
  /** Nothing is written; the transaction with the user's write fails when the claim is gone. */
  check(): Update
  /** In one transaction with the user's write. undefined: done already. */
  mark(name: string): Update | undefined
  marked(name: string): void
  /** Whether the item that refused a check or a mark shows the claim as mine, and the mark as set. */
  judge(item: Item | undefined, name: string | undefined): 'set' | 'lost'
}

/** Stored before a call that may not be repeated. */
export const STARTED = 'start'

/** Outside calls, by name, as texts. Writes throw SupersededError when the claim is gone. */
export interface OutsideCalls {
  stored(name: string): Promise<string | undefined>
  /** @returns what stands there already, when another write was first. */
  store(name: string, value: string, before: string | undefined): Promise<string | undefined>
  /** The call surely did not happen: it may be made again. */
  forget(name: string): Promise<void>
  /** Bytes that an answer may still take. */
  bytesLeft(): number
}
