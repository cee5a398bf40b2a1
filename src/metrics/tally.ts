import type { Settlement } from '../claim/settlement.ts'
import { count, type Figure, milliseconds } from './metrics.ts'
import { outcomeOf } from './outcome.ts'

/** What happened in one invocation, until it is reported in one go. */
export interface Tally {
  /** A handler was run. @param duration milliseconds */
  ran(attempt: number, duration: number): void
  /** A delivery ended. @param age milliseconds since the first sending, if the record could be read */
  settled(settlement: Settlement, age: number | undefined): void
  figures(): readonly Figure[]
}

/**
 * `received`, and one count per way they ended; `started`; and of single records `attempt` (1: the first), `duration` of the
 * handler, `latency` from the first sending to the completion.
 */
export function openTally(): Tally {
  const outcomes = new Map<string, number>()
  const single: Figure[] = []
  let [received, started] = [0, 0]
  return {
    ran(attempt, duration) {
      started += 1
      single.push(count('attempt', attempt), milliseconds('duration', duration))
    },
    settled(settlement, age) {
      const outcome = outcomeOf(settlement)
      received += 1
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
      // A sender's clock may be ahead of ours.
      if (outcome === 'completed' && age !== undefined)
        single.push(milliseconds('latency', Math.max(age, 0)))
    },
    figures() {
      const ends = [...outcomes].map(([outcome, number]) => count(outcome, number))
      return [count('received', received), count('started', started), ...ends, ...single]
    },
  }
}
