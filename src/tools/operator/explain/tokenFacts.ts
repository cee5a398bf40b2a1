import type { CallFacts, Fate, MessageFacts } from './factParts.ts'
import type { LogQueries } from './insights.ts'
import type { ItemFacts } from './itemFacts.ts'

/**
 * The lock token of a request, of a key (`idempotent`, `lockTokens`), or of the undo of a stage or record.
 * - `done`: completed; duplicates are dropped, callers get the stored outcome.
 * - `running`: an attempt holds the lease. `lost`: the lease has ended, and no end was stored.
 * - `free`: no attempt has begun, or an operator released it.
 * - `waiting`: its next attempt is due later. `overdue`: its next attempt is due, and has not begun.
 * - `dying`: its dead letter is being sent.
 * - `undoing`, `undone`: it is dead, and its effects are being undone, or are undone.
 * - `error`, `unknown`: it waits for an operator; `unknown`: whether an outside call was made is not known.
 */
export interface TokenFacts extends ItemFacts {
  readonly kind: 'request' | 'key' | 'undo'
  readonly status:
    | 'done'
    | 'running'
    | 'lost'
    | 'free'
    | 'waiting'
    | 'overdue'
    | 'dying'
    | 'undoing'
    | 'undone'
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
  /** Of `done`: until when duplicates are recognised. */
  readonly rememberedUntil: number | 'forever' | undefined
  readonly claimedAt: number | undefined
  /** Who made the last claim: `FUNCTION/REQUEST-ID` of Lambda, or what a lock token was given. */
  readonly claimedBy: string | undefined
  readonly endedAt: number | undefined
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
  /** Of an undo: the key, the request and the stage, or the record, whose effects it undoes. */
  readonly undoes: string | undefined
  /** What the next delivery does, or of a key the next call. */
  readonly fates: readonly Fate[]
  readonly logs: LogQueries
}
