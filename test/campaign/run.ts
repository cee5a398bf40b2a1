import { parseArgs } from 'node:util'
import { runCampaign } from './campaign.ts'
import { POLICIES } from './plan.ts'

/** `npm run campaign -- --requests 1000 --seeds 10 --from 1 --policy newest-supersede`, or `--minutes 30` for as many seeds as fit. */
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
const policies = POLICIES.filter(
  ({ name }) => values.policy === undefined || name === values.policy,
)
let wrong = 0
const until =
  values.minutes === undefined ? undefined : Date.now() + Number(values.minutes) * 60_000
const isTime = (seed: number): boolean =>
  until === undefined ? seed < first + Number(values.seeds) : Date.now() < until
for (let seed = first; isTime(seed); seed++) {
  for (const policy of policies) {
    const { faults, settled, ...books } = await runCampaign({
      requests: Number(values.requests),
      seed,
      policy,
    })
    const bad =
      books.lost.length +
      books.doubled.length +
      books.stale.length +
      books.orphans +
      books.dead +
      books.swept
    wrong += bad
    const line = { seed, policy: policy.name, ...books, faults, settled }
    console.log(`${bad === 0 ? 'balanced' : 'WRONG'} ${JSON.stringify(line)}`)
  }
}
process.exitCode = wrong === 0 ? 0 : 1
