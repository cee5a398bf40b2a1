import { SendMessageCommand } from '@aws-sdk/client-sqs'
import type { Context } from 'aws-lambda'
import { recordHandler } from 'lineclear'
import { startLocalCloud } from 'lineclear/local'
import { memoryStore, sqsEvent } from 'lineclear/testing'
import { expect, it } from 'vitest'

it('shows the attributes of a message and what Lineclear carries on it', async () => {
  await using cloud = await startLocalCloud({ queues: { mail: {}, plain: {} } })
  const [mail, plain] = [cloud.queueUrl('mail'), cloud.queueUrl('plain')]
  const options = { name: 'orders', store: memoryStore(), clients: { sqs: cloud.sqs } }
  const handler = recordHandler(options, (_, ctx) =>
    ctx.send(mail, { to: 'a' }, { attributes: { tenant: 't', n: 2 } }),
  )
  await handler(sqsEvent({ orderId: 'o1' }), {} as Context)
  await cloud.sqs.send(
    new SendMessageCommand({
      QueueUrl: plain,
      MessageBody: 'x',
      MessageAttributes: { photo: { DataType: 'Binary', BinaryValue: Buffer.from([1, 255]) } },
    }),
  )
  expect(cloud.inspectQueue('mail').ready).toMatchObject([
    {
      body: '{"to":"a"}',
      attributes: { tenant: 't', n: '2' },
      carried: { hops: 1, uniqueRequestId: expect.any(String) as string },
    },
  ])
  const [sent] = cloud.inspectQueue('plain').ready
  expect(sent?.attributes['photo']).toEqual(new Uint8Array([1, 255]))
  expect(sent?.carried).toEqual({ resendNumber: 0, hops: 0 })
})
