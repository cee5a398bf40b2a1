import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { SQSClient } from '@aws-sdk/client-sqs'
import { freePort } from '../../store/dynoxide.ts'
import { MOTO } from '../engines.ts'

export interface Moto {
  readonly endpoint: string
  readonly dynamodb: DynamoDBClient
  readonly sqs: SQSClient
  stop(): Promise<void>
}

const SUPERVISOR = resolve(import.meta.dirname, '../killWithParent.ts')
const READY_WITHIN_MS = 60_000

/** An empty account in a process of its own, which ends with this one. */
export async function startMoto(): Promise<Moto> {
  const port = await freePort()
  const endpoint = `http://127.0.0.1:${port}`
  const child = spawn(
    process.execPath,
    [SUPERVISOR, MOTO.binary, '-H', '127.0.0.1', '-p', String(port)],
    { stdio: ['pipe', 'ignore', 'ignore'] },
  )
  const ended = once(child, 'exit')
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' }
  const common = { endpoint, region: 'eu-west-1', credentials }
  const dynamodb = new DynamoDBClient({ ...common, maxAttempts: 1 })
  const sqs = new SQSClient(common)
  const stop = async (): Promise<void> => {
    dynamodb.destroy()
    sqs.destroy()
    child.stdin.end()
    await ended
  }
  const until = Date.now() + READY_WITHIN_MS
  while (Date.now() < until && child.exitCode === null) {
    const isReady = await fetch(`${endpoint}/moto-api/`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isReady) return { endpoint, dynamodb, sqs, stop }
    await sleep(100)
  }
  await stop()
  throw new Error(`moto did not answer within ${READY_WITHIN_MS / 1_000} s`)
}
