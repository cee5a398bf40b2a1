import { SendMessageCommand } from '@aws-sdk/client-sqs'
import { tableDefinition } from 'lineclear/dynamodb'
import { producer } from 'lineclear'
import { type LocalCloud, startLocalCloud } from 'lineclear/local'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { deliver, emptyQueues, hide, receive } from '../../deliver/deliver.ts'
import { quietLogger } from '../../deliver/quietLogger.ts'
import { withoutLongPolls } from '../../testing/withoutLongPolls.ts'
import { withoutSdk } from '../../testing/withoutSdk.ts'
import { send } from '../../flow/flowHarness.ts'
import { fakeMapping, FakeMappings } from '../operator/fakeMappings.ts'
import { consumerOn, operatorHarness } from './operatorHarness.ts'

const MINUTE = 60_000
const deadLetter = { queue: 'dead', maxReceiveCount: 2 }
const QUEUES = {
  moving: { visibilityTimeout: 600, deadLetter },
  dead: {},
  kept: {},
  'ledger.fifo': { visibilityTimeout: 600, contentBasedDeduplication: true },
}

let cloud: LocalCloud
beforeAll(async () => {
  const tables = { lineclear: tableDefinition(), counts: { hash: 'id' } }
  cloud = withoutSdk(
    withoutLongPolls(await startLocalCloud({ queues: QUEUES, tables }, { logger: quietLogger() })),
  )
})
afterEach(() => emptyQueues(cloud, Object.keys(QUEUES)))
afterAll(() => cloud.stop())

function token(id: string, attempt: number, leaseUntil: number, error?: string) {
  return {
    pk: `lock#${id}`,
    sk: 'token',
    status: 'inProgress',
    statusShard: 'inProgress#1',
    dueAt: leaseUntil,
    leaseUntil,
    attemptId: 'a',
    attempt,
    fence: attempt,
    lockedBy: 'ledger-fifo/i1',
    created: new Date(leaseUntil - MINUTE).toISOString(),
    ...(error !== undefined && { error }),
  }
}

describe('attempts that report no end', () => {
  it('are a problem, and their next attempt is not said to need nothing', async () => {
    const { cli, store, clock } = await operatorHarness(cloud)
    await store.create([token('mails/m1', 3, clock.now() + MINUTE)])
    const { code, out } = await cli('status', '--no-queues')
    expect(code).toBe(1)
    expect(out).toContain('! retrying  1 of mails  attempt 3, and none before it has reported an')
    expect((await cli('ls')).out).toMatch(/mails\/m1 .*no attempt before it has reported an end/)
    const explained = await cli('explain', 'mails/m1')
    expect(explained.out).toContain('no attempt before it has reported an end: killed (out of')
    expect(explained.out).toContain('next: read the log of its function')
    expect(explained.out).not.toContain('nothing to do')
  })

  it.each([
    ['whose error is stored', 3, 'Error: 503'],
    ['of which one was begun before', 2, undefined],
  ])('are none %s', async (_, attempt, error) => {
    const { cli, store, clock } = await operatorHarness(cloud)
    await store.create([token('mails/m1', attempt, clock.now() + MINUTE, error)])
    expect(await cli('status', '--no-queues')).toMatchObject({ code: 0 })
    const { out } = await cli('explain', 'mails/m1')
    expect(out).not.toContain('nothing to do')
    expect(out.includes('next: mend what its error names: it is tried again')).toBe(
      error !== undefined,
    )
    const ends = '2. when the attempt that still runs has ended: lineclear decide mails/m1 done'
    expect(out.includes(ends)).toBe(error !== undefined)
  })

  it('and one that was lost: why, only the log can say, and how to read it', async () => {
    const { cli, store, clock } = await operatorHarness(cloud)
    const lockedBy = 'mails/6f3d9a1c-0000-4000-8000-000000000001'
    const began = clock.now() - 2 * MINUTE
    await store.create([{ ...token('mails/m1', 1, clock.now() - MINUTE), lockedBy }])
    const { out } = await cli('explain', 'mails/m1')
    expect(out).toContain(
      `attempt 1 began ${new Date(began).toISOString()} and never ended: it was killed (out of memory`,
    )
    expect(out).toContain(
      `in a shell: aws logs filter-log-events --log-group-name /aws/lambda/mails --start-time ${began - MINUTE} --filter-pattern '"6f3d9a1c-0000-4000-8000-000000000001"' `,
    )
    expect(out).not.toContain('no attempt before it')
  })
})

