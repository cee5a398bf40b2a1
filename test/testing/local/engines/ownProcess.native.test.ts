import { readdirSync, readFileSync } from 'node:fs'
import { DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb'
import { startLocalCloud } from 'lineclear/local'
import { expect, it } from 'vitest'
import { quietLogger, until } from '../helpers.ts'

/** The native engine is a process of its own; the one in TypeScript ends with this process only. */
const TABLES = { tables: { items: { hash: 'id' } } } as const

it('says so when the engine ends by itself', async () => {
  const logger = quietLogger()
  await using cloud = await startLocalCloud(TABLES, { logger })
  const { region, endpoints } = cloud
  const credentials = { accessKeyId: 'a', secretAccessKey: 'b' }
  // Without the strict checks this reaches the engine, and ends it.
  const lax = new DynamoDBClient({
    region,
    credentials,
    endpoint: endpoints.dynamodb ?? '',
    maxAttempts: 1,
  })
  const update = { TableName: 'items', Key: { id: { S: 'a' } }, UpdateExpression: 'REMOVE €' }
  await expect(lax.send(new UpdateItemCommand(update))).rejects.toThrow('socket hang up')
  lax.destroy()
  await until(() => logger.lines.length > 0)
  expect(logger.lines).toMatchObject([
    { level: 'error', message: expect.stringContaining('ended by itself') },
  ])
})

it.runIf(process.platform === 'linux')(
  'the engine behind the guard is not at the address that pages know',
  async () => {
    await using cloud = await startLocalCloud(TABLES)
    const { port } = new URL(cloud.endpoints.dynamodb ?? '')
    const ours = (pid: string): boolean => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(`\0${port}\0`)
      } catch {
        return false
      }
    }
    const [pid = ''] = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && ours(name))
    const [, , , host] = readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0')
    expect(host).toMatch(/^127\.\d+\.\d+\.\d+$/)
    expect(host).not.toBe('127.0.0.1')
  },
)
