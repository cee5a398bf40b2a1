import { documented } from '../../proof/formats/page.ts'
import { idempotent, lockTokens, onceForever, recordHandler } from 'lineclear'
import { explainRequest } from '../../../src/tools/operator/explain/explain.ts'
import { buildTimeline } from '../../../src/tools/operator/explain/timeline.ts'
import { scanForRequest, readRequest } from '../../../src/tools/operator/explain/readRequest.ts'
import { listTasks, type TaskFilter } from '../../../src/tools/operator/tasks/listTasks.ts'
import type { TableReader } from '../../../src/tools/operator/aws/tableReader.ts'
import { planRelease, planReopen, planResolve } from '../../../src/tools/operator/plan/planToken.ts'
import type { Task } from '../../../src/tools/operator/item/task.ts'
import type { Context } from 'aws-lambda'
import { memoryStore, sqsEvent } from 'lineclear/testing'
import { describe, expect, it } from 'vitest'
import { readToken, type Token } from '../../../src/library/protocol/claim/token/token.ts'
import { writeDelayed } from '../../../src/library/protocol/claim/delayed/delayedRow.ts'
import { digestOf } from '../../../src/library/protocol/claim/stage/version.ts'
import type { Item } from '../../../src/library/protocol/store/store.ts'
import { quietLogger } from '../../deliver/quietLogger.ts'
import { testTime } from '../../flow/flowHarness.ts'

function openExplain() {
  const store = documented(memoryStore())
  const clock = testTime()
  const keyed = { clock, logger: quietLogger() }
  const reader = readerOf(store.items)
  const explain = async (id: string, request?: string): Promise<string> => {
    const shown = await readRequest(reader, id)
    const parts = shown.flatMap((each) => explainRequest(each, clock.now(), { request }))
    return parts.map(({ title, lines }) => [title, ...lines].join('\n')).join('\n')
  }
  const listed = async (filter: TaskFilter = {}): Promise<readonly Task[]> => {
    const tasks: Task[] = []
    for await (const { task } of listTasks(store, filter, clock.now())) tasks.push(task)
    return tasks
  }
  return { store, clock, reader, explain, listed, options: { store, ...keyed }, keyed }
}

function readerOf(items: () => readonly Item[]): TableReader {
  return {
    partition: async (pk) => items().filter((item) => item['pk'] === pk),
    async *scan() {
      yield items()
    },
    count: async () => items().length,
  }
}

const NOBODY = {} as Context

