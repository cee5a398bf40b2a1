import {
  CreateQueueCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
} from '@aws-sdk/client-sqs'
import type { LocalCloud } from 'lineclear/local'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { claimedBy } from '../../../src/library/protocol/claim/token/claimedBy.ts'
import { findHomeQueues } from '../../../src/tools/operator/dlq/destinations.ts'
import { startDlqCloud } from './dlqHarness.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startDlqCloud()
})
afterAll(() => cloud.stop())

/** As the token of a request shows it that `queue` has delivered. */
async function claimFrom(queue: string): Promise<string> {
  const AttributeNames = ['QueueArn'] as const
  const { Attributes } = await cloud.sqs.send(
    new GetQueueAttributesCommand({
      QueueUrl: cloud.queueUrl(queue),
      AttributeNames: [...AttributeNames],
    }),
  )
  return claimedBy('arn:aws:lambda:eu-central-1:1:function:orders', Attributes?.QueueArn ?? '')
}

describe('the dead-letter queue of a request', () => {
  it('is that of the queue which its token identifies', async () => {
    const homeQueue = await findHomeQueues(cloud.sqs)
    expect(homeQueue(await claimFrom('pay'))).toBe('dead')
    expect(homeQueue(await claimFrom('orders.fifo'))).toBe('dead.fifo')
  })

  it('is not guessed among several', async () => {
    const homeQueue = await findHomeQueues(cloud.sqs)
    expect(homeQueue(undefined)).toBeUndefined()
    expect(homeQueue(await claimFrom('dead'))).toBeUndefined()
    expect(homeQueue('written by hand')).toBeUndefined()
  })

  it('is the only one there is, also if the token does not identify a queue', async () => {
    const fifo = cloud.queueUrl('orders.fifo')
    const { Attributes } = await cloud.sqs.send(
      new GetQueueAttributesCommand({ QueueUrl: fifo, AttributeNames: ['RedrivePolicy'] }),
    )
    await cloud.sqs.send(new DeleteQueueCommand({ QueueUrl: fifo }))
    const homeQueue = await findHomeQueues(cloud.sqs)
    expect(homeQueue(undefined)).toBe('dead')
    const restored = { RedrivePolicy: Attributes?.RedrivePolicy ?? '', FifoQueue: 'true' }
    await cloud.sqs.send(new CreateQueueCommand({ QueueName: 'orders.fifo', Attributes: restored }))
  })
})
