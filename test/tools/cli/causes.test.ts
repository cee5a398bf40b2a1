import { DeleteItemCommand } from '@aws-sdk/client-dynamodb'
import { SendMessageCommand } from '@aws-sdk/client-sqs'
import type { Context } from 'aws-lambda'
import { tableDefinition } from 'lineclear/dynamodb'
import { type LocalCloud, startLocalCloud } from 'lineclear/local'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { StatusFinding } from '../../../src/tools/operator/status/finding.ts'
import { emptyQueues, receive } from '../../deliver/deliver.ts'
import { lambdaContext } from '../../deliver/lambdaContext.ts'
import { quietLogger } from '../../deliver/quietLogger.ts'
import { send } from '../../flow/flowHarness.ts'
import { withoutLongPolls } from '../../testing/withoutLongPolls.ts'
import { withoutSdk } from '../../testing/withoutSdk.ts'
import { awsError, fakeMapping, FakeMappings } from '../operator/fakeMappings.ts'
import { consumerOn, operatorHarness, type OperatorHarness } from './operatorHarness.ts'

const NAMES = ['orders', 'invoices', 'mails'] as const
const QUEUES = [...NAMES.flatMap((name) => [name, `${name}-dead`]), 'failures']

const MAPPED = new FakeMappings(...NAMES.map((name) => fakeMapping(name)))

let cloud: LocalCloud
beforeAll(async () => {
  const queues = Object.fromEntries(
    NAMES.flatMap((name) => [
      [name, { deadLetter: { queue: `${name}-dead`, maxReceiveCount: 1_000 } }],
      [`${name}-dead`, {}],
    ]),
  )
  Object.assign(queues, { failures: {} })
  const tables = { lineclear: tableDefinition() }
  const options = { logger: quietLogger() }
  cloud = withoutSdk(withoutLongPolls(await startLocalCloud({ queues, tables }, options)))
})
afterEach(() => emptyQueues(cloud, QUEUES))
afterAll(() => cloud.stop())

/** The function of a queue, in a version, fails with what one deployment has broken. */
async function fail(
  harness: OperatorHarness,
  name: (typeof NAMES)[number],
  { version = '$LATEST', maxAttempts = 1 } = {},
): Promise<void> {
  const handler = consumerOn(
    harness,
    () => {
      throw new TypeError(`rates of ${crypto.randomUUID()} is undefined`)
    },
    { name, retry: { maxAttempts, delay: '1h' } },
  )
  await send(cloud, name, { n: 1 })
  const Records = await receive(cloud, name)
  const context: Context = { ...lambdaContext(), functionVersion: version }
  await handler({ Records }, context)
}

async function idOn({ cli }: OperatorHarness, queue: string): Promise<string> {
  const { out } = await cli('dlq', 'peek', queue, '--json')
  const { letters } = JSON.parse(out) as { letters: { uniquerequestid: string }[] }
  return letters[0]?.uniquerequestid ?? ''
}

async function forget({ tableName: TableName }: OperatorHarness, pk: string): Promise<void> {
  const Key = { pk: { S: pk }, sk: { S: 'token' } }
  await cloud.dynamodb.send(new DeleteItemCommand({ TableName, Key }))
}

async function status(harness: OperatorHarness): Promise<readonly StatusFinding[]> {
  const { out } = await harness.cli('status', '--json')
  return (JSON.parse(out) as { findings: StatusFinding[] }).findings
}

it('one deployment that fills three dead-letter queues is one line, with one command for all of them', async () => {
  const harness = await operatorHarness(cloud, MAPPED)
  for (const name of NAMES) await fail(harness, name, { version: '41' })
  await fail(harness, 'orders', { version: '41' })
  await fail(harness, 'mails', { maxAttempts: 5 })
  const [found, ...others] = await status(harness)
  expect(others).toEqual([])
  expect(found).toMatchObject({
    kind: 'dead letters',
    of: 'invoices-dead, mails-dead, orders-dead',
    number: 4,
    lately: 4,
    retrying: 1,
    versions: ['41'],
    what: 'exhausted of invoices, mails, orders: TypeError: rates of <id> is undefined',
    next: `lineclear dlq redrive --all --group ${found?.cause?.name}`,
  })
  const { out } = await harness.cli('status')
  expect(out.match(/^[✖!·]/gm)).toHaveLength(1)
  expect(out).toMatch(
    /oldest .+, 4 in the last 10 min, fails now: 1 tried again, version 41 {2}exhausted of/,
  )
  const redrive = ['dlq', 'redrive', '--all', '--group', found?.cause?.name ?? '']
  const { out: sent } = await harness.apply(...redrive)
  for (const [number, name] of [
    ['2 dead letters', 'orders'],
    ['1 dead letter', 'mails'],
  ]) {
    expect(sent).toMatch(new RegExp(`^${number} sent to .*/${name}$`, 'm'))
  }
})

