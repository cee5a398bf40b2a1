import { ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs'
import { startLocalCloud } from 'lineclear/local'
import { Producer } from 'sqs-producer'
import { expect, it, vi } from 'vitest'

it('sends texts and messages with attributes, more than a batch, to standard and FIFO queues', async () => {
  await using cloud = await startLocalCloud({ queues: { plain: {}, 'ordered.fifo': {} } })
  for (const [name, value] of Object.entries(cloud.environment)) vi.stubEnv(name, value)
  const sqs = new SQSClient()
  const { QueueUrls = [] } = await sqs.send(new ListQueuesCommand())
  const [ordered = '', plain = ''] = QueueUrls.toSorted()
  const { region } = cloud
  const producer = Producer.create({ queueUrl: plain, region })
  await producer.send(Array.from({ length: 12 }, (_, at) => `text-${at}`))
  const kind = { DataType: 'String', StringValue: 'note' }
  await producer.send({ id: 'late', body: 'late', delaySeconds: 900, messageAttributes: { kind } })
  expect(await producer.queueSize()).toBe(12)
  expect(await cloud.queueDepth('plain')).toMatchObject({ ready: 12, delayed: 1 })
  const fifo = Producer.create({ queueUrl: ordered, region })
  const one = { id: 'a', body: 'a', groupId: 'g', deduplicationId: 'd' }
  await fifo.send([one, { ...one, id: 'b' }])
  expect(cloud.inspectQueue('ordered.fifo').ready).toMatchObject([{ body: 'a' }])
  await expect(fifo.send({ id: 'c', body: 'c' })).rejects.toThrow('Failed to send messages: c')
  sqs.destroy()
})