describe('why a copy is dropped', () => {
  it('a request that is done', async () => {
    const { options, explain, listed } = openExplain()
    const handler = recordHandler({ name: 'orders', ...options, id: () => 'r1' }, () => {})
    await handler(sqsEvent({ n: 1 }), NOBODY)
    const text = await explain('orders/r1')
    expect(text).toContain('request orders/r1\ndone (attempt 1, fence 1)')
    expect(text).toContain('if delivered now: dropped as a duplicate')
    expect(text).toContain('claimed')
    expect(await listed()).toEqual([])
  })

  it('a key, an event, and both under one name', async () => {
    const { options, keyed, explain, store } = openExplain()
    const pay = idempotent(
      { ...options, name: 'pay', key: (id) => id, hash: 'plain' },
      (_id: string) => 5,
    )
    await pay('k1')
    await onceForever({ store, ...keyed, name: 'pay' }).acquire('k1')
    const text = await explain('pay/k1')
    expect(text).toContain('key pay/k1')
    expect(text).toContain('event pay/k1, processed once')
    expect(await explain('once#pay/k1')).not.toContain('key pay')
  })

  it('stages stand in one order, however the item has them, and a time is readable', async () => {
    const { store, clock, explain } = openExplain()
    const run = { uniquerequestid: 'r1', giveUpAt: clock.now() + 1_000 }
    const stages = {
      'stage:a': 'open 1 a 1 0',
      'stage:z': 'settled on b',
      'stage:b': 'settled on a',
    }
    await store.create([{ pk: 'flow#trip/k', sk: 'stage', epoch: 1, fence: 2, ...run, ...stages }])
    await store.create([
      { pk: 'flow#trip/k', sk: 'answer#r1#b:x', answer: '1', ttl: 2_000_000_000 },
    ])
    const text = await explain('trip/k')
    expect([...text.matchAll(/^stage (\w)/gm)].map(([, name]) => name)).toEqual(['b', 'z', 'a'])
    expect(text).toContain('kept until: 2033-05-18')
  })

  it('a change of several items is one event; a key that was released has no attempt', () => {
    const changed = {
      operatorAt: '2026-01-01T00:00:00.000Z',
      operatorDid: 'decide again',
      operatorBy: 'ann',
    }
    const items = ['await#quote#r1', 'dead#r1'].map((sk) => ({ pk: 'flow#trip/k', sk, ...changed }))
    const freed = { pk: 'lock#o/r', sk: 'token', attempt: 0, created: changed.operatorAt }
    const found = [
      { pk: 'flow#trip/k', items },
      { pk: 'lock#o/r', items: [freed] },
    ]
    expect(buildTimeline([], found)).toMatchObject([
      { what: 'decide again, by ann' },
      { what: 'claimed', attempt: undefined },
    ])
  })

  it('a key that is stored as a hash, by what the caller has sent', async () => {
    const { options, explain } = openExplain()
    const pay = idempotent({ ...options, name: 'pay', key: (id) => id }, (_id: string) => 5)
    await pay('checkout-71')
    expect(await explain('pay/checkout-71')).toMatch(/^key pay\/[0-9a-f]{64}$/m)
  })

  it('an unreadable record is reported as such, and is not run', async () => {
    const { store, explain } = openExplain()
    await store.create([{ pk: 'lock#orders/r1', sk: 'token', status: 'paused' }])
    await store.create([{ pk: 'flow#trip/k', sk: 'stage', epoch: 'new' }])
    expect(await explain('orders/r1')).toContain('cannot be read')
    expect(await explain('trip/k')).toContain('cannot be read')
  })

  it.for([
    [
      'exhausted',
      'next: after the fix, redrive its dead letter: lineclear dlq redrive --all --id r1',
    ],
    ['rejected', 'next: lineclear dlq peek --id r1 --body\na redrive alone is rejected again'],
    ['terminal', 'next: lineclear dlq peek --id r1 --body\nits handler says that no attempt'],
    [
      'terminal',
      'next: when that is deployed, redrive its dead letter: lineclear dlq redrive --all --id r1\nit sends a message that is larger than its queue takes',
      'SendFailedError: https://sqs did not take a message (Message must be shorter than 9 bytes.)',
    ],
    [
      'exhausted',
      'next: when what refuses them takes more again, redrive its dead letter: ',
      'Error: the bank answered 429: slow down',
    ],
    // As `status` reads it: the number is a value, and no status of HTTP.
    [
      'exhausted',
      'next: after the fix, redrive its dead letter: lineclear dlq redrive --all --id r1',
      'Error: line 429 has no price',
    ],
    ['conflict', 'send this one again under an id of its own'],
  ] as const)(
    'a request that is %s: the cure of its dead letter comes first',
    async ([reason, next, error]) => {
      const { store, explain } = openExplain()
      const base = { pk: 'lock#orders/r1', sk: 'token', attemptId: 'a', attempt: 2, fence: 2 }
      await store.create([{ ...base, status: 'error', reason, death: 1, ...(error && { error }) }])
      const text = await explain('orders/r1')
      expect(text).toContain(next)
      expect(text.match(/^next: /gm)).toHaveLength(1)
      expect(text).toContain('lineclear explain --history shows whether it was discarded')
      expect(text).not.toContain('check the outside system')
    },
  )

  it.for([
    [{ last: digest('r1', 'c') }, 'a duplicate of a completed request'],
    [{ last: digest('r1', 'r') }, 'the request was reset'],
    [{ ended: digest('r1', 'd') }, 'a redrive of its dead letter reopens it'],
    [{ dropped: digest('r1', '') }, 'onConflict: drop'],
    [{ waiting: version('r1') }, 'deferred as the newest request'],
    [{ newest: version('r1') }, 'it was the last request that started'],
    [{ newest: version('r2') }, 'dropped as stale if it was first sent before r2'],
    [{}, 'the flow has no record of it'],
  ] as const)('a flow that remembers %j', async ([remembered, why]) => {
    const { store, explain } = openExplain()
    await store.create([{ pk: 'flow#trip/k', sk: 'stage', epoch: 2, fence: 2, ...remembered }])
    expect(await explain('trip/k', 'r1')).toContain(why)
  })

  it('of a running stage, by the rule of the claim', async () => {
    const { store, clock, explain } = openExplain()
    const now = clock.now()
    const run = { uniquerequestid: 'r1', giveUpAt: now + 1_000_000 }
    const stages = { 'stage:book': 'settled on pay', 'stage:pay': `open 2 a ${now + 60_000} 0` }
    await store.create([{ pk: 'flow#trip/k', sk: 'stage', epoch: 1, fence: 2, ...run, ...stages }])
    expect(await explain('trip/k')).toContain('stage pay: deferred: an attempt holds the lease')
    clock.advance(61_000)
    expect(await explain('trip/k')).toContain('stage pay: runs, unless the retry budget')
    expect(await explain('trip/k')).toContain('lineclear decide trip/k free')
  })
})