describe('a dead letter that SQS has moved', () => {
  async function move(): Promise<void> {
    for (let times = 0; times < 3; times++) {
      for (const record of await receive(cloud, 'moving')) await hide(cloud, 'moving', record)
    }
  }

  it('is shown with the last error of its record', async () => {
    const harness = await operatorHarness(cloud)
    const fails = (): never => {
      throw new Error('no queue mails-eu')
    }
    const handler = consumerOn(harness, fails, { retry: { maxAttempts: 9, delay: 0 } })
    await send(cloud, 'moving', { n: 1 })
    await deliver(cloud, 'moving', handler)
    await move()
    const { out } = await harness.cli('status')
    expect(out).toMatch(
      /moved of queue moving: its record orders\/\S+ says: Error: no queue mails-eu$/m,
    )
    expect(out).toMatch(
      /next: after the fix, redrive them: lineclear dlq redrive dead --group \w+$/m,
    )
    expect(out).toMatch(/then: what it has done: lineclear explain orders\//)
  })

  it.each([
    ['its queue', 'moving', 'shop'],
    ['its function', 'shop', 'shop'],
  ])('is found by the name of %s where no message names its consumer', async (_, name, of) => {
    const mapping = {
      ...fakeMapping(of),
      EventSourceArn: 'arn:aws:sqs:us-east-1:000000000000:moving',
    }
    const { cli, store, clock } = await operatorHarness(cloud, new FakeMappings(mapping))
    await producer({ clients: { sqs: cloud.sqs } }).send(
      cloud.queueUrl('moving'),
      { n: 1 },
      { uniqueRequestId: 'm1' },
    )
    const { statusShard: _shard, dueAt: _due, ...first } = token(`${name}/m1`, 1, clock.now() - 1)
    await store.create([first])
    await move()
    const { out } = await cli('status')
    expect(out).toContain(
      `its record ${name}/m1 has no error: attempt 1 began 1 min ago and has not ended: it was killed (out`,
    )
    expect(out).toContain(`next: lineclear explain ${name}/m1\n`)
    expect(out).toContain(`the log of its function: aws logs tail /aws/lambda/${of} --since 1d`)
  })

  it('and that no attempt has claimed says that this is not known here, and where to look', async () => {
    const { cli } = await operatorHarness(cloud)
    await send(cloud, 'moving', { n: 1 })
    await move()
    const { out } = await cli('status')
    expect(out).toContain('moved of queue moving: why is not known here: it has no error, and no')
    expect(out).toMatch(/next: lineclear explain \S+ --scan$/m)
    expect(out).toContain(
      'whether its queue moves messages too early: lineclear doctor --queue moving',
    )
    expect(out).toMatch(/after the fix, redrive them: lineclear dlq redrive dead --group \w+$/m)
  })
})

it('a queue that does not empty names what its function tries again', async () => {
  const arn = 'arn:aws:sqs:us-east-1:000000000000:ledger.fifo'
  const mapping = { ...fakeMapping('ledger-fifo'), EventSourceArn: arn }
  const mappings = new FakeMappings({ ...mapping, LastProcessingResult: undefined })
  const { cli, store, clock } = await operatorHarness(cloud, mappings)
  for (const n of [1, 2, 3]) {
    await cloud.sqs.send(
      new SendMessageCommand({
        QueueUrl: cloud.queueUrl('ledger.fifo'),
        MessageBody: JSON.stringify({ n }),
        MessageGroupId: 'acme',
      }),
    )
  }
  await receive(cloud, 'ledger.fifo')
  const about = { ...token('ledger/acme-1', 2, 0, 'Error: closed'), notBefore: clock.now() }
  await store.create([{ ...about, dueAt: clock.now() + MINUTE }])
  const { out } = await cli('status')
  expect(out).toContain('1 of ledger is tried again (Error: closed); on a FIFO queue the others of')
  expect(out).toContain('next: lineclear ls --consumer ledger --status inProgress')
  expect(out).not.toContain('before it claims anything')
})

it('no problem is not said while a queue waits that nothing is known to read, until somebody has received from it', async () => {
  const { cli } = await operatorHarness(cloud)
  await send(cloud, 'kept', { n: 1 })
  const { code, out } = await cli('status')
  expect([code, out]).toEqual([
    1,
    expect.stringMatching(/^kept +1 +0 +0 +not known \(no mapping; /m),
  ])
  expect(out).toMatch(/^not read: who reads kept, where 1 wait \(.*lineclear dlq groups kept/m)
  expect(out).toContain('? Not known whether anything is wrong: what was not read may be it')
  await receive(cloud, 'kept')
  const read = await cli('status')
  expect(read.out).not.toContain('kept')
  expect([read.code, read.out]).toEqual([0, expect.stringContaining('No problem found')])
})
