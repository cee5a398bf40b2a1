import { recordHandler, type RecordHandlerOptions } from 'lineclear'
import { z } from 'zod'

/**
 * After the scale-up of https://github.com/github-aws-runners/terraform-aws-github-runner (MIT): a queued job gets a machine, and the
 * machine the parameters with which it registers. There a failure between the two leaves a machine, and a redelivery starts another.
 */
const Job = z.object({
  id: z.number(),
  eventType: z.literal('workflow_job'),
  repositoryOwner: z.string(),
  repositoryName: z.string(),
})

type Given = Pick<RecordHandlerOptions, 'store' | 'clients' | 'clock' | 'logger'>

export interface Systems {
  isQueued(jobId: number): Promise<boolean>
  /** @param clientToken of EC2: one machine for each */
  run(owner: string, clientToken: string): Promise<string>
  /** A parameter is replaced by itself. */
  putParameter(instance: string): Promise<unknown>
}

export function scaleUp(given: Given, { isQueued, run, putParameter }: Systems) {
  return recordHandler(
    { ...given, name: 'scale-up', schema: Job, id: ({ id }) => String(id) },
    async ({ id, repositoryOwner }, ctx) => {
      if (!(await ctx.call('queued', () => isQueued(id)))) return
      const instance = await ctx.call('instance', (key) => run(repositoryOwner, key.idempotencyKey))
      await ctx.call('parameter', () => putParameter(instance))
    },
  )
}