/** As the record keeps it: a digest, and one character for its end. */
function digest(id: string, letter: string): string {
  return digestOf(id) + letter
}

function version(id: string): string {
  return `${'1'.padStart(15, '0')}#${id}`
}

describe('a bare id', () => {
  it('is found as the last part of a key, as the request that holds a key, and as a dead request', async () => {
    const { store, reader } = openExplain()
    await store.create([
      { pk: 'lock#orders/r1', sk: 'token', attemptId: 'a', attempt: 1, fence: 1 },
      { pk: 'lock#orders/xr1', sk: 'token', attemptId: 'a', attempt: 1, fence: 1 },
      { pk: 'flow#trip/k', sk: 'stage', epoch: 1, fence: 1, uniquerequestid: 'r1', giveUpAt: 1 },
      { pk: 'flow#trip/j', sk: 'dead#r1', uniquerequestid: 'r1', epoch: 1, fence: 1 },
      { pk: 'flow#trip/i', sk: 'stage', epoch: 1, fence: 1, last: digest('r1', 'c') },
    ])
    const read: number[] = []
    const { found } = await scanForRequest(reader, 'r1', (many) => read.push(many))
    expect(found.map(({ pk }) => pk)).toEqual([
      'flow#trip/i',
      'flow#trip/j',
      'flow#trip/k',
      'lock#orders/r1',
    ])
    expect(read).toEqual([5])
  })
})

