import { setTimeout as sleep } from 'node:timers/promises'
import type { Faults, LocalCloud } from 'lineclear/local'

/** Everything that SQS, Lambda and the network do to a message, more often than they do it. */
export const FAULTS: Faults = {
  duplicate: 0.15,
  duplicateLater: 0.05,
  shuffle: true,
  kill: 0.003,
  loseAnswer: 0.01,
  throttle: 0.01,
}

/** Resolves when nothing has been in any of the queues for a while: one Lambda's messages feed the next. */
export async function untilQuiet(cloud: LocalCloud, queues: readonly string[]): Promise<void> {
  const isBusy = (queue: string): boolean => {
    const { ready, delayed, inFlight } = cloud.inspectQueue(queue)
    return ready.length + delayed.length + inFlight.length > 0
  }
  const until = Date.now() + 180_000
  for (let quietSince = Date.now(); Date.now() - quietSince < 1_000; await sleep(50)) {
    if (queues.some(isBusy)) quietSince = Date.now()
    if (Date.now() > until) throw new Error(`messages are left in ${queues.filter(isBusy).join()}`)
  }
}
