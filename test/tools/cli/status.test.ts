import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ListTablesCommand } from '@aws-sdk/client-dynamodb'
import { ConfigError } from 'lineclear'
import type { LocalCloud } from 'lineclear/local'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { messageOf } from '../../../src/library/base/errors.ts'
import { userFailure } from '../../../src/library/adapters/store/dynamodb/calls/failure.ts'
import { operatorDynamoDb } from '../../../src/tools/operator/aws/tableReader.ts'
import type { StatusFinding } from '../../../src/tools/operator/status/finding.ts'
import { beginAudit } from '../../../src/library/entries/sweeper/audit/auditRow.ts'
import { z } from 'zod'
import { deliver, emptyAll, send } from '../../flow/flowHarness.ts'
import { receive } from '../operator/dlqHarness.ts'
import { consumerOn, operatorHarness, type OperatorHarness, startCloud } from './operatorHarness.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startCloud()
})
afterEach(() => emptyAll(cloud))
afterAll(() => cloud.stop())

const MINUTE = 60_000
const HOUR = 60 * MINUTE

type Planted = Readonly<Record<string, string | number>>

function token(id: string, status: string, dueAt: number, more: Planted = {}) {
  const base = { attemptId: 'a', attempt: 2, fence: 2, created: new Date(dueAt).toISOString() }
  return {
    pk: `lock#${id}`,
    sk: 'token',
    status,
    statusShard: `${status}#1`,
    dueAt,
    ...base,
    ...more,
  }
}

function step(id: string, now: number, created: number) {
  return {
    pk: `flow#${id}`,
    sk: 'await#quote#r1',
    statusShard: 'awaiting#2',
    dueAt: now + HOUR,
    created: new Date(created).toISOString(),
  }
}

async function findings({ cli }: OperatorHarness, ...args: readonly string[]) {
  const { code, out } = await cli('status', '--json', '--no-queues', ...args)
  const report = JSON.parse(out) as { findings: StatusFinding[] }
  for (const { next, afterwards, advice } of report.findings) {
    expect(advice[0]).toMatchObject({ cure: true })
    expect([next, next.split(' ')[1]]).toEqual([
      expect.stringContaining('lineclear '),
      advice[0]?.args[0],
    ])
    expect(advice[0]?.text).toContain(next)
    for (const { text } of advice.slice(1)) expect(afterwards).toContain(text)
  }
  return {
    code,
    short: report.findings.map(({ severity, kind, of, number, next }) =>
      [severity, kind, of, number, next].join(' | '),
    ),
  }
}

it('of an empty table and empty queues says that nothing is wrong', async () => {
  const { cli } = await operatorHarness(cloud)
  const { code, err, out } = await cli('status')
  expect([code, err]).toEqual([0, ''])
  expect(out).toBe(
    '✔ No problem found.\nCloudWatch was not read (errors, throttles and durations of functions; age of messages; what SNS could not deliver): an alarm that rings may be right.\nLost first attempts: not searched yet. The sweeper searches for them (dynamodb:Scan), or: lineclear sweep --search --apply',
  )
})

it('lists the worst first, each with the command to type next', async () => {
  const harness = await operatorHarness(cloud)
  const now = harness.clock.now()
  await harness.store.create([
    token('orders/late', 'inProgress', now - 5 * MINUTE, { leaseUntil: now - 5 * MINUTE }),
    token('orders/fine', 'inProgress', now + MINUTE),
    token('orders/down-1', 'error', now, { reason: 'exhausted', error: 'Error: no luck' }),
    token('orders/down-2', 'error', now, { reason: 'exhausted', error: 'Error: no luck' }),
    token('refunds/r1', 'unknown', now, { 'step:charge': 'started' }),
    step('trip/k', now, now - 2 * HOUR),
    step('trip/new', now, now - MINUTE),
    { ...step('trip/lost', now, now), dueAt: now - HOUR },
  ])
  expect(await findings(harness)).toEqual({
    code: 1,
    short: [
      'bad | unknown outcome | refunds | 1 | lineclear explain refunds/r1',
      'bad | stopped | orders | 2 | lineclear ls --consumer orders --status error',
      'warn | overdue | orders | 1 | lineclear explain orders/late',
      'warn | overdue | trip | 1 | lineclear sweep --apply',
      'note | long wait | trip | 1 | lineclear explain trip/k',
    ],
  })
})