it.for([[['orders']], [['orders', 'mails']]] as const)(
  'a consumer whose name has a dot can be paused, with dead letters on %s',
  async ([names]) => {
    const harness = await operatorHarness(cloud, MAPPED)
    const refuse = (): never => {
      throw new Error('429 Too Many Requests')
    }
    const retry = { maxAttempts: 1 }
    for (const name of names) {
      await send(cloud, name, { n: 1 })
      const handler = consumerOn(harness, refuse, { name: 'shop.orders', retry })
      await handler({ Records: await receive(cloud, name) }, lambdaContext())
    }
    const [found, ...others] = await status(harness)
    expect([found?.number, others]).toEqual([names.length, []])
    expect(found?.afterwards).toContain('lineclear pause --consumer shop.orders --for 15m')
  },
)

it('a redrive that has just ended says so and how many have failed again; a discard does not', async () => {
  const harness = await operatorHarness(cloud, MAPPED)
  await fail(harness, 'orders')
  await harness.apply('dlq', 'redrive', 'orders-dead')
  const ended = await harness.cli('status')
  const [shown = '', name = ''] = /dlq redrive ([0-9a-f]{8})/.exec(ended.out) ?? []
  expect(ended.out).toContain(`1 of ${shown}`)
  expect(ended.out).toContain('1 of 1 done, by ann: wait')
  const began = new Date(harness.clock.now() - 11 * 60_000).toISOString()
  const key = { pk: `operation#${name}`, sk: 'plan' }
  await harness.store.update([
    { key, where: [{ exists: 'pk' }], set: { at: began, planned: 5, done: 5, failed: 2 } },
  ])
  const { out } = await harness.cli('status')
  expect(out).toContain(shown)
  expect(out).toContain('5 of 5 done, of which 2 have failed again, by ann')
  await fail(harness, 'mails')
  await harness.apply('dlq', 'discard', 'mails-dead')
  expect((await harness.cli('status')).out).not.toContain('dlq discard')
  harness.clock.advance(11 * 60_000)
  expect((await harness.cli('status')).out).not.toContain(shown)
})

it('names the tenant that most of them are of', async () => {
  const harness = await operatorHarness(cloud, MAPPED)
  for (const MessageGroupId of ['acme', 'zeta', 'acme', 'acme', undefined]) {
    const QueueUrl = cloud.queueUrl('orders-dead')
    await cloud.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: '{}', MessageGroupId }))
  }
  const { out } = await harness.cli('status')
  expect(out).toMatch(/5 of orders-dead {2}oldest .+, mostly of acme \(3 of 5\)/)
  const [found] = await status(harness)
  const most = [
    { tenant: 'acme', number: 3 },
    { tenant: 'zeta', number: 1 },
  ]
  expect(found).toMatchObject({ tenants: { looked: 5, most }, pace: expect.stringMatching('acme') })

  await emptyQueues(cloud, ['orders-dead'])
  await send(cloud, 'orders-dead', { n: 1 })
  expect((await status(harness))[0]).not.toHaveProperty('tenants')
})

it('errors that only one queue has stay apart', async () => {
  const harness = await operatorHarness(cloud, MAPPED)
  await fail(harness, 'orders')
  await send(cloud, 'mails-dead', { n: 1 })
  await send(cloud, 'invoices-dead', { n: 1 })
  expect((await status(harness)).map(({ of, next }) => [of, next.split(' ')[3]])).toEqual([
    ['invoices-dead', 'invoices-dead'],
    ['mails-dead', 'mails-dead'],
    ['orders-dead', 'orders-dead'],
  ])
})

