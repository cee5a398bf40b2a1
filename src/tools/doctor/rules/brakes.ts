import { type DeliveryRule, SQS_PAGES } from '../rule.ts'
import { sources } from './mappedQueues.ts'

/** Of `circuitBreaker`: how long a record is hidden at first. Seconds, as all times here. */
const FIRST = 30
/** SQS hides a message for 12 hours, and Lineclear stays a minute below. */
const LONGEST = 43_140

/**
 * How often a record is received while its brake is on: it is hidden for as long as the brake has been on, for 12 hours after its first
 * receive, and then for 12 hours each time.
 */
export function brakedReceives(seconds: number): number {
  let receives = 1
  for (let time = FIRST; time < seconds; receives += 1) {
    time = Math.min(2 * time, time < LONGEST ? LONGEST : time + LONGEST)
  }
  return receives
}

/** SQS keeps messages for 4 days, if nothing else is known. */
const FOUR_DAYS = 345_600

const receives: DeliveryRule = {
  id: 'brake-receives',
  severity: 'warning',
  needs: [],
  source: `${SQS_PAGES}/sqs-dead-letter-queues.html`,
  check: (deployment, { brake, maxAttempts }) => {
    if (brake === 'none') return []
    return sources(deployment).flatMap(({ id, retention = FOUR_DAYS, deadLetter }) => {
      const given = deadLetter?.maxReceiveCount
      // Attempts that failed before the brake was put on were receives, too.
      const least = brakedReceives(retention) + maxAttempts - 1
      if (deadLetter === undefined || given === undefined || given >= least) return []
      return [
        {
          subject: id,
          problem: `maxReceiveCount is ${given}, and it keeps messages for ${retention} s.`,
          consequence:
            'While a brake is on, records are received now and then and hidden again: in a long outage SQS moves them to the dead-letter queue without an attempt.',
          cure: `Set maxReceiveCount to ${least} or more, which bears an outage for as long as it keeps messages.`,
        },
      ]
    })
  },
}

export const BRAKE_RULES: readonly DeliveryRule[] = [receives]
