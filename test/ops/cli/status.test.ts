import type { LocalCloud } from 'lineclear/local'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { StatusFinding } from '../../../src/ops/operator/status/finding.ts'
import { emptyAll, send } from '../../flow/flowHarness.ts'
import { operatorHarness, type OperatorHarness, startCloud } from './operatorHarness.ts'

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
  return {
    code,
    short: report.findings.map(({ severity, kind, of, number, next }) =>
      [severity, kind, of, number, next].join(' | '),
    ),
  }
}

it('of an empty table and empty queues says that nothing is wrong', async () => {
  const { cli } = await operatorHarness(cloud)
  expect(await cli('status')).toEqual({ code: 0, err: '', out: '✔ Nothing is wrong.' })
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
  expect((await harness.cli('status', '--no-queues')).out).toContain('Nothing is wrong')
})

describe('dead letters', () => {
  it('of every queue are grouped, without naming a queue, and visible again afterwards', async () => {
    const harness = await operatorHarness(cloud)
    await send(cloud, 'dead', { n: 1 })
    await send(cloud, 'dead', { n: 2 })
    for (const _again of [1, 2]) {
      const { code, out } = await harness.cli('status')
      expect(code).toBe(1)
      expect(out).toMatch(/✖ dead letters {2}2 of dead {2}oldest/)
      expect(out).toMatch(/next: lineclear dlq redrive dead --group \w+/)
    }
  })

  it('cannot be looked at: the table still is, and that is said', async () => {
    const harness = await operatorHarness(cloud)
    const { out } = await harness.cli('status', '--queues', 'there-is-none')
    expect(out).toContain('Nothing is wrong')
  })
})

it('hostile text in ids and errors forges no line and moves no cursor', async () => {
  const harness = await operatorHarness(cloud)
  const now = harness.clock.now()
  const error = 'Error: \u001b[2J\n✔ Nothing is wrong.'
  await harness.store.create([token("orders/x'; rm -r ~\n", 'unknown', now, { error })])
  const { out } = await harness.cli('status', '--no-queues')
  expect(out.split('\n')).toHaveLength(2)
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