it('a record that died and has no dead letter, and a dead letter without its record, are findings', async () => {
  const harness = await operatorHarness(cloud, MAPPED)
  await fail(harness, 'orders')
  await fail(harness, 'mails')
  const id = await idOn(harness, 'orders-dead')
  await emptyQueues(cloud, ['orders-dead'])
  await forget(harness, `lock#mails/${await idOn(harness, 'mails-dead')}`)
  // SQS may not have counted yet what has just been sent.
  expect((await harness.cli('status')).out).toContain('stopped  1 of orders')
  harness.clock.advance(3 * 60_000)
  const found = await status(harness)
  expect(found.map(({ kind, of, number, next }) => [kind, of, number, next])).toEqual([
    [
      'lost record',
      'mails-dead',
      1,
      expect.stringContaining('lineclear dlq peek mails-dead --group '),
    ],
    ['no dead letter', 'orders', 1, `lineclear explain orders/${id}`],
  ])
  const { out } = await harness.cli('status')
  expect(out).toContain(
    'its dead letter is on no queue (discarded, deleted, or redriven just now); ',
  )
  expect(out).toContain('its record is gone from the table; exhausted of mails: TypeError')
  // Of a part of the queues nobody can say so.
  expect((await harness.cli('status', '--queues', 'orders')).out).toContain('stopped  1 of orders')
})

