import { messageOf } from '../../base/errors.ts'
import type { Feature } from '../../run/deliver/feature.ts'
import {
  count,
  type Dimensions,
  type Figure,
  type Metrics,
  report,
  milliseconds,
  type EndMetric,
} from './metrics.ts'
import type { Settlement } from '../../protocol/claim/settlement.ts'

/** Reports the figures of each invocation at its end. An error of the metrics does not change the result of the batch. */
export function counting(metrics: Metrics, dimensions: Dimensions): Feature {
  return {
    watch(logger) {
      const tally = openTally()
      const say = (figures: readonly Figure[]): void => {
        try {
          report(metrics, dimensions, figures)
        } catch (error) {
          logger.error('metrics threw', { error: messageOf(error) })
        }
      }
      return {
        ran: tally.ran,
        settled: tally.settled,
        noticed: (what, times) => say([count(what, times)]),
        ended: () => say(tally.figures()),
      }
    },
  }
}

/** The figures of one invocation, collected until they are reported together at its end. */
interface Tally {
  /** A handler has run. @param duration milliseconds */
  ran(attempt: number, duration: number): void
  /** A delivery has settled. @param age milliseconds since its first sending; undefined when the record could not be read */
  settled(settlement: Settlement, age: number | undefined): void
  figures(): readonly Figure[]
}

/**
 * Collects `received`; one count for each kind of settlement (together they add up to `received`); `started`; and single values: `attempt` (1 for the first), `duration` of the handler, `latency` from the first sending to the completion.
 */
export function openTally(): Tally {
  const settlements = new Map<EndMetric, number>()
  const single: Figure[] = []
  let [received, started, others] = [0, 0, 0]
  return {
    ran(attempt, duration) {
      started += 1
      single.push(count('attempt', attempt), milliseconds('duration', duration))
    },
    settled(settlement, age) {
      const name = metricOf(settlement)
      received += 1
      if ('otherPayload' in settlement) others += 1
      settlements.set(name, (settlements.get(name) ?? 0) + 1)
      // A sender's clock may be ahead of this one.
      if (settlement.kind === 'completed' && age !== undefined)
        single.push(milliseconds('latency', Math.max(age, 0)))
    },
    figures() {
      const ends = [...settlements].map(([name, number]) => count(name, number))
      if (others > 0) single.push(count('otherPayload', others))
      return [count('received', received), count('started', started), ...ends, ...single]
    },
  }
}

/**
 * The metric of a settlement is its kind. Those that a circuit breaker holds back have one of their own, and so have dead letters of two
 * reasons: an alarm on `unknown` concerns an operator, one on `rejected` the sender.
 */
export function metricOf(settlement: Settlement): EndMetric {
  if (settlement.kind === 'notStarted' && settlement.circuitOpen) return 'circuitOpen'
  if (settlement.kind !== 'deadLettered') return settlement.kind
  const { reason } = settlement
  return reason === 'unknown' || reason === 'rejected' ? reason : 'deadLettered'
}
