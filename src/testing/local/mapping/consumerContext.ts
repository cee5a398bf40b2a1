import { checkFaults, type Faults } from '../faults/faults.ts'
import { newStrikes, type Strikes } from '../faults/strikes.ts'
import type { Listening } from '../observe/publish.ts'
import type { ConsumerSettings, Counts } from './options.ts'
import type { QueueSource } from './queueSource.ts'
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

/** The faults of a mapping, which can change while it runs. */
interface Injection {
  now(): Injected
  /** @throws ConfigError as at the start */
  set(faults: Faults): void
  readonly strikes: Strikes
}

/** What an invocation takes with it when it begins, and keeps. */
export interface Injected {
  readonly faults: Faults
  /** When the faults were set, by `performance.now()`. */
  readonly began: number
}

export function injection(faults: Faults): Injection {
  let injected: Injected
  const set = (next: Faults): void => {
    checkFaults(next)
    injected = { faults: next, began: performance.now() }
  }
  set(faults)
  return { now: () => injected, set, strikes: newStrikes() }
}
