import { DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb'
import { recordHandler } from 'lineclear'
import { dynamoDbStore, tableDefinition } from 'lineclear/dynamodb'
import { startLocalCloud } from 'lineclear/local'
import { sqsEvent } from 'lineclear/testing'
import { expect, it, vi } from 'vitest'
import { lambdaContext } from '../../deliver/lambdaContext.ts'
import { quietLogger } from '../../deliver/quietLogger.ts'

it('a consumer as Lambda starts it makes all its calls without the SDK, bytes and transactions included', async () => {
  const tables = { lineclear: tableDefinition(), rows: { hash: 'id' } }
  await using cloud = await startLocalCloud({ tables })
  // This machine may have a proxy, or a profile.
  const others = Object.keys(process.env).filter((name) => /^(AWS|NODE)_|_proxy$/i.test(name))
  for (const name of others) vi.stubEnv(name, undefined)
  const env = {
    ...cloud.environment,
    AWS_LAMBDA_FUNCTION_NAME: 'orders',
    LAMBDA_TASK_ROOT: '/var/task',
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    HOME: '/nonexistent',
    AWS_SESSION_TOKEN: 't',
  }
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
  const sends = vi.spyOn(DynamoDBClient.prototype, 'send')
  const bytes = Uint8Array.of(0, 1, 255)
  const read: unknown[] = []
  const store = dynamoDbStore({ tableName: 'lineclear' })
  const handler = recordHandler(
    { name: 'orders', store, logger: quietLogger() },
    async (_, ctx) => {
      await ctx.write('count', { TableName: 'rows', Key: { id: 'sum' }, add: { n: 1 } })
      await ctx.write('file', { TableName: 'rows', Key: { id: 'file' }, put: { bytes } })
      read.push(await ctx.get({ TableName: 'rows', Key: { id: 'file' } }))
    },
  )
  const event = sqsEvent({ n: 1 }, { n: 2 }, { n: 3 })
  await handler(event, lambdaContext())
  await handler(event, lambdaContext())
  expect(sends).not.toHaveBeenCalled()
  expect(read).toEqual([1, 2, 3].map(() => ({ id: 'file', bytes })))
  const { Items } = await cloud.dynamodb.send(new ScanCommand({ TableName: 'rows' }))
  expect(Items).toContainEqual({ id: { S: 'sum' }, n: { N: '3' } })
})
