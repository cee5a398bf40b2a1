import { SendMessageCommand } from '@aws-sdk/client-sqs'
import { defineFlow, TerminalError } from 'lineclear'
import { dynamoDbStore, tableDefinition } from 'lineclear/dynamodb'
import { mapQueue, startLocalCloud } from 'lineclear/local'
import { redriveDeadLetters } from '../../src/tools/operator/dlq/redrive.ts'
import { memoryStore } from 'lineclear/testing'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { deliver, receive } from '../deliver/deliver.ts'
import { quietLogger } from '../deliver/quietLogger.ts'
import { withoutRepeats } from '../proof/hostile/withoutRepeats.ts'
import { notIn } from '../proof/hostile/mode.ts'

const Item = z.object({ key: z.string(), n: z.number() })
const FIFO = {
  visibilityTimeout: 18,
  deadLetter: { queue: 'dead.fifo', maxReceiveCount: 100 },
}

it(
  'goes over FIFO queues, one key at a time and in order',
  {
    ...notIn(['killed'], 'its groups stand still at each kill, for longer than it waits'),
  },
  async () => {
    const logger = quietLogger()
    await using cloud = await startLocalCloud(
      {
        queues: {
          'one.fifo': FIFO,
          'answers.fifo': FIFO,
          'two.fifo': FIFO,
          'dead.fifo': {},
        },
        tables: { lineclear: tableDefinition(), seen: { hash: 'id' } },
      },
      { logger },
    )
    const flow = defineFlow({
      name: 'ordered',
      process: 'every',
      store: dynamoDbStore({ tableName: 'lineclear', client: cloud.dynamodb }),
      key: ({ key }) => key,
      logger,
      clients: { sqs: cloud.sqs },
      stages: {
        one: { schema: Item, queueUrl: cloud.queueUrl('one.fifo') },
        two: { schema: Item, queueUrl: cloud.queueUrl('two.fifo'), final: true },
      },
      awaitingSteps: {
        answer: {
          schema: z.object({ id: z.string() }),
          id: ({ id }) => id,
          queueUrl: cloud.queueUrl('answers.fifo'),
        },
      },
    })
    const ran: string[] = []
    const one = flow.stageHandler('one', async ({ n }, ctx) => {
      if (n === 2 && ctx.attempt === 1) throw new Error('again')
      const id = `${ctx.key}-${n}`
      await ctx.awaitStep('answer', id, () =>
        cloud.sqs.send(
          new SendMessageCommand({
            QueueUrl: cloud.queueUrl('answers.fifo'),
            MessageBody: JSON.stringify({ id }),
            MessageGroupId: ctx.key,
            MessageDeduplicationId: id,
          }),
        ),
      )
    })
    const answered = flow.answerHandler('answer', async ({ id }, ctx) => {
      await ctx.next('two', { key: ctx.key, n: Number(id.split('-').at(-1)) })
    })
    const two = flow.stageHandler('two', async ({ n }, ctx) => {
      ran.push(`${ctx.key}${n}`)
      await ctx.write('n', { TableName: 'seen', Key: { id: ctx.key }, add: { sum: n } })
    })
    const common = { cloud, functionTimeout: '3s', logger } as const
    mapQueue({ ...common, queue: 'one.fifo', handler: one })
    mapQueue({ ...common, queue: 'answers.fifo', handler: answered })
    mapQueue({ ...common, queue: 'two.fifo', handler: two })
    for (const n of [1, 2, 3]) for (const key of ['a', 'b']) await flow.start({ key, n })
    await expect.poll(() => withoutRepeats(ran).length, { interval: 100 }).toBe(6)
    expect(withoutRepeats(ran).filter((each) => each.startsWith('a'))).toEqual(['a1', 'a2', 'a3'])
    expect(withoutRepeats(ran).filter((each) => each.startsWith('b'))).toEqual(['b1', 'b2', 'b3'])
  },
)

it('a stage that is redriven while its run is open, and dies again, is dead-lettered again', async () => {
  const logger = quietLogger()
  const queues = { 'one.fifo': FIFO, 'two.fifo': FIFO, 'three.fifo': FIFO, 'dead.fifo': {} }
  await using cloud = await startLocalCloud({ queues }, { logger })
  const flow = defineFlow({
    name: 'ordered',
    store: memoryStore(),
    key: ({ key }) => key,
    logger,
    clients: { sqs: cloud.sqs },
    stages: {
      one: { schema: Item, queueUrl: cloud.queueUrl('one.fifo') },
      two: { schema: Item, queueUrl: cloud.queueUrl('two.fifo') },
      three: { schema: Item, queueUrl: cloud.queueUrl('three.fifo') },
    },
  })
  const one = flow.stageHandler('one', async (item, ctx) => {
    await ctx.next('two', item)
    await ctx.next('three', item)
  })
  const two = flow.stageHandler('two', () => {
    throw new TerminalError('never')
  })
  await flow.start({ key: 'k', n: 1 })
  await deliver(cloud, 'one.fifo', one)
  await deliver(cloud, 'two.fifo', two)
  await redriveDeadLetters({ queue: 'dead.fifo', to: 'two.fifo', sqs: cloud.sqs, mode: 'apply' })
  expect(await deliver(cloud, 'two.fifo', two)).toEqual({ came: 1, kept: 0 })
  expect(await receive(cloud, 'dead.fifo')).toHaveLength(1)
})
