import type { Faults } from '../faults/faults.ts'
import type { ConsumerSettings } from './options.ts'
import type { QueueSource } from './queueSource.ts'
import type { Counts } from './report.ts'
import type { Sandboxes } from './sandboxes.ts'

/** Everything one consumer works with. */
export interface ConsumerContext {
  readonly settings: ConsumerSettings
  readonly lambda: { readonly name: string; readonly arn: string }
  readonly source: QueueSource
  readonly fifo: boolean
  readonly faults: Faults
  readonly counts: Counts
  readonly sandboxes: Sandboxes
  /** When the mapping began, by `performance.now()`. */
  readonly began: number
}