it('a stage whose attempt was lost is stalled, and one that runs is not', async () => {
  const harness = await operatorHarness(cloud)
  const now = harness.clock.now()
  const run = (key: string, lease: number) => ({
    pk: `flow#trip/${key}`,
    sk: 'stage',
    epoch: 1,
    fence: 1,
    uniquerequestid: 'r1',
    giveUpAt: now + HOUR,
    statusShard: 'running#3',
    dueAt: now + HOUR,
    'stage:book': `open 1 a ${lease} 0`,
  })
  await harness.store.create([run('lost', now - 3 * MINUTE), run('runs', now + MINUTE)])
  expect((await findings(harness)).short).toEqual([
    'warn | stalled | trip | 1 | lineclear explain trip/lost',
  ])
})

it('a first attempt that was lost, and a stalled run, are found by sweep --search, and status says when', async () => {
  const harness = await operatorHarness(cloud)
  const now = harness.clock.now()
  const { statusShard: _shard, dueAt: _due, ...first } = token('orders/first', 'inProgress', now)
  const run = {
    pk: 'flow#trip/k',
    sk: 'stage',
    epoch: 1,
    fence: 1,
    uniquerequestid: 'r1',
    giveUpAt: now + HOUR,
    statusShard: 'running#3',
    dueAt: now + HOUR,
    'stage:book': `retry 1 a ${now - HOUR} 1 sent`,
  }
  await harness.store.create([{ ...first, attempt: 1, leaseUntil: now - HOUR }, run])
  expect((await findings(harness)).short).toEqual([])
  expect((await harness.cli('sweep', '--search')).out).toContain('sweep --search --apply')
  expect((await findings(harness)).short).toEqual([])
  const swept = await harness.cli('sweep', '--search', '--apply', '--json')
  expect([swept.code, JSON.parse(swept.out)]).toMatchObject([1, { found: 2, overdue: 2 }])
  const { code, short } = await findings(harness)
  expect([code, short]).toEqual([
    1,
    [
      'warn | stalled | trip | 1 | lineclear explain trip/k',
      'warn | overdue | orders | 1 | lineclear explain orders/first',
    ],
  ])
  const { out } = await harness.cli('status', '--no-queues')
  expect(out).toMatch(/^Lost first attempts: searched now, 3 items in 0 s\.$|searched/m)
  expect((await harness.cli('ls', '--due')).out).toContain('orders/first')
})

it('hostile text in what sweep --search finds forges no line and moves no cursor', async () => {
  const harness = await operatorHarness(cloud)
  const now = harness.clock.now()
  const {
    statusShard: _shard,
    dueAt: _due,
    ...first
  } = token('orders/x\u001b[2J\nfailed 9', 'inProgress', now)
  await harness.store.create([{ ...first, attempt: 1, leaseUntil: now - HOUR }])
  const { out } = await harness.cli('sweep', '--search', '--apply')
  expect(out).not.toContain('\u001b')
  expect(out).not.toMatch(/^failed 9/m)
  expect(out).toContain('orders/x')
})

it('a search that the role may not make fails, and changes nothing', async () => {
  const harness = await operatorHarness(cloud)
  const { code } = await harness.cli('sweep', '--search', '--apply', '--table', 'there-is-none')
  expect(code).toBe(3)
})

it('many attempts of one request, and a lock that is held for hours, are notes', async () => {
  const harness = await operatorHarness(cloud)
  const now = harness.clock.now()
  const held = { pk: 'key#refunds/p72', leaseUntil: now + 8 * HOUR }
  const created = new Date(now - 3 * HOUR).toISOString()
  await harness.store.create([
    token('invoices/i1', 'inProgress', now + MINUTE, { attempt: 26, error: 'Error: bank' }),
    token('invoices/i2', 'inProgress', now + MINUTE),
    { ...token('', 'inProgress', now + 8 * HOUR, { created }), ...held },
  ])
  expect(await findings(harness)).toEqual({
    code: 0,
    short: [
      'note | long run | refunds | 1 | lineclear explain refunds/p72',
      'note | retrying | invoices | 2 | lineclear ls --consumer invoices --status inProgress',
    ],
  })
  expect((await harness.cli('status', '--no-queues')).out).toContain('attempt 26: Error: bank')
})

