import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { defineFlow, idempotent, invocationHandler, lockTokens, onceForever } from 'lineclear'
import { dynamoDbStore, tableDefinition } from 'lineclear/dynamodb'
import { type LocalCloud, mapQueue, startLocalCloud } from 'lineclear/local'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { lambdaContext } from '../../deliver/lambdaContext.ts'
import { quietLogger } from '../../deliver/quietLogger.ts'
import { readmeActions } from './readmeActions.ts'

const asked = new Set<string>()
const { send } = DynamoDBClient.prototype
let cloud: LocalCloud
beforeAll(async () => {
  DynamoDBClient.prototype.send = function record(this: DynamoDBClient, ...args: object[]) {
    asked.add(args[0]?.constructor.name.replace(/Command$/, '') ?? '')
    return Reflect.apply(send, this, args) as never
  }
  const tables = { lineclear: tableDefinition(), sales: { hash: 'id' } }
  const queues = { tickets: {}, ask: {}, found: {} }
  cloud = await startLocalCloud({ tables, queues }, { logger: quietLogger() })
})
afterAll(async () => {
  DynamoDBClient.prototype.send = send
  await cloud.stop()
})

const given = () => {
  const store = dynamoDbStore({ tableName: 'lineclear', client: cloud.dynamodb })
  return { store, logger: quietLogger(), clients: { sqs: cloud.sqs } }
}

/** @returns the calls to DynamoDB that a role can allow: a transaction is allowed by the actions of its parts */
async function callsOf(run: () => Promise<unknown>): Promise<string[]> {
  asked.clear()
  await run()
  return [...asked].filter((each) => each !== 'TransactWriteItems').toSorted()
}

/** Fails the first time, so that its key is freed, and taken again. */
function failingOnce(): () => void {
  let runs = 0
  return () => {
    if (runs++ === 0) throw new Error('not yet')
  }
}

const CALLS = {
  idempotent: async () => {
    const { store, logger } = given()
    const attempt = failingOnce()
    const options = { store, logger, name: 'pay', key: (id: string) => id }
    const pay = idempotent(options, async (id: string) => {
      attempt()
      return id
    })
    await pay('a').catch(() => {})
    await Promise.all([pay('a'), pay('a')])
    await pay('a')
  },
  lockTokens: async () => {
    const { store, logger } = given()
    const locks = lockTokens({ store, logger, name: 'locks' })
    const holder = async () => {
      const lock = await locks.begin('a', 'me', 10_000)
      if (lock.existing !== undefined) throw new Error('the key is not free')
      return lock
    }
    await (await holder()).release()
    await (await holder()).endWithSuccess(1)
    await locks.begin('a', 'you', 10_000)
  },
  onceForever: async () => {
    const events = onceForever({ ...given(), name: 'events' })
    for (const _ of ['first', 'again']) {
      await events.acquire('a')
      await events.thenEnqueue('b', { a: 1 }, { queueUrl: cloud.queueUrl('tickets') })
    }
  },
  invocationHandler: async () => {
    const attempt = failingOnce()
    const book = invocationHandler(
      { ...given(), name: 'book', key: (id: string) => id },
      async (id, ctx) => {
        await ctx.call('charge', async () => 'paid')
        await ctx.call('tell', async () => 'told', { ifUnknown: 'stop' })
        await ctx.write('sale', { TableName: 'sales', Key: { id }, add: { n: 1 } })
        await ctx.send(cloud.queueUrl('tickets'), { id })
        attempt()
      },
    )
    await book('a', lambdaContext()).catch(() => {})
    await book('a', lambdaContext())
    await book('a', lambdaContext())
  },
}

/** A flow of which two runs wait for one answer. */
function tripFlow() {
  const flow = defineFlow({
    ...given(),
    name: 'trip',
    key: ({ id }) => id,
    stages: { ask: { schema: z.object({ id: z.string() }), queueUrl: cloud.queueUrl('ask') } },
    awaitingSteps: {
      found: {
        schema: z.object({ ticket: z.string() }),
        id: ({ ticket }) => ticket,
        queueUrl: cloud.queueUrl('found'),
      },
    },
  })
  const ask = flow.stageHandler('ask', (_, ctx) =>
    ctx.awaitStep('found', ['one', 'two'], async () => {}, { need: 'all' }),
  )
  flow.answerHandler('found', async () => {})
  return { flow, ask }
}

const OF_FUNCTIONS = ['GetItem', 'PutItem', 'UpdateItem']
/** Of an answer for which several runs wait, the runs are read together. */
const OF_ANSWERS = ['BatchGetItem', ...OF_FUNCTIONS]

it.each(Object.entries(CALLS))(
  '%s calls what the runbook lists, and nothing else',
  async (_, run) => {
    expect(OF_FUNCTIONS).toEqual(expect.arrayContaining(await callsOf(run)))
  },
)

it('the runbook lists these', () => {
  const listed = readmeActions('of a function').filter((each) => each.startsWith('dynamodb:'))
  expect(listed.toSorted()).toEqual(OF_ANSWERS.map((each) => `dynamodb:${each}`))
})

it('start calls nothing of the table, and answer calls what the runbook lists', async () => {
  const { flow, ask } = tripFlow()
  const started = async (): Promise<void> => {
    await flow.start({ id: 'a' })
    await flow.start({ id: 'b' })
  }
  expect(await callsOf(started)).toEqual([])
  await using mapping = mapQueue({ cloud, queue: 'ask', handler: ask, logger: quietLogger() })
  await mapping.drained({ timeout: '20s' })
  const answered = async (): Promise<void> => {
    for (const ticket of ['one', 'one', 'nobody', 'two', 'two'])
      await flow.answer('found', { ticket })
  }
  expect(await callsOf(answered)).toEqual(OF_ANSWERS)
})
