import { parseArgs } from 'node:util'
import { runCampaign } from './campaign.ts'
import { openExamples } from './examples.ts'
import { runOrders } from './orders.ts'
import { POLICIES } from './plan.ts'
import { THROTTLED } from './playOut.ts'

/** `npm run campaign -- --requests 1000 --seeds 10 --from 1 --policy newest-supersede` (or `orders`, `examples`), or `--minutes 30` for as many seeds as fit. */
const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '1000' },
    seeds: { type: 'string', default: '1' },
    from: { type: 'string', default: '1' },
    policy: { type: 'string' },
    minutes: { type: 'string' },
  },
})

const first = Number(values.from)
const requests = Number(values.requests)
const until =
  values.minutes === undefined ? undefined : Date.now() + Number(values.minutes) * 60_000
const isTime = (seed: number): boolean =>
  until === undefined ? seed < first + Number(values.seeds) : Date.now() < until

const faults = THROTTLED
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
      const { stale, orphans, dead, ...books } = await runCampaign({
        requests,
        seed,
        policy,
        faults,
      })
      return { ...books, stale, orphans, dead, wrong: stale.length + orphans + dead }
    },
  })),
  {
    name: 'orders',
    run: async (seed: number) => ({
      ...(await runOrders({ requests, seed, faults, badDeployment })),
      wrong: 0,
    }),
  },
  {
    name: 'examples',
    run: async (seed: number) => {
      const books = await examples.run({ requests, seed, faults })
      return { ...books, wrong: books.dead }
    },
  },
].filter(({ name }) => values.policy === undefined || name === values.policy)

let wrong = 0
for (let seed = first; isTime(seed); seed++) {
  for (const { name, run } of runs) {
    const { wrong: others, ...books } = await run(seed)
    const bad = others + books.lost.length + books.doubled.length + books.swept
    wrong += bad
    print(`${bad === 0 ? 'balanced' : 'WRONG'} ${JSON.stringify({ seed, policy: name, ...books })}`)
  }
}
process.exitCode = wrong === 0 ? 0 : 1
