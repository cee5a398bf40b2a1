import { GetQueueUrlCommand, SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs'
import { type LocalCloud, startLocalCloud } from 'lineclear/local'
import { Consumer, type ConsumerOptions } from 'sqs-consumer'
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startLocalCloud({
    queues: {
      single: {},
      batch: {},
      slow: {},
      failing: { deadLetter: { queue: 'dead', maxReceiveCount: 3 } },
      dead: {},
    },
  })
})
afterAll(() => cloud.stop())
beforeEach(() => {
  for (const [name, value] of Object.entries(cloud.environment)) vi.stubEnv(name, value)
})

/** Consumes the URL that the cloud answers for a queue, by a client of the consumer's own, until the queue is empty. */
async function consume(
  queue: string,
  bodies: readonly string[],
  options: Partial<ConsumerOptions>,
): Promise<void> {
  const sqs = new SQSClient()
  const { QueueUrl: queueUrl = '' } = await sqs.send(new GetQueueUrlCommand({ QueueName: queue }))
  const Entries = bodies.map((MessageBody, at) => ({ Id: String(at), MessageBody }))
  await sqs.send(new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries }))
  sqs.destroy()
  const consumer = Consumer.create({ queueUrl, region: cloud.region, ...options })
  const errors: Error[] = []
  consumer.on('error', (error) => errors.push(error))
  consumer.on('processing_error', () => {})
  consumer.start()
  const nothing = { ready: 0, delayed: 0, inFlight: 0 }
  await expect.poll(() => cloud.queueDepth(queue)).toEqual(nothing)
  consumer.stop({ abort: true })
  await expect.poll(() => consumer.status.isRunning).toBe(false)
  expect(errors).toEqual([])
}

it('handles and deletes each message', async () => {
  const handled: unknown[] = []
  await consume('single', ['a', 'b', 'c'], {
    handleMessage: async (message) => {
      handled.push(message.Body)
      return message
    },
  })
  expect(handled).toEqual(['a', 'b', 'c'])
})

it('deletes those of a batch that were handled, and gets the others again', async () => {
  const batches: unknown[] = []
  await consume('batch', ['a', 'b', 'c'], {
    batchSize: 10,
    visibilityTimeout: 1,
    messageSystemAttributeNames: ['ApproximateReceiveCount'],
    handleMessageBatch: async (messages) => {
      batches.push(messages.map(({ Body }) => Body))
      const isLate = messages[0]?.Attributes?.ApproximateReceiveCount === '2'
      return messages.filter(({ Body }) => isLate || Body === 'b')
    },
  })
  expect(batches).toEqual([
    ['a', 'b', 'c'],
    ['a', 'c'],
  ])
})

it('keeps a message hidden by its heartbeat, over the visibility timeout', async () => {
  const sqs = new SQSClient()
  let beats = 0
  sqs.middlewareStack.add(
    (next, { commandName }) =>
      async (request) => {
        const answer = await next(request)
        if (commandName === 'ChangeMessageVisibilityCommand') beats += 1
        return answer
      },
    { step: 'initialize' },
  )
  const counts: unknown[] = []
  await consume('slow', ['a'], {
    sqs,
    visibilityTimeout: 3,
    heartbeatInterval: 1,
    messageSystemAttributeNames: ['ApproximateReceiveCount'],
    handleMessage: async (message) => {
      counts.push(message.Attributes?.ApproximateReceiveCount)
      await expect.poll(() => beats).toBeGreaterThan(3)
      expect(await cloud.queueDepth('slow')).toMatchObject({ ready: 0, inFlight: 1 })
      return message
    },
  })
  expect(counts).toEqual(['1'])
  sqs.destroy()
})

it('leaves what fails to the redrive into the dead-letter queue', async () => {
  let tries = 0
  await consume('failing', ['bad'], {
    // It sets the visibility to 0 when the handler fails.
    terminateVisibilityTimeout: true,
    handleMessage: async () => {
      tries += 1
      throw new Error('it fails')
    },
  })
  expect(tries).toBe(3)
  expect(cloud.inspectQueue('dead').ready).toMatchObject([{ body: 'bad' }])
})
