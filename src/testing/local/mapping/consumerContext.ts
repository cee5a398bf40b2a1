import type { Listening } from '../observe/publish.ts'
import type { ConsumerSettings } from './options.ts'
import type { Injection } from './injection.ts'
import type { QueueSource } from './queueSource.ts'
import type { Counts } from './report.ts'
import type { Sandboxes } from './sandboxes.ts'

/** Everything that the parts of one consumer share. */
export interface ConsumerContext {
  readonly settings: ConsumerSettings
  readonly lambda: { readonly name: string; readonly arn: string }
  /** The name of the queue. */
  readonly queue: string
  readonly source: QueueSource
  readonly fifo: boolean
  readonly injection: Injection
  readonly listening: Listening
  readonly counts: Counts
  readonly sandboxes: Sandboxes
  /** Code that runs on after its timeout, on Managed Instances; undefined: on others, whose sandboxes end with the timeout. */
  readonly runningOn: Set<Promise<unknown>> | undefined
}
