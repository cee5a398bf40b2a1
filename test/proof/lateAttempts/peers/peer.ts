import type { Stage } from '../stage.ts'

/** How a request is protected, or not. */
export interface Peer {
  readonly name: string
  /** Whose versions the table tells; none of what is in this repository. */
  readonly packages: readonly string[]
  /** What it does better than Lineclear. */
  readonly better: string
  /** undefined: it has no key, and runs each copy. */
  readonly key?: 'none'
  /** Lets a second attempt overtake the first one, lets that go on and fail, and delivers a copy. */
  play(stage: Stage): Promise<void>
  /** The attempts that have written, where that is not into the table of `Stage`. */
  written?(stage: Stage): Promise<readonly number[]>
}
