import { startLocalCloud, type LocalCloud } from 'lineclear/local'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { awsMessenger } from '../../src/library/adapters/send/awsMessenger.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startLocalCloud({ queues: {}, topics: { paid: {} } })
})
afterAll(() => cloud.stop())

it('three messages of 100 KB reach one topic: SNS takes 256 KiB in a batch, attributes counted', async () => {
  const { publish } = awsMessenger({ sns: cloud.sns, sqs: cloud.sqs })
  const attributes = { kind: { DataType: 'String', StringValue: 'k'.repeat(1_000) } }
  const messages = Array.from({ length: 3 }, () => ({ body: 'x'.repeat(100_000), attributes }))
  expect(await publish(cloud.topicArn('paid'), messages)).toEqual([undefined, undefined, undefined])
})
