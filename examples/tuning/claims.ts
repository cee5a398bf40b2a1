import { defineFlow, type FlowOptions } from 'lineclear'
import { z } from 'zod'

const Claim = z.object({ claimId: z.string(), policy: z.string(), cents: z.int() })
const Opinion = z.object({ claimId: z.string(), isJust: z.boolean() })

/** What differs between Lambda and a test. */
type Given = Pick<FlowOptions<never, never>, 'store' | 'clients' | 'clock' | 'logger'>

/** Claims on a policy, one after the other: each waits for the opinion of an expert. */
export function claims(given: Given, queueUrl: (name: string) => string) {
  const flow = defineFlow({
    ...given,
    name: 'claims',
    key: ({ policy }) => policy,
    // A newer claim does not replace an older one.
    process: 'every',
    onConflict: 'defer',
    giveUpAfter: '20d',
    stages: { judge: { schema: Claim, queueUrl: queueUrl('judge') } },
    awaitingSteps: {
      opinion: {
        schema: Opinion,
        id: ({ claimId }) => claimId,
        queueUrl: queueUrl('opinions'),
        timeout: '1d',
        // An opinion may come before the claim that asks for it is stored.
        grace: '10m',
      },
    },
  })
  return {
    flow,
    judge: flow.stageHandler('judge', async ({ claimId, policy, cents }, ctx) => {
      await ctx.write('claim', {
        TableName: 'claims',
        Key: { claimId },
        put: { policy, cents, state: 'open' },
      })
      await ctx.awaitStep('opinion', claimId, () => {})
    }),
    opinions: flow.answerHandler(
      'opinion',
      async ({ claimId, isJust }, ctx) => {
        const set = { state: isJust ? 'paid' : 'refused' }
        await ctx.write('close', { TableName: 'claims', Key: { claimId }, set })
      },
      { onTimeout: (ctx) => ctx.reset() },
    ),
    /** The expert asks for three days more. @returns whether there is such a claim */
    postpone: async (claimId: string): Promise<boolean> =>
      (await flow.extendTimeout('opinion', claimId, '3d')) > 0,
  }
}
