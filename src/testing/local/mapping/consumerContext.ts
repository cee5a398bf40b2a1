import type { Faults } from '../faults/faults.ts'
import type { ConsumerSettings } from './options.ts'
import type { QueueSource } from './queueSource.ts'
import type { Counts } from './report.ts'
import type { Sandboxes } from './sandboxes.ts'

/** Everything that the parts of one consumer share. */
export interface ConsumerContext {
  readonly settings: ConsumerSettings
  readonly lambda: { readonly name: string; readonly arn: string }
  readonly source: QueueSource
  readonly fifo: boolean
  readonly faults: Faults
  readonly counts: Counts
  readonly sandboxes: Sandboxes
  /** When the mapping started, by `performance.now()`. */
  readonly began: number
}
