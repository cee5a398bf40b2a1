import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { SendMessageBatchCommand } from '@aws-sdk/client-sqs'
import type { LocalCloud } from 'lineclear/local'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectedSums, startLedger, valuesOf } from './ledger.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startLedger()
})
afterAll(() => cloud.stop())

async function startWorker(): Promise<ChildProcess> {
  const worker = resolve(import.meta.dirname, 'worker.ts')
  const child = spawn(
    process.execPath,
    ['--conditions=lineclear:source', worker, cloud.queueUrl('bookings')],
    { env: { ...process.env, ...cloud.environment }, stdio: ['ignore', 'pipe', 'inherit'] },
  )
  if (child.stdout !== null) await once(child.stdout, 'data')
  return child
}

function isEmpty(): boolean {
  const { ready, delayed, inFlight } = cloud.inspectQueue('bookings')
  return ready.length + delayed.length + inFlight.length === 0
}

describe('a consumer process', () => {
  it('killed by SIGKILL in the middle of its work, again and again, loses and doubles nothing', async () => {
    const bookings = Array.from({ length: 200 }, (_, index) => ({ id: `b${index}`, amount: index }))
    for (let start = 0; start < bookings.length; start += 10) {
      const Entries = bookings
        .slice(start, start + 10)
        .map((booking, index) => ({ Id: String(index), MessageBody: JSON.stringify(booking) }))
      await cloud.sqs.send(
        new SendMessageBatchCommand({ QueueUrl: cloud.queueUrl('bookings'), Entries }),
      )
    }
    let kills = 0
    for (const patience of [5, 20, 40, 60, 80]) {
      const worker = await startWorker()
      const before = Object.keys(await valuesOf(cloud, 'sums', 'amount')).length
      await expect
        .poll(
          async () =>
            Object.keys(await valuesOf(cloud, 'sums', 'amount')).length > before || isEmpty(),
          { interval: 5, timeout: 15_000 },
        )
        .toBe(true)
      await new Promise((done) => setTimeout(done, patience))
      worker.kill('SIGKILL')
      await once(worker, 'exit')
      kills += 1
    }
    const last = await startWorker()
    await expect.poll(isEmpty, { interval: 100, timeout: 40_000 }).toBe(true)
    last.kill('SIGTERM')
    await once(last, 'exit')
    expect(kills).toBe(5)
    expect(await valuesOf(cloud, 'sums', 'amount')).toEqual(expectedSums(bookings))
  })
})
