import { dynamoDbStore } from 'lineclear/dynamodb'
import { expect, it, vi } from 'vitest'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { Context } from 'aws-lambda'
import { idempotent, recordHandler } from 'lineclear'
import { sqsEvent } from 'lineclear/testing'
import { quietLogger } from '../deliver/quietLogger.ts'

const clientOf = () => dynamoDbStore({ tableName: 'lineclear' }).source?.client()

it('stores that are made in each call share one client and its connections: Lambda has 1,024 files', async () => {
  vi.stubEnv('AWS_REGION', 'eu-west-1')
  const first = await clientOf()
  expect(first).toBeDefined()
  expect(await clientOf()).toBe(first)
  vi.stubEnv('AWS_REGION', 'eu-west-2')
  expect(await clientOf()).not.toBe(first)
})

/** As a mocking library replaces `send`. */
function mocked(answer: unknown): DynamoDBClient {
  const client = new DynamoDBClient({ region: 'eu-west-1' })
  vi.spyOn(client, 'send').mockImplementation((() => answer) as never)
  return client
}

const empty = [undefined, Promise.resolve(undefined), Promise.resolve({})]

it.each(empty)(
  'an empty answer is no answer: the record is not run, nor acknowledged (%o)',
  async (answer) => {
    const [run, logger] = [vi.fn<() => void>(), quietLogger()]
    const store = dynamoDbStore({ tableName: 'lineclear', client: mocked(answer) })
    const handler = recordHandler({ name: 'orders', store, logger }, run)
    await expect(handler(sqsEvent({ a: 1 }), {} as Context)).rejects.toThrow(
      /empty answer.*memoryStore/,
    )
    expect(run).not.toHaveBeenCalled()
  },
)

it.each(empty)('a function is not run without an answer (%o)', async (answer) => {
  const run = vi.fn<(id: string) => void>()
  const store = dynamoDbStore({ tableName: 'lineclear', client: mocked(answer) })
  const logger = quietLogger()
  const charge = idempotent({ store, name: 'pay', key: (id: string) => id, logger }, run)
  await expect(charge('o1')).rejects.toThrow(/empty answer/)
  expect(run).not.toHaveBeenCalled()
})
