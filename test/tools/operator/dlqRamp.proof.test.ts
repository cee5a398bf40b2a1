import { recordHandler, TerminalError } from 'lineclear'
import { type LocalCloud, mapQueue } from 'lineclear/local'
import { memoryStore } from 'lineclear/testing'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { redriveDeadLetters } from '../../../src/tools/operator/dlq/redrive.ts'
import { quietLogger } from '../../deliver/quietLogger.ts'
import { count, emptyAll, send, startDlqCloud } from './dlqHarness.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startDlqCloud()
})
afterEach(() => emptyAll(cloud))
afterAll(() => cloud.stop())

/** A consumer whose 40 messages have died. */
async function forty() {
  const store = memoryStore()
  let broken = true
  const ran: string[] = []
  const options = { name: 'orders', store, logger: quietLogger(), clients: { sqs: cloud.sqs } }
  const handler = recordHandler(options, (_, ctx) => {
    if (broken) throw new TerminalError('never')
    ran.push(ctx.uniqueRequestId)
  })
  const mapping = mapQueue({ cloud, queue: 'orders', handler, logger: quietLogger() })
  for (let n = 0; n < 40; n++) await send(cloud, 'orders', { n })
  await vi.waitFor(() => expect(count(cloud, 'dead')).toBe(40), { timeout: 300_000 })
  return {
    ran,
    repair: () => void (broken = false),
    redrive: (more: object = {}) =>
      redriveDeadLetters({
        queue: 'dead',
        sqs: cloud.sqs,
        mode: 'apply',
        ramp: { store },
        rate: 1_000,
        ...more,
      }),
    [Symbol.asyncDispose]: () => mapping.stop(),
  }
}

it('stops when the first ones fail again, and leaves the rest', async () => {
  await using dead = await forty()
  const report = await dead.redrive()
  expect(report).toMatchObject({
    ended: 'failing',
    moved: 3,
    missing: 0,
    watched: { failed: 3, done: 0 },
  })
  await vi.waitFor(() => expect(count(cloud, 'dead')).toBe(40), { timeout: 300_000 })
})

it('without a ramp all of them fail again', async () => {
  await using dead = await forty()
  const report = await dead.redrive({ ramp: undefined })
  expect(report).toMatchObject({ ended: 'complete', moved: 40, watched: { failed: 0, open: 0 } })
  await vi.waitFor(() => expect(count(cloud, 'dead')).toBe(40), { timeout: 300_000 })
})

it('sends all of them once they complete', async () => {
  await using dead = await forty()
  dead.repair()
  const report = await dead.redrive()
  expect(report).toMatchObject({ ended: 'complete', moved: 40, watched: { done: 40, failed: 0 } })
  expect(new Set(dead.ran).size).toBe(40)
  expect(count(cloud, 'dead')).toBe(0)
})
