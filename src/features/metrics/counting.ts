import { messageOf } from '../../base/errors.ts'
import type { Feature } from '../../deliver/feature.ts'
import { count, type Dimensions, type Figure, type Metrics, report } from './metrics.ts'
import { openTally } from './tally.ts'

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
