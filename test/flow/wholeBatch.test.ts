import { defineFlow } from 'lineclear'
import { memoryStore, sqsEvent } from 'lineclear/testing'
import type { SQSClient } from '@aws-sdk/client-sqs'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { lambdaContext } from '../deliver/lambdaContext.ts'
import { quietLogger } from '../deliver/quietLogger.ts'

it('a flow whose mappings do not report failures fails the batch of which a record has to stay', async () => {
  const sqs = { send: async () => ({ Successful: [], Failed: [] }) } as unknown as SQSClient
  const flow = defineFlow({
    name: 'checkout',
    store: memoryStore(),
    logger: quietLogger(),
    clients: { sqs },
    key: ({ id }) => id,
    retry: { transport: 'visibility' },
    reportBatchItemFailures: false,
    stages: { pay: { schema: z.object({ id: z.string() }), final: true } },
  })
  const pay = flow.stageHandler('pay', () => {
    throw new Error('not yet')
  })
  const failing = pay(sqsEvent({ id: 'a' }), lambdaContext())
  await expect(failing).rejects.toThrow('reportBatchItemFailures is false')
})
