import type { Faults, QueueMapping } from 'lineclear/local'

/** Everything that SQS, Lambda and the network do to a message, more often than they do it. */
export const FAULTS: Faults = {
  duplicate: 0.15,
  duplicateLater: 0.05,
  shuffle: true,
  kill: 0.003,
  loseAnswer: 0.01,
  throttle: 0.01,
}

/**
 * Resolves when all of these queues are empty and none of their functions runs: one function's messages feed the next, so all of them have
 * to be found so without a delivery between the first and the last.
 */
export async function untilQuiet(mappings: readonly QueueMapping[]): Promise<void> {
  const delivered = (): number => mappings.reduce((sum, { counts }) => sum + counts.deliveries, 0)
  let before: number
  do {
    before = delivered()
    for (const mapping of mappings) await mapping.drained({ timeout: '10m' })
  } while (delivered() > before)
}
