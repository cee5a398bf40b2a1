import type { Token } from '../../../../src/library/protocol/claim/token/token.ts'
import type { FenceRow } from '../../../../src/library/features/sql/effects.ts'

/** Where an attempt stands. */
export type Step =
  /** Its message was delivered. */
  | 'claim'
  /** It has the claim, and knows only that its write was made once. */
  | 'raise'
  /** Its handler runs, and has looked which effects there are. */
  | 'run'
  /** Its transaction has passed the gate and holds the lock. */
  | 'commit'
  /** Its handler has ended. */
  | 'settle'
  /** Its claim is dying: the dead letter has to leave. */
  | 'raise to die'
  | 'send letter'
  | 'over'

export interface Attempt {
  readonly step: Step
  readonly request: number
  readonly stage: string
  readonly epoch: number
  readonly fence: number
  readonly isSurelyFirst: boolean
  /** Its sandbox is gone: nothing but a COMMIT on the wire is left of it. */
  readonly isKilled: boolean
  /** A COMMIT that has been sent and has not arrived: the server holds the lock until then. */
  readonly onTheWire: boolean
  /** The message is a redriven dead letter. */
  readonly death: number | undefined
}

/** What one stage of one request has written. */
export interface Effect {
  readonly request: number
  readonly stage: string
  /** When the mark expires, in days; undefined: there is none. */
  readonly mark: number | undefined
  readonly times: number
}

export interface State {
  /** Days since the start. */
  readonly day: number
  readonly faults: number
  readonly attempts: readonly Attempt[]
  /** Single requests: the token as it is stored. */
  readonly token: Token | undefined
  /** Flows: the record of the key. */
  readonly epoch: number
  readonly fence: number
  readonly running: number | undefined
  /** Of the running request: who has the stage, and which stages have settled. */
  readonly held: Readonly<Record<string, number>>
  readonly settled: readonly string[]
  readonly lastCompleted: boolean
  readonly row: FenceRow | undefined
  /** The attempt that holds the lock of the row. */
  readonly lock: number | undefined
  readonly effects: readonly Effect[]
  /** How many dead letters have left. */
  readonly letters: number
  readonly diedOn: number
  /** Fence of the attempt that has sent the last one; 0: none has left. */
  readonly letterFence: number
  /** When the last run of the key has ended, in days. */
  readonly endedOn: number
  /** Effects of attempts before this one must not appear: by stage the highest fence, and the epoch, whose handler has begun. */
  readonly begun: { readonly epoch: number; readonly stages: Readonly<Record<string, number>> }
  readonly redriven: number
  readonly violation: string | undefined
}
