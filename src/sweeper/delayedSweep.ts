import type { Delayed } from '../features/delay/delayedRow.ts'
import type { Logger } from '../base/logger.ts'
import type { Messenger, QueueMessage } from '../send/messenger.ts'
import type { Store } from '../store/store.ts'

/** What one run of the sweeper did with the rows of delayed messages. */
export interface DelayedReport {
  /** On their queues, some with the seconds that were left as their delay. */
  readonly sent: number
  /** Taken back with their run. */
  readonly void: number
  /** Put off, because their run has a dead letter that may be redriven, or is being ended. */
  readonly waiting: number
  /** Written by a newer version, or by hand: left alone. */
  readonly unreadable: number
  /** Not sent: the next run tries again. */
  readonly failed: number
}

export interface DelayedSweep extends DelayedReport {
  /** Milliseconds since the oldest row was first due when the run began; 0: none was overdue. */
  readonly oldest: number
}

export interface SendContext {
  readonly store: Store
  readonly messenger: Messenger
  readonly logger: Logger
  now(): number
  /** Whether no further page may be begun. */
  timeIsUp(): boolean
}

/** A run of the sweeper over delayed messages. */
export interface Sweep extends SendContext {
  readonly begun: number
  readonly counts: { -readonly [Kind in keyof DelayedReport]: number }
  oldest: number
  /** Queues that refuse for good: nothing more is sent to them in this run. */
  readonly refusing: Set<string>
}

export type DueRow = Delayed & { readonly message: QueueMessage }