describe('ls', () => {
  it('distinguishes flows, steps, dead requests, events and tokens, and filters', async () => {
    const { store, clock, listed } = openExplain()
    const now = clock.now()
    const created = new Date(now - 60_000).toISOString()
    const at = (status: string) => ({ statusShard: `${status}#0`, dueAt: now - 1 })
    const token = { sk: 'token', attemptId: 'a', attempt: 3, fence: 3, created }
    await store.create([
      {
        pk: 'lock#orders/r1',
        ...token,
        status: 'error',
        error: 'E',
        reason: 'terminal',
        ...at('error'),
      },
      {
        pk: 'lock#pay/k',
        ...token,
        status: 'inProgress',
        leaseUntil: now + 5,
        ...at('inProgress'),
      },
      { pk: 'once#hook/e', sk: 'once', status: 'accepted', created, ...at('inProgress') },
      {
        pk: 'flow#trip/k',
        sk: 'stage',
        epoch: 1,
        fence: 1,
        uniquerequestid: 'r1',
        giveUpAt: now,
        'stage:book': 'retry 1 a 5 0 sent',
        ...at('running'),
      },
      { pk: 'flow#trip/k', sk: 'await#quote#r1', created, ...at('awaiting') },
      {
        pk: 'flow#trip/k',
        sk: 'dead#r0',
        uniquerequestid: 'r0',
        'stage:pay': 'dead 1 terminal',
        'stage:book': 'settled on pay',
        created,
        ...at('dead'),
      },
      { pk: 'lock#orders/done', ...token },
    ])
    const tasks = await listed()
    expect(tasks.map(({ kind, id, status, stages }) => [kind, id, status, stages.join()])).toEqual([
      ['dead', 'trip/k', 'dead', 'pay'],
      ['token', 'orders/r1', 'error', ''],
      ['step', 'trip/k', 'awaiting', 'quote'],
      ['flow', 'trip/k', 'running', 'book'],
      ['token', 'pay/k', 'inProgress', ''],
      ['event', 'hook/e', 'accepted', ''],
    ])
    expect(tasks[1]).toMatchObject({ attempt: 3, why: 'terminal: E', since: now - 60_000 })
    const kinds = async (filter: TaskFilter) => (await listed(filter)).map(({ kind }) => kind)
    expect(await kinds({ of: 'trip' })).toEqual(['dead', 'step', 'flow'])
    expect(await kinds({ stage: 'quote' })).toEqual(['step'])
    expect(await kinds({ statuses: ['error', 'dead'] })).toEqual(['dead', 'token'])
    expect(await kinds({ olderThan: 60_001 })).toEqual([])
    expect(await kinds({ dueBefore: now - 2 })).toEqual([])
  })
})

describe('plans are made of the token alone', () => {
  const now = Date.parse('2026-01-01T00:00:00Z')
  const token = (more: Item): Token => {
    const item = {
      pk: 'lock#orders/r1',
      sk: 'token',
      attemptId: 'a',
      attempt: 2,
      fence: 7,
      ...more,
    }
    const read = readToken(item)
    if (read === undefined) throw new Error('unreadable')
    return read
  }
  const PARKED = { status: 'unknown', death: 1, 'step:pay': 'start', 'step:mail': 'done:1' }

  it('resolve takes the token out of the index and forgets what only a run needs', () => {
    const plan = planResolve(token(PARKED), { result: { n: 1 } }, now)
    if (plan.kind !== 'change' || plan.effect.kind !== 'updates') throw new Error(plan.kind)
    const [{ set, remove } = {}] = plan.effect.updates
    expect(set).toMatchObject({ fence: 8, result: '{"n":1}', ttl: now / 1_000 + 30 * 86_400 })
    expect(remove).toEqual(expect.arrayContaining(['status', 'statusShard', 'dueAt', 'step:pay']))
  })

  it('release forgets the calls in doubt alone, and leaves no ttl on a request', () => {
    const plan = planRelease(token(PARKED), ['pay'], now)
    if (plan.kind !== 'change' || plan.effect.kind !== 'updates') throw new Error(plan.kind)
    const [{ set, remove } = {}] = plan.effect.updates
    expect(remove).toContain('step:pay')
    expect(remove).not.toContain('step:mail')
    expect(set).not.toHaveProperty('ttl')
    expect(set).toMatchObject({ status: 'inProgress', attempt: 0, fence: 8 })
  })

  it.for([
    [{ status: 'inProgress', leaseUntil: now + 1 }, now + 1],
    [{ status: 'inProgress', leaseUntil: now }, undefined],
    [{ status: 'dying', leaseUntil: now + 9 }, now + 9],
    [PARKED, undefined],
  ] as const)('the lease of %j is shown', ([more, lease]) => {
    const plan = planResolve(token(more), {}, now)
    expect(plan).toMatchObject({ kind: 'change', liveLease: lease })
  })

  it.for([
    [{ status: 'inProgress', leaseUntil: now + 1 }, 'impossible'],
    [{ status: 'dying' }, 'impossible'],
    [{ status: 'inProgress', leaseUntil: 0, attempt: 0 }, 'nothing'],
    [{}, 'impossible'],
    [{ status: 'error', death: 1 }, 'change'],
  ] as const)('reopen of %j: %s', ([more, kind]) => {
    expect(planReopen(token(more), {}, now).kind).toBe(kind)
  })
})