it('what waits for an operator is not counted as overdue', async () => {
  const harness = await operatorHarness(cloud)
  const ago = harness.clock.now() - HOUR
  await harness.store.create([
    token('orders/parked', 'error', ago),
    token('orders/late', 'inProgress', ago),
  ])
  const { out } = await harness.cli('ls', '--count', '--json')
  const { counts } = JSON.parse(out) as { counts: { status: string; overdue: number }[] }
  expect(counts.map(({ status, overdue }) => [status, overdue])).toEqual([
    ['error', 0],
    ['inProgress', 1],
  ])
})

it.each([
  { state: 'running', leased: 30_000, severity: 'note' },
  { state: 'running', severity: 'warn' },
  { state: 'stopped', severity: 'warn' },
  { state: 'done', severity: 'note' },
  { state: 'done', ended: 9, severity: 'note' },
  { state: 'done', ended: 11, severity: undefined },
] as const)(
  'an operation that is $state, leased for $leased ms, ended $ended minutes ago: $severity',
  async (one) => {
    const { state, severity, leased, ended } = { leased: 0, ended: undefined, ...one }
    const harness = await operatorHarness(cloud)
    const now = harness.clock.now()
    const [plan, action] = ['7f3a91c2', 'dlq redrive']
    const entry = { action, id: 'dead', plan, by: 'ann', why: '', command: '' }
    await beginAudit(harness.store, entry, now)
    const row = {
      action,
      args: '["dlq","redrive","dead"]',
      planned: 9,
      done: 2,
      state,
      at: new Date(now).toISOString(),
      by: 'ann',
      ...(ended === undefined ? {} : { endedAt: new Date(now - ended * MINUTE).toISOString() }),
    }
    await harness.store.create([
      { pk: `operation#${plan}`, sk: 'plan', ...row, leaseUntil: now + leased },
    ])
    const line = `${severity} | operation | dlq redrive ${plan} | 1 | lineclear status --plan ${plan}`
    expect((await findings(harness)).short).toEqual(severity === undefined ? [] : [line])
    const { out } = await harness.cli('status', '--json', '--no-queues')
    const isUnsaid = state === 'done' && ended === undefined
    expect(out.includes('when it ended is not known')).toBe(isUnsaid)
  },
)

it('a claim in the future is a wrong clock', async () => {
  const harness = await operatorHarness(cloud)
  const now = harness.clock.now()
  const created = new Date(now + 2 * HOUR).toISOString()
  await harness.store.create([
    token('orders/ahead', 'inProgress', now + 3 * HOUR, { created, leaseUntil: now + 3 * HOUR }),
    token('orders/fine', 'inProgress', now + MINUTE),
  ])
  expect((await findings(harness)).short).toEqual([
    'warn | wrong clock | orders | 1 | lineclear explain orders/ahead',
  ])
  const { out } = await harness.cli('status', '--no-queues')
  expect(out).toContain('claimed 2 hours in the future: the clock of its function is ahead')
  const explained = await harness.cli('explain', 'orders/ahead')
  expect(explained.out).toMatch(/next: no function runs for so long.* orders\/ahead free --force/)
})

it('claims in the future are as many as were looked at, or more', async () => {
  const harness = await operatorHarness(cloud)
  const now = harness.clock.now()
  const created = new Date(now + 2 * HOUR).toISOString()
  const ahead = Array.from({ length: 60 }, (_, at) =>
    token(`orders/${at}`, 'inProgress', now + 3 * HOUR, { created, leaseUntil: now + 3 * HOUR }),
  )
  await harness.store.create(ahead.slice(0, 50))
  const one = await harness.cli('status', '--no-queues')
  expect(one.out).toMatch(/wrong clock {2}50 of orders/)
  await harness.store.create(ahead.slice(50))
  const { out } = await harness.cli('status', '--no-queues')
  expect(out).toMatch(/wrong clock {2}50 or more of orders/)
})