describe('a queue with messages', () => {
  const [reads, sleeps] = [fakeMapping('orders'), fakeMapping('mails', 'Disabled')]

  it.each([
    ['no mapping', [], 'no event source mapping reads the queue'],
    ['a mapping of another queue', [sleeps], 'no event source mapping reads the queue'],
    ['a disabled mapping', [{ ...reads, State: 'Disabled' }], 'its mapping to orders is Disabled'],
    [
      'a mapping that fails',
      [{ ...reads, LastProcessingResult: 'PROBLEM: Function call failed' }],
      'its mapping to orders says PROBLEM: Function call failed',
    ],
  ])('and %s is a finding', async (_, mappings, why) => {
    const harness = await operatorHarness(cloud, new FakeMappings(...mappings))
    await send(cloud, 'orders', { n: 1 })
    await send(cloud, 'orders', { n: 2 })
    const { code, out } = await harness.cli('status')
    expect([code, out]).toEqual([1, expect.stringContaining('✖ no consumer  2 of orders')])
    expect(out).toContain(why)
    expect(out).toContain('next: lineclear doctor --queue orders')
  })

  it.each([
    ['Enabled', 'OK'],
    ['Enabled', 'No records processed'],
    ['Enabling', undefined],
  ])('and a mapping that is %s and says %s is none: its depth is shown', async (state, last) => {
    const mapping = { ...fakeMapping('orders', state), LastProcessingResult: last }
    const harness = await operatorHarness(cloud, new FakeMappings(mapping))
    await send(cloud, 'orders', { n: 1 })
    await receive(cloud, 'orders')
    await send(cloud, 'orders', { n: 2 })
    const { code, out } = await harness.cli('status')
    expect([code, out]).toEqual([0, expect.stringContaining('No problem found')])
    expect(out).toMatch(/^QUEUE {3}WAITING {2}IN FLIGHT {2}DELAYED {2}READ BY$/m)
    expect(out).toMatch(new RegExp(`^orders +1 +1 +0 +orders ${state}`, 'm'))
  })

  it('and invocations that fail are a finding also while all of them are in flight', async () => {
    const problem = 'PROBLEM: Function call failed'
    const mapping = { ...fakeMapping('orders'), LastProcessingResult: problem }
    const harness = await operatorHarness(cloud, new FakeMappings(mapping))
    await send(cloud, 'orders', { n: 1 })
    await receive(cloud, 'orders')
    const { code, out } = await harness.cli('status')
    expect(code).toBe(1)
    expect(out).toContain(`✖ failing  1 of orders  its mapping to orders says ${problem}`)
    expect(out).toContain('next: lineclear doctor --queue orders')
    expect(out).not.toContain('No problem found')
  })

  it('and a mapping of which Lambda says no result is a finding while none of them goes', async () => {
    const mapping = { ...fakeMapping('orders'), LastProcessingResult: undefined }
    const harness = await operatorHarness(cloud, new FakeMappings(mapping))
    for (const n of [1, 2]) await send(cloud, 'orders', { n })
    await receive(cloud, 'orders')
    await send(cloud, 'orders', { n: 3 })
    const { code, out } = await harness.cli('status')
    expect(code).toBe(1)
    expect(out).toMatch(
      /^! no progress {2}3 of orders {2}at \S+Z no fewer than \d s before, and Lambda does not/m,
    )

    const open = { statusShard: 'inProgress#1', dueAt: harness.clock.now(), status: 'inProgress' }
    for (const n of [1, 2, 3]) {
      const token = { pk: `lock#orders/${n}`, sk: 'token', attemptId: 'a', attempt: 2, fence: 2 }
      await harness.store.create([{ ...token, ...open }])
    }
    expect((await harness.cli('status')).out).not.toContain('no progress')
    for (const n of [4, 5]) await send(cloud, 'orders', { n })
    expect((await harness.cli('status')).out).toContain('no progress  5 of orders')

    harness.clock.sleep = async () => emptyQueues(cloud, ['orders'])
    expect((await harness.cli('status')).code).toBe(0)
  })

  it('and a mapping that polls and receives nothing is not called fine', async () => {
    const harness = await operatorHarness(cloud, new FakeMappings(fakeMapping('orders')))
    await send(cloud, 'orders', { n: 1 })
    const { code, out } = await harness.cli('status')
    expect(code).toBe(1)
    expect(out).toMatch(
      /^not read: whether orders is read, where 1 wait \(SQS has counted no receipt for \d s, until \S+Z, and its counts may be a minute old\. --watch/m,
    )
    const changed = new Date(harness.clock.now() - 40_000)
    const mappings = new FakeMappings({ ...fakeMapping('orders'), LastModified: changed })
    const after = await operatorHarness(cloud, mappings)
    expect((await after.cli('status')).out).toContain(
      `Its mapping was changed ${changed.toISOString()} (40 s ago): Lambda polls within a minute`,
    )
    harness.clock.sleep = async () => void (await receive(cloud, 'orders'))
    expect((await harness.cli('status')).code).toBe(0)
  })

  it('and a pause of an operator has its own line', async () => {
    const harness = await operatorHarness(cloud, new FakeMappings(fakeMapping('orders')))
    await harness.apply('pause', '--queue', 'orders', '--for', '1h', '--why', 'w')
    await send(cloud, 'orders', { n: 1 })
    expect((await status(harness)).map(({ kind }) => kind)).toEqual(['paused'])
  })

  it('that somebody holds is read, and one for people is none', async () => {
    const harness = await operatorHarness(cloud, new FakeMappings())
    await send(cloud, 'orders', { n: 1 })
    await receive(cloud, 'orders')
    await send(cloud, 'failures', { n: 1 })
    expect(await status(harness)).toEqual([])
  })

  it('and a disabled mapping is a finding also while one message is still in flight', async () => {
    const off = fakeMapping('orders', 'Disabled')
    const harness = await operatorHarness(cloud, new FakeMappings(off))
    await send(cloud, 'orders', { n: 1 })
    await receive(cloud, 'orders')
    await send(cloud, 'orders', { n: 2 })
    expect(await status(harness)).toMatchObject([{ kind: 'no consumer', of: 'orders', number: 1 }])
  })

  it('is not called fine when the mappings cannot be listed', async () => {
    const lambda = new FakeMappings()
    lambda.listEventSourceMappings = () => Promise.reject(awsError('AccessDeniedException'))
    const harness = await operatorHarness(cloud, lambda)
    await send(cloud, 'orders', { n: 1 })
    const { code, out } = await harness.cli('status')
    expect(code).toBe(1)
    expect(out).toContain('not read: the consumer of orders, where 1 wait (AccessDeniedException')
    expect(out).toMatch(/^orders .* not known$/m)
    expect(out).not.toContain('No problem found')
  })
})

it('a redrive of many is found by the id of one of them, in audit, explain and the waterfall', async () => {
  const harness = await operatorHarness(cloud, MAPPED)
  await fail(harness, 'orders')
  await fail(harness, 'mails')
  const [orders, mails] = [await idOn(harness, 'orders-dead'), await idOn(harness, 'mails-dead')]
  const why = 'the bank is back'
  await harness.apply('dlq', 'redrive', 'orders-dead', '--why', why)
  for (const id of [orders, `orders/${orders}`]) {
    const { out } = await harness.cli('explain', '--history', id)
    expect(out).toMatch(new RegExp(`ann +dlq redrive +orders-dead .*${why}`))
  }
  expect((await harness.cli('explain', '--history', mails)).out).toContain('No change names')
  const { out } = await harness.cli('explain', `orders/${orders}`)
  expect(out).toMatch(
    /^by an operator, .*: dlq redrive orders-dead, plan \w+, by ann: .*: the bank is back$/m,
  )
  const { timeline, waterfall } = JSON.parse(
    (await harness.cli('explain', `orders/${orders}`, '--json')).out,
  ) as { timeline: { from: string; kind: string }[]; waterfall: { marks: { kind: string }[] } }
  expect(timeline.map(({ from, kind }) => `${from} ${kind}`)).toContain('audit operator')
  expect(JSON.stringify(waterfall)).toContain('dlq redrive orders-dead')
  expect((await harness.cli('explain', `mails/${mails}`)).out).not.toContain('by an operator')
})

it('dead letters are counted by tenant, and by any attribute', async () => {
  const harness = await operatorHarness(cloud, MAPPED)
  const tenants = ['acme', 'acme', 'initech', undefined]
  for (const MessageGroupId of tenants) {
    const plan = { DataType: 'String', StringValue: 'free' }
    const rest = MessageGroupId === undefined ? { MessageAttributes: { plan } } : { MessageGroupId }
    const QueueUrl = cloud.queueUrl('mails-dead')
    await cloud.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: '{}', ...rest }))
  }
  const { out } = await harness.cli('dlq', 'groups', '--per', 'MessageGroupId')
  expect(out).toMatch(/^MessageGroupId {2}COUNT\nacme {12}2\ninitech {9}1\n\(none\) {10}1$/m)
  const { out: json } = await harness.cli('dlq', 'groups', 'mails-dead', '--per', 'plan', '--json')
  expect((JSON.parse(json) as { per: object }).per).toEqual([
    { value: null, count: 3 },
    { value: 'free', count: 1 },
  ])
})

