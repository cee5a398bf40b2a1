import type { FoundQueue } from '../../../../operator/dlq/index.ts'

/** SQS gives at most so many messages for one request. */
const A_RECEIVE = 10
/** Receives that come back empty tell that a queue was seen to its end. */
const AT_THE_END = 2

interface Price {
  readonly letters: number
  /** Requests to SQS, about. */
  readonly requests: number
}

/**
 * What a look at the dead letters costs.
 * @param queue name of the only queue that is looked at; '': all
 */
export function lookPrice(queues: readonly FoundQueue[], queue: string): Price {
  const counts = queues
    .filter(({ name, url }) => queue === '' || name === queue || url === queue)
    .map(({ visible, inFlight, delayed }) => visible + inFlight + delayed)
    .filter((count) => count > 0)
  const letters = counts.reduce((sum, count) => sum + count, 0)
  const receives = counts.map((count) => Math.ceil(count / A_RECEIVE) + AT_THE_END)
  // What was received is made visible again, ten at a time.
  const released = counts.map((count) => Math.ceil(count / A_RECEIVE))
  const requests = [...receives, ...released].reduce((sum, each) => sum + each, 0)
  return { letters, requests }
}