it.each([{ args: '{' }, { args: '[1]' }, { leaseUntil: 1e20 }, { at: 'never' }])(
  'the row of a plan that is garbage hides nothing else: %j',
  async (garbage) => {
    const harness = await operatorHarness(cloud)
    const now = harness.clock.now()
    const [plan, action, by] = ['7f3a91c2', 'dlq redrive', 'ann']
    const entry = { action, id: 'dead', plan, by, why: '', command: '' }
    await beginAudit(harness.store, entry, now)
    const row = { action, args: '[]', planned: 9, done: 2, state: 'paused', by }
    const at = new Date(now).toISOString()
    await harness.store.create([
      { pk: `operation#${plan}`, sk: 'plan', ...row, at, ...garbage },
      token('orders/parked', 'unknown', now),
    ])
    expect((await findings(harness)).short).toEqual([
      expect.stringContaining('bad | unknown outcome | orders | 1'),
    ])
    expect(await harness.cli('dlq', 'redrive', '--continue', plan)).toMatchObject({ code: 4 })
  },
)

it('the clock of this machine is wrong if the answers of AWS have another date', async () => {
  const harness = await operatorHarness(cloud)
  const now = harness.clock.now()
  const created = new Date(now + 2 * HOUR).toISOString()
  await harness.store.create([token('orders/right', 'inProgress', now + 3 * HOUR, { created })])
  const { config } = cloud.dynamodb
  config.systemClockOffset = 2 * HOUR
  const { short } = await findings(harness)
  const { out } = await harness.cli('status', '--no-queues')
  config.systemClockOffset = 0
  expect(short).toEqual(['warn | wrong clock | this machine | 1 | lineclear status'])
  expect(out).toContain('its clock is 2 hours behind that of AWS')
})