it('a lock token that is held is listed from its first attempt', async () => {
  const { store, keyed, listed, explain } = openExplain()
  await lockTokens({ store, name: 'refunds', ...keyed }).begin('p1', 'me', 1_000)
  expect(await listed()).toMatchObject([{ id: 'refunds/p1', attempt: 1, status: 'inProgress' }])
  expect(await explain('refunds/p1')).toContain('by me')
})

describe('a key', () => {
  const keyWith = async (status: 'unknown' | 'error') => {
    const harness = openExplain()
    const locks = lockTokens<string>({ store: harness.store, name: 'refunds', ...harness.keyed })
    const lock = await locks.begin('p1', 'me', 1_000)
    if (lock.existing !== undefined) throw new Error('taken')
    await lock.endWithError(
      status === 'unknown'
        ? Object.assign(new Error('cut'), { code: 'ECONNRESET' })
        : new Error('no idea'),
    )
    const [item] = harness.store.items()
    const token = item && readToken(item)
    if (token === undefined) throw new Error('no token')
    return { ...harness, token }
  }

  it.each(['unknown', 'error'] as const)(
    'with status %s: no text promises that its effects are not repeated',
    async (status) => {
      const { explain, token, clock } = await keyWith(status)
      const text = await explain('refunds/p1')
      expect(text).toContain(
        'if called now: refused (HTTP 500) until an operator resolves or releases the key; nothing runs',
      )
      expect(text).toContain('lineclear decide refunds/p1 done')
      expect(text).not.toMatch(/reopen|dlq|not repeated|dropped/)
      expect(planRelease(token, [], clock.now())).toMatchObject({ kind: 'impossible' })
      const release = planRelease(token, ['section'], clock.now())
      expect(release).toMatchObject({
        kind: 'change',
        changes: [
          'becomes free: the next call for the key runs its whole section again',
          'whatever an earlier call did outside is done again: the table does not record it',
        ],
      })
      expect(planReopen(token, {}, clock.now())).toMatchObject({ kind: 'impossible' })
      expect(planResolve(token, {}, clock.now())).toMatchObject({
        changes: [
          'ends as done',
          'later callers of the key learn that it is done, without a result; nothing runs',
        ],
      })
    },
  )

  it('that is done replays its result, and drops nothing', async () => {
    const { options, explain } = openExplain()
    const pay = idempotent(
      { ...options, name: 'pay', key: (id) => id, hash: 'plain' },
      (_id: string) => 5,
    )
    await pay('k1')
    const text = await explain('pay/k1')
    expect(text).toContain('if called now: gets the stored outcome; nothing runs')
    expect(text).not.toContain('dropped')
  })
})

it('lists for which request of a flow a delayed message waits', async () => {
  const { store, clock, listed } = openExplain()
  const now = clock.now()
  const message = { body: '{}', attributes: {} }
  const sender = { by: 'trip.book', uniqueRequestId: 'x', keepFor: 1, now }
  const run = { recordPk: 'flow#trip/k', uniqueRequestId: 'r1' }
  const row = { id: 'd1', queue: 'arn:aws:sqs:eu-west-1:1:ship', message, due: now + 1, run }
  await store.create([writeDelayed({ ...sender, ...row })])
  expect(await listed()).toMatchObject([
    { kind: 'delayed', of: 'trip', stages: ['book'], why: 'to ship, for trip/k r1' },
  ])
})

it('does not show the result that is kept of an outside call', async () => {
  const { store, explain } = openExplain()
  await store.create([
    { pk: 'flow#trip/k', sk: 'answer#r-1#book:pay', answer: '{"card":"4111"}', ttl: 2_000_000_000 },
  ])
  const text = await explain('trip/k')
  expect(text).toContain('trip/k answer#r-1#book:pay\nanswer: 15 bytes')
  expect(text).not.toContain('4111')
})
