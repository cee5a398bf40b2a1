import { parseArgs } from 'node:util'
import { runCampaign } from './campaign.ts'
import { runCalls } from './calls.ts'
import { openExamples } from './examples.ts'
import { runOrders } from './orders.ts'
import { POLICIES } from './plan.ts'
import { RUNNING_ON, THROTTLED, THROTTLED_BATCHES } from './faults.ts'

/** `npm run campaign -- --requests 1000 --seeds 10 --from 1 --policy newest-supersede` (or `orders`, `examples`), or `--minutes 30` for as many seeds as fit; `--batch 100` for batches of up to a hundred records, without the examples: some have FIFO queues; `--running-on`: each attempt that times out runs on, ten invocations at once, also of `calls`, without the examples; `--whole-batches`: mappings without ReportBatchItemFailures, for flows. */
const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '1000' },
    seeds: { type: 'string', default: '1' },
    from: { type: 'string', default: '1' },
    policy: { type: 'string' },
    minutes: { type: 'string' },
    batch: { type: 'string', default: '10' },
    'running-on': { type: 'boolean', default: false },
    'whole-batches': { type: 'boolean', default: false },
  },
})

const first = Number(values.from)
const requests = Number(values.requests)
const until =
  values.minutes === undefined ? undefined : Date.now() + Number(values.minutes) * 60_000
const isTime = (seed: number): boolean =>
  until === undefined ? seed < first + Number(values.seeds) : Date.now() < until

const batchSize = Number(values.batch)
/** More records take longer, on two cores that other runs use too. */
const runningOn = values['running-on']
const wholeBatches = values['whole-batches']
const conditions = runningOn
  ? { faults: RUNNING_ON, batchSize, concurrency: 10, runningOn, timeout: 5 }
  : batchSize > 10
    ? { faults: THROTTLED_BATCHES, batchSize, timeout: 5 }
    : { faults: THROTTLED, batchSize }
/** Orders are then under way and tried again. */
const badDeployment = { after: 3_000, for: 4_000 }

await using examples = await openExamples()
const print = console.log
// The metrics of the examples are lines of JSON.
console.log = () => {}

const runs = [
  ...POLICIES.map((policy) => ({
    name: policy.name,
    run: async (seed: number) => {
      const { stale, untold, orphans, dead, ...books } = await runCampaign({
        requests,
        seed,
        policy,
        ...conditions,
        wholeBatches,
      })
      const wrong = stale.length + untold.length + orphans + dead
      return { ...books, stale, untold, orphans, dead, wrong }
    },
  })),
  {
    name: 'orders',
    run: async (seed: number) => ({
      ...(await runOrders({ requests, seed, ...conditions, badDeployment })),
      wrong: 0,
    }),
  },
  {
    name: 'calls',
    run: async (seed: number) => ({ ...(await runCalls({ requests, seed })), wrong: 0 }),
  },
  {
    name: 'examples',
    run: async (seed: number) => {
      const books = await examples.run({ requests, seed, faults: conditions.faults })
      return { ...books, wrong: books.dead }
    },
  },
].filter(
  ({ name }) =>
    (values.policy === undefined || name === values.policy) &&
    (name !== 'examples' || (batchSize <= 10 && !runningOn)) &&
    (name !== 'calls' || runningOn) &&
    (!wholeBatches || POLICIES.some((policy) => policy.name === name)),
)
if (runs.length === 0)
  throw new Error(`no run has policy ${values.policy} with batches of ${values.batch}`)

let wrong = 0
for (let seed = first; isTime(seed); seed++) {
  for (const { name, run } of runs) {
    const { wrong: others, ...books } = await run(seed)
    const bad = others + books.lost.length + books.doubled.length + books.swept
    wrong += bad
    print(
      `${bad === 0 ? 'balanced' : 'WRONG'} ${JSON.stringify({ seed, policy: name, batchSize, ...books })}`,
    )
  }
}
process.exitCode = wrong === 0 ? 0 : 1
