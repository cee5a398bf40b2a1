import type { Facts } from './facts.ts'
import type { InJson } from './inJson.ts'
import type { TimelineEvent } from './timelineEvent.ts'
import type { Waterfall } from './waterfall.ts'

/** What `lineclear explain --json` prints, beside the pauses and how much of the log was read. */
export interface ExplainJson {
  readonly explained: readonly {
    readonly title: string
    readonly lines: readonly string[]
    readonly facts: InJson<Facts>
  }[]
  readonly timeline: readonly InJson<TimelineEvent>[]
  readonly waterfall: InJson<Waterfall>
}
