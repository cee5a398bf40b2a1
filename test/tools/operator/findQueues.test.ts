import { CreateQueueCommand, DeleteQueueCommand, SQSClient } from '@aws-sdk/client-sqs'
import type { LocalCloud } from 'lineclear/local'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findDeadLetterQueues } from '../../../src/tools/operator/dlq/findQueues.ts'
import { emptyAll, receive, sendDeadLetter, startDlqCloud } from './dlqHarness.ts'
import { serveSources } from './sourcesServer.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startDlqCloud()
})
afterAll(() => cloud.stop())

const find = (options: object = {}) => findDeadLetterQueues({ sqs: cloud.sqs, ...options })

/** A client of the cloud whose call for `queue` fails. */
function refusedAt(queue: string): SQSClient {
  const sqs = new SQSClient({
    endpoint: cloud.endpoints.sqs ?? '',
    region: cloud.region,
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    maxAttempts: 1,
  })
  sqs.middlewareStack.add(
    (next) => async (call) => {
      const { QueueUrl = '' } = call.input as { QueueUrl?: string }
      if (QueueUrl.endsWith(`/${queue}`)) throw new Error('no permission')
      return next(call)
    },
    { step: 'initialize' },
  )
  return sqs
}

describe('the dead-letter queues of the account', () => {
  it('are the targets of redrive policies, with their sources and counts, the fullest first', async () => {
    await sendDeadLetter(cloud, 1, { id: 'r1', reason: 'terminal' })
    await receive(cloud, 'dead')
    await sendDeadLetter(cloud, 2, { id: 'r2', reason: 'terminal' })
    expect(await find()).toEqual({
      queues: [
        {
          name: 'dead',
          url: expect.stringMatching(/\/dead$/),
          arn: expect.stringMatching(/^arn:aws:sqs:.*:dead$/),
          sources: ['book', 'orders', 'other', 'pay', 'quotes', 'ship'],
          visible: 1,
          inFlight: 1,
          delayed: 0,
          deadLetterQueue: undefined,
        },
        expect.objectContaining({ name: 'dead.fifo', sources: ['orders.fifo'], visible: 0 }),
      ],
      unread: [],
      others: expect.arrayContaining([
        expect.objectContaining({ url: expect.stringMatching(/\/book$/) }),
      ]),
    })
    await emptyAll(cloud)
  })

  it('with a prefix, are found outside of it, too, by the sources inside of it', async () => {
    const { queues } = await find({ prefix: 'orders' })
    expect(queues.map(({ name, sources }) => [name, sources])).toEqual([
      ['dead', ['orders']],
      ['dead.fifo', ['orders.fifo']],
    ])
  })

  it('with a prefix, are found inside of it by sources outside of it', async () => {
    await using served = await serveSources(cloud, { dead: [cloud.queueUrl('ship')] })
    const { queues } = await find({ prefix: 'dead', sqs: served.sqs })
    expect(queues.map(({ name, sources }) => [name, sources])).toEqual([['dead', ['ship']]])
  })

  it('with a prefix, one whose sources cannot be asked is named once it has messages', async () => {
    expect(await find({ prefix: 'dead' })).toMatchObject({ queues: [], unread: [] })
    await sendDeadLetter(cloud, 1, { id: 'r1', reason: 'terminal' })
    expect(await find({ prefix: 'dead' })).toMatchObject({
      queues: [],
      unread: [{ name: 'dead', why: expect.stringContaining('sqs:ListDeadLetterSourceQueues') }],
    })
    await emptyAll(cloud)
  })

  it('a queue that may not be read is named, and the others are found', async () => {
    expect(await find({ sqs: refusedAt('orders') })).toMatchObject({
      queues: [{ sources: expect.not.arrayContaining(['orders']) }, { name: 'dead.fifo' }],
      unread: [{ name: 'orders', why: 'Error: no permission' }],
    })
  })

  it('a dead-letter queue that does not exist any more is named', async () => {
    const made = await cloud.sqs.send(new CreateQueueCommand({ QueueName: 'lost' }))
    const RedrivePolicy = JSON.stringify({
      deadLetterTargetArn: cloud.queueArn('dead').replace(/dead$/, 'lost'),
      maxReceiveCount: 3,
    })
    const source = await cloud.sqs.send(
      new CreateQueueCommand({ QueueName: 'orphan', Attributes: { RedrivePolicy } }),
    )
    await cloud.sqs.send(new DeleteQueueCommand({ QueueUrl: made.QueueUrl }))
    expect((await find()).unread).toEqual([
      expect.objectContaining({
        name: 'lost',
        why: 'it does not exist, and is the dead-letter queue of orphan',
      }),
    ])
    await cloud.sqs.send(new DeleteQueueCommand({ QueueUrl: source.QueueUrl }))
  })
})

it('reads 2,500 queues in pages, eight at a time', async () => {
  let [running, most] = [0, 0]
  const pages = [1_000, 1_000, 500]
  const asked: (string | undefined)[] = []
  const urlOf = (page: number, n: number) => `https://sqs.eu-west-1.amazonaws.com/1/q${page}-${n}`
  const send = async ({ input }: { input: { QueueUrl?: string; NextToken?: string } }) => {
    if (input.QueueUrl === undefined) {
      asked.push(input.NextToken)
      const page = Number(input.NextToken ?? 0)
      const QueueUrls = Array.from({ length: pages[page] ?? 0 }, (_, n) => urlOf(page, n))
      return { QueueUrls, NextToken: page === 2 ? undefined : String(page + 1) }
    }
    running += 1
    most = Math.max(most, running)
    await new Promise((resolve) => setImmediate(resolve))
    running -= 1
    const deadLetterTargetArn = 'arn:aws:sqs:eu-west-1:1:q2-7'
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn, maxReceiveCount: 3 })
    return { Attributes: input.QueueUrl.endsWith('q2-7') ? {} : { RedrivePolicy } }
  }
  const { queues } = await findDeadLetterQueues({ sqs: { send } as never })
  expect(queues).toMatchObject([{ name: 'q2-7', sources: { length: 2_499 } }])
  expect([asked, most]).toEqual([[undefined, '1', '2'], 8])
})
