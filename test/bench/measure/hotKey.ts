import { pauseForKey } from '../../../src/library/run/deliver/pauses.ts'
import { randomOf } from '../../proof/campaign/plan.ts'
import type { Part } from '../measured.ts'
import { quantile } from '../statistics.ts'
import { virtualTime } from './virtualTime.ts'

/** Of a run, and of the lease of one that another request finds, milliseconds. */
const RUN = 250
const LEASE = 30_000
const SECONDS = 600
const RATES = [0.5, 1, 2, 3, 4, 8] as const

interface HotKey {
  /** Requests of one key, a second. */
  readonly rate: number
  /** How often each is received. */
  readonly receipts: number
  /** Seconds until its run began. */
  readonly p50: number
  readonly p99: number
  /** Seconds until the last one began, when no more come. */
  readonly drained: number
}

/** Requests of one key of a flow, `onConflict: 'defer'`: they run one after the other, and look again as the consumer does. */
export const hotKey: Part = {
  name: 'key',
  title: 'requests of one key, which wait for each other (simulated)',
  async measure() {
    const rows: HotKey[] = []
    for (const rate of RATES) rows.push(await simulateHotKey(rate))
    return {
      tables: [
        {
          title: `One key, ${RUN} ms for a run, ${SECONDS / 60} minutes of requests`,
          head: ['requests a second', 'receipts each', 's p50', 's p99', 's until the last began'],
          rows: rows.map(({ rate, receipts, p50, p99, drained }) => [
            rate,
            receipts,
            p50,
            p99,
            drained,
          ]),
        },
      ],
      figures: {},
    }
  },
}

async function simulateHotKey(rate: number): Promise<HotKey> {
  const { clock, until, arrivals } = virtualTime()
  const random = randomOf(rate * 10)
  let freeAt = 0
  let receipts = 0
  let last = 0
  const waited: number[] = []
  await until(
    arrivals({ rate, seconds: SECONDS, random }, async () => {
      const sent = clock.now()
      for (;;) {
        receipts += 1
        const now = clock.now()
        if (now >= freeAt) break
        await clock.sleep(Math.min(pauseForKey(now - sent), freeAt - RUN + LEASE - now))
      }
      last = clock.now()
      freeAt = last + RUN
      waited.push((last - sent) / 1_000)
    }),
  )
  return {
    rate,
    receipts: receipts / waited.length,
    p50: quantile(waited, 0.5),
    p99: quantile(waited, 0.99),
    drained: Math.round(last / 1_000),
  }
}
