import { SendMessageBatchCommand } from '@aws-sdk/client-sqs'
import { tableDefinition } from 'lineclear/dynamodb'
import { type LocalCloud, startLocalCloud } from 'lineclear/local'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import type { StatusFinding } from '../../../src/tools/operator/status/finding.ts'
import { emptyQueues, receive } from '../../deliver/deliver.ts'
import { lambdaContext } from '../../deliver/lambdaContext.ts'
import { quietLogger } from '../../deliver/quietLogger.ts'
import { send } from '../../flow/flowHarness.ts'
import { withoutLongPolls } from '../../testing/withoutLongPolls.ts'
import { withoutSdk } from '../../testing/withoutSdk.ts'
import { fakeMapping, FakeMappings } from '../operator/fakeMappings.ts'
import { consumerOn, operatorHarness, type OperatorHarness } from './operatorHarness.ts'

const NAMES = ['ants', 'bees'] as const
const MAPPED = new FakeMappings(...NAMES.map((name) => fakeMapping(name)))

let cloud: LocalCloud
beforeAll(async () => {
  const queues = Object.fromEntries(
    NAMES.flatMap((name) => [
      [
        name,
        { visibilityTimeout: 600, deadLetter: { queue: `${name}-dead`, maxReceiveCount: 50 } },
      ],
      [`${name}-dead`, {}],
    ]),
  )
  const tables = { lineclear: tableDefinition() }
  const options = { logger: quietLogger() }
  cloud = withoutSdk(withoutLongPolls(await startLocalCloud({ queues, tables }, options)))
})
afterEach(() => emptyQueues(cloud, [...NAMES, ...NAMES.map((name) => `${name}-dead`)]))
afterAll(() => cloud.stop())

const CAUSES = ['disk is full', 'ledger is closed', 'printer is jammed']

/** `number` requests, a third of which fails with each of three causes. */
async function fail(harness: OperatorHarness, name: string, number: number): Promise<void> {
  const handler = consumerOn(
    harness,
    (payload) => {
      const { n } = payload as { readonly n: number }
      throw new Error(`${name}: ${CAUSES[n % CAUSES.length]}`)
    },
    { name, retry: { maxAttempts: 1 } },
  )
  for (let n = 0; n < number; n++) await send(cloud, name, { n })
  await handler({ Records: await receive(cloud, name) }, lambdaContext())
}

async function counted({ cli }: OperatorHarness, ...args: readonly string[]) {
  const { code, out } = await cli('status', '--json', ...args)
  const report = JSON.parse(out) as { findings: StatusFinding[]; unread: string[] }
  const lines = report.findings.map(({ kind, of, number }) => `${number} ${kind} of ${of}`)
  return { code, lines, unread: report.unread }
}

it('dead letters that were all read are all that is said, also where the table was read in part', async () => {
  const harness = await operatorHarness(cloud, MAPPED)
  await fail(harness, 'ants', 60)
  await fail(harness, 'bees', 12)
  harness.clock.advance(3 * 60_000)
  const { lines, unread } = await counted(harness)
  expect([lines.toSorted(), unread]).toEqual([
    [
      ...CAUSES.map(() => '20 dead letters of ants-dead'),
      ...CAUSES.map(() => '4 dead letters of bees-dead'),
    ],
    [],
  ])
})

it('of the records whose dead letters were not read only those are named that were', async () => {
  const harness = await operatorHarness(cloud, MAPPED)
  await fail(harness, 'ants', 60)
  const { lines } = await counted(harness, '--no-queues')
  const numbers = lines.map((line) => Number(line.split(' ')[0]))
  expect(numbers.reduce((sum, each) => sum + each, 0)).toBe(60)
  expect((await harness.cli('status', '--no-queues')).out).toMatch(
    /^✖ stopped {2}10 of ants {2}why was not read: this lists them\n {4}next: lineclear ls --consumer ants --status error$/m,
  )
})

it('of a queue of which only some were read, says of how many, and that there may be more causes', async () => {
  const harness = await operatorHarness(cloud, MAPPED)
  const QueueUrl = cloud.queueUrl('ants-dead')
  for (let sent = 0; sent < 520; sent += 10) {
    const Entries = Array.from({ length: 10 }, (_, at) => ({ Id: `e${at}`, MessageBody: '{}' }))
    await cloud.sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries }))
  }
  const { code, out } = await harness.cli('status')
  expect(code).toBe(1)
  const [, read = ''] = /✖ dead letters {2}(\d+) or more of ants-dead/.exec(out) ?? []
  expect(Number(read)).toBeGreaterThanOrEqual(500)
  expect(out).toContain(`, ${read} of 520 read`)
  expect(out).toContain(
    `not read: ${520 - Number(read)} of 520 dead letters of ants-dead (they may have further causes: lineclear dlq groups ants-dead reads all)`,
  )
})
