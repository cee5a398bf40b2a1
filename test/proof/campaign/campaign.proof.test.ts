import { expect, test } from 'vitest'
import { isProof, sampled } from '../depth.ts'
import { runCampaign } from './campaign.ts'
import { POLICIES } from './plan.ts'

const REQUESTS = isProof ? 12 : 4

/** Short ones at once, of every policy in the proof; `npm run campaign` runs a thousand at a time. */
test.concurrent.each(sampled(POLICIES, POLICIES.length))(
  'flows over three Lambdas under every fault: $name',
  async (policy) => {
    const books = await runCampaign({ requests: REQUESTS, seed: 7, policy })
    expect(books).toMatchObject({
      requests: REQUESTS,
      lost: [],
      doubled: [],
      untold: [],
      stale: [],
      orphans: 0,
      dead: 0,
      swept: 0,
    })
    expect(books.again).toBeGreaterThan(REQUESTS)
    expect(books.charges).toBeGreaterThanOrEqual(books.completed)
    expect(books.charges).toBeLessThanOrEqual(books.mayBeCharged)
  },
)
