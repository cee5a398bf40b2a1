import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { SQSClient } from '@aws-sdk/client-sqs'
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { awsMessenger } from '../../src/library/adapters/send/awsMessenger.ts'
import { scanPage } from '../../src/library/adapters/store/dynamodb/scan.ts'
import { dynamoDbStore } from '../../src/library/adapters/store/dynamodb/index.ts'

/** Answers with a head and half a body, and no more. */
let server: Server
const limits: number[] = []
beforeAll(async () => {
  server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0', 'content-length': 100 })
    response.write('{"Attributes":')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
})
/** The time passes faster, so that the test does not wait for it. */
beforeEach(() => {
  const { timeout } = AbortSignal
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((milliseconds) => {
    limits.push(milliseconds)
    return Reflect.apply(timeout, AbortSignal, [milliseconds / 200])
  })
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const credentials = { accessKeyId: 'local', secretAccessKey: 'local' }
const configOf = () => {
  const { port } = server.address() as AddressInfo
  const endpoint = `http://127.0.0.1:${port}`
  return { endpoint, region: 'eu-west-1', credentials, maxAttempts: 1 }
}
const KEY = { pk: 'p', sk: 's' }
const THREE = ['a', 'b', 'c'].map((pk) => ({ pk, sk: 's', format: 1 }))
const UNAVAILABLE = { kind: 'failed', error: { code: 'STORE_UNAVAILABLE', reason: 'noAnswer' } }
const storeOf = () =>
  dynamoDbStore({ tableName: 'lineclear', client: new DynamoDBClient(configOf()) })

it.each([
  ['read', () => storeOf().read([KEY])],
  ['reads', () => storeOf().read(THREE)],
  ['create', () => storeOf().create([KEY])],
  ['creates', () => storeOf().create(THREE)],
  ['update', () => storeOf().update([{ key: KEY, where: [], set: { a: 1 } }])],
  [
    'transact',
    async () => [
      await storeOf().transact({ key: KEY, where: [], set: { a: 1 } }, [
        { TableName: 'rows', Key: { id: 'a' }, where: [], put: {} },
      ]),
    ],
  ],
])('a body of DynamoDB that stalls is given up within 20 seconds: %s', async (_, call) => {
  const outcomes = await call()
  expect(outcomes.length).toBeGreaterThan(0)
  for (const outcome of outcomes) expect(outcome).toMatchObject(UNAVAILABLE)
  expect(Math.max(...limits)).toBeLessThanOrEqual(20_000)
})

it('so is that of a page of a table, of a row of the user’s, and of a queue', async () => {
  const client = new DynamoDBClient(configOf())
  const source = { tableName: 'lineclear', client: async () => client }
  const where = { field: 'pk', is: '=', value: 'p' } as const
  await expect(scanPage(source, { where, after: undefined })).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
  })
  const row = storeOf().readUser({ TableName: 'rows', Key: { id: 'a' } })
  await expect(row).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  const { send } = awsMessenger({ sqs: new SQSClient(configOf()) })
  const [refusal] = await send('arn:aws:sqs:eu-west-1:1:q', [{ body: '1', attributes: {} }])
  expect(refusal).toBeInstanceOf(Error)
})
