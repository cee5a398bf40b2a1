import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { SendMessageCommand } from '@aws-sdk/client-sqs'
import { tableDefinition } from 'lineclear/dynamodb'
import { startLocalCloud } from 'lineclear/local'
import { describe, expect, it } from 'vitest'
import { run } from '../../../examples/orders/run.ts'

const root = resolve(import.meta.dirname, '../../..')
describe('README', () => {
  it('shows an order handler that reserves, charges and announces once', async () => {
    const result = await run(20, () => {})
    expect(result).toMatchObject({ orders: 20, reserved: 20, charges: 20, paid: 20 })
    expect(result.deliveries).toBeGreaterThan(20)
  })

  it('shows a worker that polls until it gets a stop signal', async () => {
    await using cloud = await startLocalCloud({
      queues: { work: {} },
      tables: { lineclear: tableDefinition() },
    })
    const QueueUrl = cloud.queueUrl('work')
    await cloud.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: '{"n":1}' }))
    const worker = spawn(
      process.execPath,
      ['--conditions=lineclear:source', resolve(root, 'examples/worker/worker.ts')],
      {
        env: { ...process.env, ...cloud.environment, QUEUE_URL: QueueUrl },
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    )
    let output = ''
    worker.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
    await expect.poll(() => output).toContain('"succeeded"')
    worker.kill('SIGTERM')
    expect(await once(worker, 'exit')).toEqual([0, null])
    expect(output).toContain('"payload":{"n":1}')
  })
})
