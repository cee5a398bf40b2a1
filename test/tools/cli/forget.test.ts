import { idempotent, TerminalError } from 'lineclear'
import type { LocalCloud } from 'lineclear/local'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { lambdaContext } from '../../deliver/lambdaContext.ts'
import { deliver, emptyAll, send } from '../../flow/flowHarness.ts'
import { resultPlace, type StoredObjects } from '../../../src/tools/operator/forget/objects.ts'
import { sendDeadLetter } from '../operator/dlqHarness.ts'
import { consumerOn, type OperatorHarness, operatorHarness, startCloud } from './operatorHarness.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startCloud()
})
afterEach(() => emptyAll(cloud))
afterAll(() => cloud.stop())

const ROOT = { bucket: 'shop', name: 'lineclear/' }
const SECRET = 'Jane Doe, 4 Elm Street'

/** Everything that the table holds, as text. */
async function wholeTable({ tableName }: OperatorHarness): Promise<string> {
  const { ScanCommand } = await import('@aws-sdk/client-dynamodb')
  const { Items = [] } = await cloud.dynamodb.send(new ScanCommand({ TableName: tableName }))
  return JSON.stringify(Items)
}

interface Answer {
  readonly plan: string
  readonly outcome: string
  readonly erased: readonly string[]
  readonly notErased: readonly { readonly what: string; readonly because: string }[]
}
const read = ({ out }: { readonly out: string }) => JSON.parse(out) as Answer

interface Payment {
  readonly id: string
}

/** A key whose result and whose error hold what is to be erased. */
function payments({ store, clock, options }: OperatorHarness, state: { calls: number }, bytes = 0) {
  const given = { store, clock, logger: options.logger, name: 'payments', hash: 'plain' } as const
  return idempotent(
    { ...given, key: ({ id }: Payment) => id, tenant: 'none' },
    async (_payment: Payment, _context: unknown) => {
      state.calls += 1
      return { receipt: SECRET + ' '.repeat(bytes) }
    },
  )
}

describe('forget erases the result of a key', () => {
  it.each([
    ['in its token', 0],
    ['beside its token', 5_000],
  ])('%s, and its second call runs nothing', async (_, bytes) => {
    const harness = await operatorHarness(cloud)
    const state = { calls: 0 }
    const pay = payments(harness, state, bytes)
    await pay({ id: 'p-1' }, lambdaContext())
    harness.clock.advance(60_000)
    const id = 'payments/p-1'
    const shown = await harness.cli('forget', id)
    expect(shown).toMatchObject({ code: 0, err: '' })
    expect(shown.out).toMatch(/would be erased:\n {2}payments\/p-1 token: (?:result|notKept)\n/)
    expect(await wholeTable(harness)).toContain(SECRET)
    const { plan } = read(await harness.cli('forget', id, '--json'))
    expect(shown.out).toContain(`--apply ${plan}`)
    const applied = await harness.cli('forget', id, '--apply', plan, '--why', 'request 12')
    expect(applied).toMatchObject({
      code: 0,
      out: expect.stringContaining('recorded as done by ann'),
    })
    expect(await wholeTable(harness)).not.toContain(SECRET)
    await expect(pay({ id: 'p-1' }, lambdaContext())).rejects.toThrow(/erased by an operator/)
    expect(state.calls).toBe(1)
    const { out } = await harness.cli('explain', '--history')
    expect(out).toMatch(
      new RegExp(`forget +payments/p-1 +${plan} +applied: \\d of \\d +request 12`),
    )
    expect(await harness.cli('forget', id)).toMatchObject({
      code: 0,
      out: expect.stringContaining('Nothing to do'),
    })
    expect(await harness.cli('forget', id, '--apply', plan)).toMatchObject({ code: 0 })
  })
})

/** A consumer that dies at its first attempt of each request. */
function dying(
  harness: OperatorHarness,
  state: { broken: boolean; effects: string[] },
  name = 'orders',
) {
  return consumerOn(
    harness,
    async (_payload, ctx) => {
      await ctx.call('charge', () => `receipt of ${SECRET}`)
      if (state.broken) throw new TerminalError(`refused: ${SECRET}`)
      state.effects.push(ctx.uniqueRequestId)
    },
    { name, id: () => 'o-1' },
  )
}