it('a handover says what is open, who did what and what to know, and foreign text forges nothing', async () => {
  const harness = await operatorHarness(cloud, MAPPED)
  await fail(harness, 'orders')
  await fail(harness, 'mails')
  await harness.apply('dlq', 'redrive', 'mails-dead', '--why', 'back\n# [up](http://x)')
  await harness.apply('pause', '--queue', 'mails', '--for', '1h', '--why', 'w')
  const { code, out } = await harness.cli('status', '--handover', '--note', 'call the *bank*')
  // As status without it: something is wrong.
  expect(code).toBe(1)
  expect(out.match(/^#+ .*/gm)).toEqual([
    expect.stringMatching(/^# Handover of lineclear-/),
    '## Open',
    '## Paused',
    '## Changes of many that run or have stopped',
    '## Done by operators in the last 12 hours',
    '## Note',
  ])
  expect(out).toMatch(
    /^- \*\*dead letters\*\*: 1 of orders-dead .* → `lineclear dlq redrive orders-dead --group \w+`$/m,
  )
  expect(out).toMatch(/^- paused: 1 of .* → `lineclear resume /m)
  expect(out).toMatch(/Z ann, dlq redrive mails-dead, plan \w+, .*: back.*\\# \\\[up\\\]\(http/m)
  expect(out).toContain('call the \\*bank\\*')
  const { out: empty } = await harness.cli('status', '--handover', '--no-queues', '--since', '1s')
  expect(empty).toContain('## Note\n\n…')
})

it('a change of one item, which the item shows, is told once', async () => {
  const harness = await operatorHarness(cloud, MAPPED)
  await fail(harness, 'orders')
  const id = `orders/${await idOn(harness, 'orders-dead')}`
  await harness.apply('decide', id, 'done', '--why', 'done by hand')
  const { out } = await harness.cli('explain', id)
  expect(out.match(/done by hand/g)).toHaveLength(1)
})

it('dlq groups names what several groups have in common, and no cause of a single group', async () => {
  const harness = await operatorHarness(cloud, MAPPED)
  await fail(harness, 'orders')
  expect((await harness.cli('dlq', 'groups')).out).not.toContain('have one cause')
  await fail(harness, 'invoices')
  const { out } = await harness.cli('dlq', 'groups')
  const names = [...out.matchAll(/^\S+-dead +([\da-f]{8}) /gm)].map(([, name]) => name)
  expect(names).toHaveLength(2)
  const [, cause = ''] =
    new RegExp(
      `^${names.join(', ')} have one cause, (\\w{8}): after the fix, redrive them: `,
      'm',
    ).exec(out) ?? []
  expect(out).toContain(`lineclear dlq redrive --all --group ${cause}`)
  const { out: plan } = await harness.cli('dlq', 'redrive', '--all', '--group', cause)
  for (const name of ['orders', 'invoices']) expect(plan).toContain(`1 exhausted of ${name}: `)
})
