import { parseArgs } from 'node:util'
import { runCampaign } from '../campaign.ts'
import { openExamples } from '../examples.ts'
import { runOrders } from '../orders.ts'
import { POLICIES } from '../plan.ts'
import { THROTTLED } from '../faults.ts'
import { runCallsInTurn } from './calls.ts'
import { loadEarlier, unpackEarlier } from './earlier.ts'
import { openRollOut } from './rollOut.ts'
import { PRESENT } from './version.ts'

/** One run of `npm run campaign:versions`, by its name. */
const { values } = parseArgs({
  options: {
    run: { type: 'string', default: 'orders' },
    requests: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
  },
})
const [requests, seed] = [Number(values.requests), Number(values.seed)]
/** So many invocations before the next version comes. */
const EVERY = 12
unpackEarlier()
const rollOut = openRollOut([await loadEarlier(), PRESENT], seed, EVERY)
const conditions = { requests, seed, faults: THROTTLED, rollOut }
const print = console.log
// The metrics of the examples are lines of JSON.
console.log = () => {}
const books = await play(values.run)
const { lost, doubled, swept, stale = [], orphans = 0, dead = 0 } = books
const wrong = lost.length + doubled.length + swept + stale.length + orphans + dead
print(
  wrong === 0 ? 'balanced' : 'WRONG',
  JSON.stringify({ run: values.run, ...books, counts: rollOut.counts }),
)
process.exitCode = wrong === 0 ? 0 : 1

/** What is wrong, as far as a run looks for it. */
interface Books {
  readonly lost: readonly string[]
  readonly doubled: readonly string[]
  readonly swept: number
  readonly stale?: readonly string[]
  readonly orphans?: number
  readonly dead?: number
}

async function play(run: string): Promise<Books> {
  if (run === 'orders') return runOrders(conditions)
  if (run === 'calls') return runCallsInTurn(conditions)
  const policy = POLICIES.find(({ name }) => name === run)
  if (policy !== undefined) return runCampaign({ ...conditions, policy })
  await using examples = await openExamples()
  return await examples.run(conditions)
}