async function dead(name = 'orders') {
  const harness = await operatorHarness(cloud)
  const state = { broken: true, effects: [] as string[] }
  const handler = dying(harness, state, name)
  await send(cloud, 'book', { name: SECRET })
  await deliver(cloud, 'book', handler)
  return { ...harness, state, handler }
}

describe('forget', () => {
  it('leaves a request whose attempt runs, also with --force, and one that waits for an operator', async () => {
    const harness = await operatorHarness(cloud)
    const [begun, going] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const handler = consumerOn(
      harness,
      async (_payload, ctx) => {
        await ctx.call('charge', () => SECRET)
        begun.resolve()
        await going.promise
        throw new TerminalError('refused')
      },
      { id: () => 'o-1' },
    )
    await send(cloud, 'book', {})
    const run = deliver(cloud, 'book', handler)
    await begun.promise
    const before = await harness.item('lock#orders/o-1', 'token')
    const running = await harness.cli('forget', 'orders/o-1', '--force')
    expect(running).toMatchObject({
      code: 1,
      out: expect.stringMatching(/an attempt of it is running, until 2\d{3}-/),
    })
    expect(await harness.item('lock#orders/o-1', 'token')).toEqual(before)
    going.resolve()
    await run
    const parked = await harness.cli('forget', 'orders/o-1')
    expect(parked.code).toBe(1)
    expect(parked.out).toContain('lineclear decide orders/o-1 done')
    expect(await wholeTable(harness)).toContain(SECRET)
  })

  it('names a dead letter on its queue, erases the one that was discarded, and nothing runs twice', async () => {
    const { cli, apply, state, handler, ...harness } = await dead()
    const whole = () => wholeTable({ cli, apply, ...harness })
    expect(await apply('decide', 'orders/o-1', 'done', '--why', `${SECRET} called`)).toMatchObject({
      code: 0,
    })
    const shown = read(await cli('forget', 'orders/o-1', '--json'))
    const [letter] = shown.notErased.filter(({ what }) => what.includes('dead letter'))
    expect(letter?.because).toMatch(/^lineclear dlq discard dead --id \S+, then forget it again$/)
    const done = await apply('forget', 'orders/o-1')
    expect(done).toMatchObject({ code: 1, err: '' })
    expect(done.out).toContain('not erased:\n  the dead letter')
    expect(await whole()).not.toContain(SECRET)

    const discard = (letter?.because ?? '').split(',')[0]?.split(' ').slice(1) ?? []
    const { plan } = read(await cli(...discard, '--json'))
    await cli(...discard, '--apply', plan)
    const kept = await cli('forget', 'orders/o-1')
    expect(kept.out).toMatch(new RegExp(`discarded#${plan}/0 \\S+#000: dead letter`))
    expect(await apply('forget', 'orders/o-1')).toMatchObject({ code: 0 })
    expect(await cli('dlq', 'restore', plan)).toMatchObject({
      out: expect.stringContaining('Nothing to do'),
    })
    expect(await harness.item('lock#orders/o-1', 'token')).toMatchObject({
      operatorDid: 'forget',
      operatorBy: 'ann',
      fence: expect.any(Number),
      payloadHash: expect.any(String),
    })
    state.broken = false
    await send(cloud, 'book', { name: SECRET })
    expect(await deliver(cloud, 'book', handler)).toMatchObject({ kept: 0 })
    expect(state.effects).toEqual([])
  })

  it('leaves the dead letter of another consumer that has the same id, and one that names no consumer', async () => {
    const harness = await operatorHarness(cloud)
    await sendDeadLetter(cloud, SECRET, { id: 'o-1', consumer: 'mails', reason: 'exhausted' })
    await sendDeadLetter(cloud, SECRET, { id: 'o-1', reason: 'exhausted' })
    await sendDeadLetter(cloud, SECRET, { id: 'o-1', consumer: 'orders', reason: 'exhausted' })
    const { plan } = read(await harness.cli('dlq', 'discard', 'dead', '--json'))
    await harness.cli('dlq', 'discard', 'dead', '--apply', plan)
    const shown = read(await harness.cli('forget', 'orders/o-1', '--json'))
    expect(shown.erased).toHaveLength(1)
    expect(shown.notErased).toMatchObject([
      { because: expect.stringContaining('names no consumer') },
    ])
    expect(await harness.apply('forget', 'orders/o-1')).toMatchObject({ code: 1 })
    expect(await harness.cli('dlq', 'restore', plan)).toMatchObject({
      out: expect.stringContaining('2 dead letters would be put back'),
    })
  })

  it('says what it could not look at, and ends with 1', async () => {
    const denied = { send: async () => Promise.reject(new Error('not authorized: sqs:ListQueues')) }
    const harness = await operatorHarness(cloud, undefined, { sqs: denied as never })
    const state = { calls: 0 }
    await payments(harness, state)({ id: 'p-1' }, lambdaContext())
    harness.clock.advance(60_000)
    const done = await harness.apply('forget', 'payments/p-1')
    expect(done.code).toBe(1)
    expect(done.out).toContain(
      'dead-letter queues: they could not be listed: Error: not authorized',
    )
    expect(await wholeTable(harness)).not.toContain(SECRET)
    const again = await harness.cli('forget', 'payments/p-1')
    expect(again).toMatchObject({ code: 1, out: expect.not.stringContaining('Nothing to do') })
  })

  it('is about a whole id', async () => {
    const { cli } = await operatorHarness(cloud)
    expect(await cli('forget', 'o-1')).toMatchObject({ code: 2 })
    expect(await cli('forget', 'orders/none')).toMatchObject({
      code: 4,
      out: expect.stringContaining('No item has this id as it was typed'),
    })
  })
})

