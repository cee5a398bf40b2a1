import { ReceiveMessageCommand } from '@aws-sdk/client-sqs'
import { PublishCommand } from '@aws-sdk/client-sns'
import { startLocalCloud } from 'lineclear/local'
import { expect, it, vi } from 'vitest'

const described = {
  queues: { orders: {} },
  topics: { orders: { subscriptions: [{ queue: 'orders', raw: true }] } },
}

it('two copies of Lineclear in one process do not change the engine twice', async () => {
  await using _ = await startLocalCloud(described)
  vi.resetModules()
  const copy = await import('lineclear/local')
  expect(copy.startLocalCloud).not.toBe(startLocalCloud)
  await using cloud = await copy.startLocalCloud(described)
  await cloud.sns.send(
    new PublishCommand({
      TopicArn: cloud.topicArn('orders'),
      MessageStructure: 'json',
      Message: '{"default":"d","sqs":"q"}',
    }),
  )
  const { Messages } = await cloud.sqs.send(
    new ReceiveMessageCommand({ QueueUrl: cloud.queueUrl('orders'), WaitTimeSeconds: 5 }),
  )
  expect(Messages?.map(({ Body }) => Body)).toEqual(['q'])
})
