import { SendMessageCommand } from '@aws-sdk/client-sqs'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { dynamoDbStore, tableDefinition } from 'lineclear/dynamodb'
import { mapQueue, startLocalCloud } from 'lineclear/local'
import { expect, it } from 'vitest'
import { putStates } from '../../../examples/migrating/blindPut.before.ts'
import { putStatesOnce } from '../../../examples/migrating/blindPut.releaseA.ts'
import { statesBesidePut } from '../../../examples/migrating/blindPut.releaseB.ts'
import { untilQuiet } from '../../../examples/quiet.ts'
import { rowsOf } from '../../../examples/rows.ts'
import { quietLogger } from '../../deliver/quietLogger.ts'

const ORDERS = 40

it.each([
  ['release A', putStatesOnce, true],
  ['the blind put', putStates, false],
])(
  '%s and the new consumer read one queue at once, and old changes come again late',
  async (_, oldConsumer, keepsNewer) => {
    await using cloud = await startLocalCloud(
      {
        queues: {
          orders: { visibilityTimeout: 3, deadLetter: { queue: 'dead', maxReceiveCount: 1_000 } },
          dead: {},
        },
        tables: {
          lineclear: tableDefinition(),
          orders: { hash: 'orderId' },
          taken: { hash: 'id' },
        },
      },
      { logger: quietLogger() },
    )
    const store = dynamoDbStore({ tableName: 'lineclear', client: cloud.dynamodb })
    const queueUrl = cloud.queueUrl('orders')
    const given = { store, clients: { sqs: cloud.sqs }, logger: quietLogger(), queueUrl }
    const send = async (state: string): Promise<void> => {
      for (let nth = 0; nth < ORDERS; nth++) {
        const change = { changeId: `${nth}-${state}`, orderId: `order-${nth}`, state }
        const MessageBody = JSON.stringify(change)
        await cloud.sqs.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody }))
      }
    }
    const faults = { duplicate: 0.2, duplicateLater: 0.1, shuffle: true, kill: 0.02 }
    const both = { cloud, queue: 'orders', logger: quietLogger(), batchSize: 2 }
    const handler = oldConsumer(DynamoDBDocumentClient.from(cloud.dynamodb))
    await using old = mapQueue({ ...both, faults, handler })
    await using successor = mapQueue({
      ...both,
      faults: { ...faults, loseAnswer: 0.02 },
      handler: statesBesidePut(given),
    })
    await send('placed')
    await untilQuiet([old, successor])
    await send('paid')
    await untilQuiet([old, successor])
    await send('placed')
    await untilQuiet([old, successor])

    const states = (await rowsOf(cloud, 'orders')).map((row) => row['state'])
    expect(states).toHaveLength(ORDERS)
    expect(states.every((state) => state === 'paid')).toBe(keepsNewer)
    const taken = (await rowsOf(cloud, 'taken')).map((row) => row['by'])
    expect(new Set(taken)).toEqual(new Set(keepsNewer ? ['old', 'lineclear'] : ['lineclear']))
    expect(taken.length === 2 * ORDERS).toBe(keepsNewer)
    expect(cloud.inspectQueue('dead').ready).toEqual([])
  },
)
