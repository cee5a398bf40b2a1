import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  CreateTableCommand,
  DynamoDBClient,
  type DynamoDBClientConfig,
  ListTablesCommand,
} from '@aws-sdk/client-dynamodb'
import { startInProcess } from '../../src/testing/local/engines/inProcessEngine.ts'
import { findDynoxide } from './findDynoxide.ts'
import { tableDefinition } from '../../src/library/adapters/store/dynamodb/index.ts'

export interface Engine {
  readonly endpoint: string
  client(config?: DynamoDBClientConfig): DynamoDBClient
  stop(): Promise<void>
}

/** The engine of LINECLEAR_DYNAMODB_ENDPOINT, which is left as it is, or an empty one in a process of its own. */
export async function startDynoxide(): Promise<Engine> {
  const running = process.env['LINECLEAR_DYNAMODB_ENDPOINT']
  if (running) return engineAt(running, () => Promise.resolve())
  const binary = findDynoxide()
  if (binary === undefined) return startTypeScript()
  const port = await freePort()
  const child = spawn(binary, ['serve', '--port', String(port)], { stdio: 'ignore' })
  const kill = (): boolean => child.kill('SIGKILL')
  process.once('exit', kill)
  const engine = engineAt(`http://127.0.0.1:${port}`, async () => {
    process.off('exit', kill)
    const gone = once(child, 'exit')
    if (kill()) await gone
  })
  await untilReady(engine.client())
  return engine
}

/** The engine in TypeScript, in this process. */
export async function startTypeScript(): Promise<Engine> {
  const { endpoint, stop } = await startInProcess()
  return engineAt(endpoint, stop)
}

function engineAt(endpoint: string, stop: () => Promise<void>): Engine {
  const client = (config: DynamoDBClientConfig = {}): DynamoDBClient =>
    new DynamoDBClient({
      endpoint,
      region: 'eu-west-1',
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
      maxAttempts: 1,
      ...config,
    })
  return { endpoint, client, stop }
}

/** Two processes may share an engine. */
const OWN = process.pid
let tables = 0

/** One whose key has a number in it, as CreateTable takes it. */
export const LINES = {
  KeySchema: [
    { AttributeName: 'order', KeyType: 'HASH' },
    { AttributeName: 'line', KeyType: 'RANGE' },
  ],
  AttributeDefinitions: [
    { AttributeName: 'order', AttributeType: 'S' },
    { AttributeName: 'line', AttributeType: 'N' },
  ],
} as const

/** A table of the framework's and two of a user's, all empty: one with the key `id`, one from `LINES`. */
export async function createTables(
  client: DynamoDBClient,
): Promise<{ readonly tableName: string; readonly userTable: string; readonly lines: string }> {
  tables += 1
  const tableName = `lineclear-${OWN}-${tables}`
  const userTable = `stock-${OWN}-${tables}`
  await client.send(new CreateTableCommand(tableDefinition({ tableName })))
  await client.send(
    new CreateTableCommand({
      TableName: userTable,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
    }),
  )
  const lines = `lines-${tables}`
  await client.send(
    new CreateTableCommand({
      TableName: lines,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [...LINES.KeySchema],
      AttributeDefinitions: [...LINES.AttributeDefinitions],
    }),
  )
  return { tableName, userTable, lines }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('no port was given')
  return address.port
}

async function untilReady(client: DynamoDBClient): Promise<void> {
  for (let tries = 0; tries < 3_000; tries++) {
    const ready = await client.send(new ListTablesCommand({})).then(
      () => true,
      () => false,
    )
    if (ready) return
    await sleep(20)
  }
  throw new Error('dynoxide did not start within a minute')
}
