import { MANY_TRIES, sendUntilSettled } from '../../../src/library/protocol/store/retries.ts'
import { randomOf } from '../../proof/campaign/plan.ts'
import type { Part } from '../measured.ts'
import { quantile } from '../statistics.ts'
import { virtualTime } from './virtualTime.ts'

/**
 * How long DynamoDB holds the items of a transaction, milliseconds, and refuses others: an assumption, since AWS gives no figure. Two
 * phases of one write each.
 */
const HELD = 8
/** Until a refusal arrives, milliseconds. */
const REFUSED = 4
const SECONDS = 60
const RATES = [10, 25, 50, 75, 100, 200] as const

interface HotRow {
  /** `ctx.write` of one and the same row, a second. */
  readonly rate: number
  /** Transactions for each write that was made. Each costs four write units, whether it was made or not. */
  readonly transactions: number
  /** Milliseconds until a write was made: half of them, and all but one in a hundred. */
  readonly p50: number
  readonly p99: number
  /** Share of the writes that gave up after all tries: their records stay on the queue, and are delivered again. */
  readonly left: number
}

/** One row of the user's that every record writes. No engine on this machine refuses as DynamoDB does, so this is computed. */
export const hotRow: Part = {
  name: 'hot',
  title: 'one row that every record writes (simulated)',
  async measure() {
    const rows: HotRow[] = []
    for (const rate of RATES) rows.push(await simulateHotRow(rate))
    return {
      tables: [
        {
          title: `One row for all, ${HELD} ms for a transaction`,
          head: ['writes a second', 'transactions each', 'ms p50', 'ms p99', 'left for later'],
          rows: rows.map(({ rate, transactions, p50, p99, left }) => [
            rate,
            transactions,
            p50,
            p99,
            `${Math.round(left * 100)} %`,
          ]),
        },
      ],
      figures: {},
    }
  },
}

/** A minute of writers that arrive at random, and try as the store does. The same figures each time. */
export async function simulateHotRow(rate: number): Promise<HotRow> {
  const time = virtualTime()
  const random = randomOf(rate)
  let heldUntil = -Infinity
  let transactions = 0
  const taken: number[] = []
  let left = 0

  const transact = async () => {
    transactions += 1
    if (time.clock.now() < heldUntil) {
      await time.clock.sleep(REFUSED)
      return {
        kind: 'retryable',
        error: new Error('TransactionConflict'),
        tries: MANY_TRIES,
      } as const
    }
    heldUntil = time.clock.now() + HELD
    await time.clock.sleep(HELD)
    return { kind: 'applied' } as const
  }
  const write = async (): Promise<void> => {
    const begun = time.clock.now()
    const { kind } = await sendUntilSettled({ clock: time.clock, random }, transact)
    if (kind === 'failed') left += 1
    else taken.push(time.clock.now() - begun)
  }
  await time.until(time.arrivals({ rate, seconds: SECONDS, random }, write))
  return {
    rate,
    transactions: transactions / taken.length,
    p50: quantile(taken, 0.5),
    p99: quantile(taken, 0.99),
    left: left / (left + taken.length),
  }
}
