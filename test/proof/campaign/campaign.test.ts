import { expect, test } from 'vitest'
import { runCampaign } from './campaign.ts'
import { POLICIES } from './plan.ts'

const REQUESTS = 12

/** A short one of every policy at once; `npm run campaign` runs a thousand at a time. */
test.concurrent.each(POLICIES)(
  'flows over three Lambdas under every fault: $name',
  { timeout: 300_000 },
  async (policy) => {
    const books = await runCampaign({ requests: REQUESTS, seed: 7, policy })
    expect(books).toMatchObject({
      requests: REQUESTS,
      lost: [],
      doubled: [],
      stale: [],
      orphans: 0,
      dead: 0,
      swept: 0,
    })
    expect(books.again).toBeGreaterThan(REQUESTS)
    expect(books.charges).toBe(books.completed)
  },
)
