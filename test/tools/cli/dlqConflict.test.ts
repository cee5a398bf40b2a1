import { createHash } from 'node:crypto'
import type { LocalCloud } from 'lineclear/local'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { producer, TerminalError } from 'lineclear'
import { deliver } from '../../deliver/deliver.ts'
import { emptyAll } from '../../flow/flowHarness.ts'
import { consumerOn, operatorHarness, startCloud } from './operatorHarness.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startCloud()
})
afterEach(() => emptyAll(cloud))
afterAll(() => cloud.stop())

const AS_NEW = ['dlq', 'redrive', 'dead', '--to', 'book', '--as-new-request', '--no-ramp'] as const

it('a conflict runs once as a request of its own, although the command is killed before it has removed it', async () => {
  const harness = await operatorHarness(cloud)
  const ran: number[] = []
  const handler = consumerOn(harness, (payment) => {
    ran.push((payment as { cents: number }).cents)
  })
  const { send } = producer({ clients: { sqs: cloud.sqs } })
  for (const cents of [100, 150]) {
    await send(cloud.queueUrl('book'), { cents }, { uniqueRequestId: 'p7' })
    await deliver(cloud, 'book', handler)
  }
  expect(ran).toEqual([100])
  const sha256 = (cents: number): string =>
    createHash('sha256').update(JSON.stringify({ cents })).digest('base64url')
  const status = await harness.cli('status')
  expect(status.out).toContain('What is known of that one: lineclear explain orders/p7')
  const explained = await harness.cli('explain', 'orders/p7')
  expect(explained.out).toContain(`payload: SHA-256 ${sha256(100)}; its text may be`)
  // Whether another payload conflicts or is dropped depends on how its id was made, and on mustAgree.
  expect(explained.out).not.toMatch(/Another one under this id|is all that is kept/)
  expect((await harness.cli('dlq', 'peek', 'dead')).out).toContain(sha256(150))
  const plan = await harness.cli(...AS_NEW)
  expect(plan.out).toContain('1 of them are sent as requests of their own')

  const name = 'killed before it removes'
  cloud.sqs.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        if (commandName === 'DeleteMessageBatchCommand') throw new Error('killed')
        return next(args)
      },
    { step: 'initialize', name },
  )
  try {
    expect((await harness.apply(...AS_NEW)).out).toContain('1 sent, but not removed')
  } finally {
    cloud.sqs.middlewareStack.remove(name)
  }
  await deliver(cloud, 'book', handler)
  expect(ran).toEqual([100, 150])
  await harness.apply(...AS_NEW)
  await deliver(cloud, 'book', handler)
  expect(ran).toEqual([100, 150])
  expect((await harness.cli('dlq', 'groups', 'dead')).out).toContain('0 dead letters')
})

it('what may have run before keeps its id', async () => {
  const harness = await operatorHarness(cloud)
  const handler = consumerOn(harness, () => {
    throw new TerminalError('no')
  })
  const { send } = producer({ clients: { sqs: cloud.sqs } })
  await send(cloud.queueUrl('book'), { cents: 1 }, { uniqueRequestId: 'p8' })
  await deliver(cloud, 'book', handler)
  const { out } = await harness.cli(...AS_NEW)
  expect(out).not.toContain('would go to')
  expect(out).toContain('1 stay: only a dead letter of a consumer with the reason conflict')
})