it('the SDK keeps the difference to the date of the last answer', async () => {
  const server = createServer((_, response) => {
    response.setHeader('date', new Date(Date.now() + 2 * HOUR).toUTCString()).end('{}')
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const { port } = server.address() as AddressInfo
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' }
  const endpoint = `http://127.0.0.1:${port}`
  const client = operatorDynamoDb({ endpoint, region: 'us-east-1', credentials })
  await client.send(new ListTablesCommand())
  server.close()
  expect(Math.round(client.config.systemClockOffset / MINUTE)).toBe(120)
})

it('what a throttled table holds back is named', async () => {
  const harness = await operatorHarness(cloud)
  const now = harness.clock.now()
  const refusal = Object.assign(new Error('no units'), { name: 'ThrottlingException' })
  const error = messageOf(userFailure('shelves', refusal))
  await harness.store.create([
    token('scans/1', 'inProgress', now + MINUTE, { error, attempt: 7 }),
    token('scans/2', 'inProgress', now + MINUTE, { error }),
  ])
  expect(await findings(harness)).toEqual({
    code: 1,
    short: ['warn | throttled | scans | 2 | lineclear pause --consumer scans --for 10m'],
  })
  expect((await harness.cli('status', '--no-queues')).out).toContain('Table shelves.')
})

it('a function that a throttled table holds back is not to be paused: it has no mapping', async () => {
  const harness = await operatorHarness(cloud)
  const now = harness.clock.now()
  const error = messageOf(
    userFailure('shelves', Object.assign(new Error(), { name: 'ThrottlingException' })),
  )
  const key = token('refunds/1', 'inProgress', now + MINUTE, { error, pk: 'key#refunds/1' })
  await harness.store.create([key])
  expect((await findings(harness)).short).toEqual([
    'warn | throttled | refunds | 1 | lineclear explain refunds/1',
  ])
})

describe('a sweeper', () => {
  const turns = (since: number, more: Planted = {}) => {
    const last = { lastBegun: since - MINUTE, lastEnded: since, lastLooked: 5, lastFound: 0 }
    const row = { st: 'over', begun: since - MINUTE, looked: 5, found: 0, ...last, ...more }
    return { pk: 'searches', sk: 'lost attempts', ...row }
  }

  it.each([
    [
      'ten hours ago',
      10 * HOUR,
      {},
      ['warn | sweeper | the sweeper | 1 | lineclear sweep --apply'],
    ],
    ['a while ago', 10 * MINUTE, {}, []],
    ['long ago, and a turn takes long', 10 * HOUR, { lastBegun: 1 }, []],
  ])('whose search ended %s', async (_, ago, more, short) => {
    const harness = await operatorHarness(cloud)
    await harness.store.create([turns(harness.clock.now() - ago, more)])
    expect(await findings(harness)).toEqual({ code: short.length, short })
  })

  it('that has stopped in the middle of a turn is a finding', async () => {
    const harness = await operatorHarness(cloud)
    await harness.store.create([turns(harness.clock.now() - 10 * HOUR, { st: 'searching' })])
    const { code, out } = await harness.cli('status', '--no-queues')
    expect([code, out]).toEqual([
      1,
      expect.stringContaining('! sweeper  1 of the sweeper  oldest 10 hours ago  its search began'),
    ])
  })
})

describe('a backlog', () => {
  const LARGE = 100

  /** One more is in flight: somebody receives them. */
  async function backlog(of: number) {
    const harness = await operatorHarness(cloud)
    await send(cloud, 'book', { n: -1 })
    await receive(cloud, 'book')
    for (let n = 0; n < of; n++) await send(cloud, 'book', { n })
    return harness
  }

  it('that grows while it is looked at is a problem', async () => {
    const harness = await backlog(LARGE)
    harness.clock.sleep = async () => {
      await send(cloud, 'book', { n: 1 })
      await send(cloud, 'book', { n: 2 })
    }
    const { code, out } = await harness.cli('status')
    expect([code, out]).toEqual([
      1,
      expect.stringMatching(
        /! backlog {2}102 of book {2}they wait, and are 2 more than 1 s ago\n {4}next: lineclear status --queues book --watch/,
      ),
    ])
  })

  it.each([
    ['and goes on to', 2, /^! backlog {2}206 of book {2}they wait, and are 4 more than/m],
    ['and does not go on to', 1, /No problem found/],
  ])('that grows by less than its count may be wrong, %s', async (_, times, said) => {
    const harness = await backlog(LARGE * 2 + 2)
    let left = times
    harness.clock.sleep = async () => {
      if (left === 0) return
      left -= 1
      for (const n of [1, 2]) await send(cloud, 'book', { n })
    }
    expect((await harness.cli('status')).out).toMatch(said)
  })

  it('that does not is none, and one that is small does not grow', async () => {
    expect(await (await backlog(LARGE)).cli('status')).toMatchObject({ code: 0 })
    await emptyAll(cloud)
    const small = await backlog(2)
    small.clock.sleep = async () => send(cloud, 'book', { n: 3 })
    expect(await small.cli('status')).toMatchObject({ code: 0 })
  })
})

it('many retries are a note, and no fault', async () => {
  const harness = await operatorHarness(cloud)
  const now = harness.clock.now()
  await harness.store.create(
    Array.from({ length: 10 }, (_, at) => token(`orders/${at}`, 'inProgress', now + MINUTE)),
  )
  expect(await findings(harness)).toEqual({
    code: 0,
    short: ['note | retrying | orders | 10 | lineclear ls --consumer orders --status inProgress'],
  })
  expect((await harness.cli('status', '--no-queues')).out).toContain('No problem found')
})

const Order = z.object({ total: z.number() })
const ONCE = { ifUnknown: 'stop' } as const
const failing = (): void => {
  throw new Error('socket hang up')
}

describe('dead letters', () => {
  it('of every queue are grouped, without naming a queue, and visible again afterwards', async () => {
    const harness = await operatorHarness(cloud)
    await send(cloud, 'dead', { n: 1 })
    await send(cloud, 'dead', { n: 2 })
    for (const _again of [1, 2]) {
      const { code, out } = await harness.cli('status')
      expect(code).toBe(1)
      expect(out).toMatch(/✖ dead letters {2}2 of dead {2}oldest/)
      expect(out).toMatch(
        /next: after the fix, redrive them: lineclear dlq redrive dead --group \w+/,
      )
    }
  })

  it('of a wrong configuration are redriven after the next deployment, and never discarded', async () => {
    const harness = await operatorHarness(cloud)
    const handler = consumerOn(
      harness,
      () => {
        throw new ConfigError('BANK_URL is missing')
      },
      { id: () => 'r1' },
    )
    await send(cloud, 'book', { total: 1 })
    await deliver(cloud, 'book', handler)
    for (const words of [['status'], ['explain', 'orders/r1']]) {
      const { out } = await harness.cli(...words)
      expect(out).toMatch(/next: .*lineclear dlq redrive dead --(id|group) \w+/)
      expect(out).toContain('its configuration was wrong: mend it, deploy, redrive')
      expect(out).not.toMatch(/no attempt can succeed|dlq discard/)
    }
  })

  it('that another reader holds are counted with "or more"', async () => {
    const harness = await operatorHarness(cloud)
    await send(cloud, 'dead', { n: 1 })
    await receive(cloud, 'dead')
    await send(cloud, 'dead', { n: 2 })
    const { out } = await harness.cli('status')
    expect(out).toMatch(/✖ dead letters {2}1 or more of dead {2}oldest/)
  })

  it('get the command that their reason needs', async () => {
    const harness = await operatorHarness(cloud)
    const handler = consumerOn(harness, (_payload, ctx) => ctx.call('call', failing, ONCE), {
      deadLetterQueueUrl: cloud.queueUrl('dead'),
      schema: Order as never,
      retry: { maxAttempts: 1, delay: 0 },
    })
    await send(cloud, 'book', { total: 'a text' })
    await send(cloud, 'book', { total: 1 })
    await deliver(cloud, 'book', handler)
    const { out } = await harness.cli('status', '--json')
    const { findings: found } = JSON.parse(out) as { findings: StatusFinding[] }
    const letters = found.filter(({ kind }) => kind === 'dead letters')
    const of = (reason: string) => letters.find(({ what }) => what.startsWith(reason))
    const doubt = found.find(({ kind }) => kind === 'unknown outcome')
    expect(of('rejected')?.next).toMatch(/^lineclear dlq peek dead --group \w+ --body$/)
    expect(of('rejected')?.afterwards).toMatch(
      /lineclear dlq edit dead --id ID --set PATH=JSON, then/,
    )
    expect(of('unknown')).toBeUndefined()
    expect(doubt?.next).toMatch(/^lineclear explain orders\/\S+$/)
    const text = (await harness.cli('status')).out
    expect(text).toContain('then: a redrive alone is rejected again')
    expect(text).not.toContain('dlq redrive')
  })

  it('and their records are one problem', async () => {
    const harness = await operatorHarness(cloud)
    const handler = consumerOn(harness, failing, {
      deadLetterQueueUrl: cloud.queueUrl('dead'),
      retry: { maxAttempts: 1, delay: 0 },
    })
    await send(cloud, 'book', { n: 1 })
    await send(cloud, 'book', { n: 2 })
    await deliver(cloud, 'book', handler)
    await harness.store.create([token('orders/alone', 'error', harness.clock.now())])
    const { out } = await harness.cli('status', '--json')
    const { findings: found } = JSON.parse(out) as { findings: StatusFinding[] }
    expect(found.map(({ kind, of, number }) => [kind, of, number])).toEqual([
      ['dead letters', 'dead', 2],
      ['stopped', 'orders', 1],
    ])
  })

  it('cannot be looked at: the table still is, and that is said', async () => {
    const harness = await operatorHarness(cloud)
    const none = await harness.cli('status', '--queues', 'there-is-none')
    expect([none.code, none.out]).toEqual([0, expect.stringContaining('✔ No problem found')])
    vi.spyOn(cloud.sqs, 'send').mockRejectedValueOnce(new Error('AccessDenied'))
    const unread = await harness.cli('status')
    expect(unread.code).toBe(1)
    expect(unread.out).toContain('not read: the dead-letter queues (Error: AccessDenied)')
    expect(unread.out).toContain(
      '? Not known whether anything is wrong: what was not read may be it.',
    )
  })
})

it('hostile text in ids and errors forges no line and moves no cursor', async () => {
  const harness = await operatorHarness(cloud)
  const now = harness.clock.now()
  const error = 'Error: \u001b[2J\n✔ No problem found.'
  await harness.store.create([token("orders/x'; rm -r ~\n", 'unknown', now, { error })])
  const { out } = await harness.cli('status', '--no-queues')
  expect(out.split('\n')).toHaveLength(3)
  expect(out).not.toContain('\u001b')
  expect(out).toContain("next: lineclear explain 'orders/x'")
})

it('--watch looks again until it is interrupted', async () => {
  const harness = await operatorHarness(cloud)
  const watching = harness.cli('status', '--no-queues', '--watch', '--every', '1s')
  await harness.clock.sleep(0)
  setTimeout(() => process.emit('SIGINT'), 200)
  const { code, out } = await watching
  expect(code).toBe(0)
  expect(out.split('\n').length).toBeGreaterThan(0)
})
