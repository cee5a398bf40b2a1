import type { LocalCloud } from 'lineclear/local'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { CALL_PREFIX } from '../../../src/library/protocol/claim/token/token.ts'
import { withOptions } from '../../../src/tools/operator/text/commandLine.ts'
import { operatorHarness, startCloud } from './operatorHarness.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startCloud()
})
afterAll(() => cloud.stop())

const REGION = ['--region', 'eu-west-1'] as const
const HERE = 'lineclear --region eu-west-1'

async function unknownOutcome() {
  const harness = await operatorHarness(cloud)
  const lock = { sk: 'token', status: 'unknown', reason: 'unknown', attemptId: 'a', attempt: 1 }
  const indexed = { statusShard: 'unknown#0', dueAt: harness.clock.now(), leaseUntil: 0, fence: 1 }
  const calls = { [`${CALL_PREFIX}charge`]: 'start' }
  await harness.store.create([{ pk: 'lock#orders/r1', ...lock, ...indexed, ...calls }])
  return harness
}

it.each([
  [['status', '--no-queues'], /next: (.*)/],
  [['status', '--handover', '--no-queues'], /→ `(.*)`/],
  [['explain', 'orders/r1'], /(lineclear .*decide orders\/r1 done)/],
  [['decide', 'orders/r1'], /^ {2}(lineclear .* done)$/m],
  [['explain', '--history'], /Older ones: (.*)/],
] as const)('%j prints commands for the account that it was asked about', async (args, line) => {
  const { cli } = await unknownOutcome()
  const { out } = await cli(...args, ...REGION)
  expect(line.exec(out)?.[1]).toContain(`${HERE} `)
  expect(out.replaceAll(HERE, '')).not.toContain('lineclear ')
})

it('what comes after a change, too; the line that applies a plan is the one that was typed', async () => {
  const { cli, apply } = await unknownOutcome()
  const typed = ['decide', 'orders/r1', 'again', '--not-done', 'charge', ...REGION]
  const planned = await cli(...typed)
  expect(planned.out).toMatch(/lineclear --by ann decide .* --region eu-west-1 --apply/)
  expect(planned.out.match(/--region/g)).toHaveLength(2)
  expect((await apply(...typed)).out).toContain(`(${HERE} dlq redrive --all --id r1)`)
})

it('an id that reads like a command stays as it is', () => {
  const id = "'orders/lineclear ls'"
  expect(withOptions(`lineclear decide ${id} done, or lineclear ls`, ['--local'])).toBe(
    `lineclear --local decide ${id} done, or lineclear --local ls`,
  )
})