describe('with --objects', () => {
  const AT = ['--objects', 's3://shop/lineclear']

  /** A bucket that holds one object. */
  function bucket(refuses?: string) {
    const objects = new Set<string>()
    const client: StoredObjects = {
      look: async ({ name }) => ({ kind: objects.has(name) ? 'there' : 'gone' }),
      remove: async ({ name }) => {
        if (refuses === undefined) objects.delete(name)
        return refuses
      },
    }
    return { objects, client }
  }

  async function called(refuses?: string) {
    const { objects, client } = bucket(refuses)
    const harness = await operatorHarness(cloud, undefined, { objects: client })
    const { store, options } = harness
    // Results are put in time by a clock that runs.
    const clock = { now: harness.clock.now, sleep: () => new Promise<void>(() => {}) }
    const offload = {
      put: async (key: string) => void objects.add(resultPlace(ROOT, key).name),
      get: async () => undefined,
      read: async () => '',
      move: () => {
        throw new Error('no payload is large')
      },
    }
    const pay = idempotent(
      {
        store,
        clock,
        logger: options.logger,
        name: 'payments',
        hash: 'plain',
        key: ({ id }: Payment) => id,
        tenant: 'none',
        offload,
      },
      async (_payment: Payment, _context: unknown) => 'x'.repeat(400_000),
    )
    await pay({ id: 'p-1' }, lambdaContext())
    harness.clock.advance(60_000)
    expect(objects.size).toBe(1)
    return { objects, ...harness }
  }

  it('erases a result in the bucket, before the token that leads to it', async () => {
    const { objects, cli, apply } = await called()
    const without = await cli('forget', 'payments/p-1')
    expect(without).toMatchObject({ code: 1, out: expect.stringContaining('give --objects') })
    const shown = read(await cli('forget', 'payments/p-1', ...AT, '--json'))
    expect(shown.erased).toEqual([
      'payments/p-1 token: result',
      expect.stringMatching(/^s3:\/\/shop\/lineclear\/results\/\S+\.json$/),
    ])
    expect(await apply('forget', 'payments/p-1', ...AT)).toMatchObject({ code: 0 })
    expect(objects.size).toBe(0)
    expect(await cli('forget', 'payments/p-1', ...AT)).toMatchObject({
      out: expect.stringContaining('Nothing to do'),
    })
  })

  it('keeps the token while the bucket is denied, and says that nothing of it was erased', async () => {
    const { objects, item, apply } = await called('Access Denied')
    const done = await apply('forget', 'payments/p-1', ...AT)
    expect(done.code).toBe(1)
    expect(done.out).toMatch(/not erased:\n {2}s3:\/\/shop\/lineclear\/results\/\S+: Access Denied/)
    expect(objects.size).toBe(1)
    expect(await item('key#payments/p-1', 'token')).toMatchObject({ resultIn: 'store' })
  })
})
