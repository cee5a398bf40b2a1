import { lockTokens } from 'lineclear'
import type { LocalCloud } from 'lineclear/local'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { INDEX_ATTRIBUTES, indexed } from '../../../src/library/protocol/claim/statusIndex.ts'
import { completeKey, freeKey, renewKey } from '../../../src/library/protocol/claim/token/endKey.ts'
import { readToken } from '../../../src/library/protocol/claim/token/token.ts'
import { quietLogger } from '../../deliver/quietLogger.ts'
import { startCloud } from '../../tools/cli/operatorHarness.ts'
import { run } from '../../tools/cli/runHere.ts'
import { MINUTE, SECOND } from './lostAttempts.ts'
import { FORMS, lostCalls } from './lostCalls.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startCloud()
})
afterAll(() => cloud.stop())

const DAY = 24 * 60 * MINUTE

describe.each(['memory', 'DynamoDB'] as const)('in %s', (kind) => {
  it.each(FORMS)('a call of %s that was killed is listed within minutes', async (form) => {
    const { clock, killed, sweeper, isListed, lines } = await lostCalls(kind, cloud, { form })
    await killed('k1')
    expect(await isListed('k1')).toBe(false)
    const sweep = sweeper()
    let minutes = 0
    for (; minutes < 60 && !(await isListed('k1')); minutes++) {
      clock.advance(MINUTE)
      await sweep()
    }
    expect(minutes).toBeLessThanOrEqual(8)
    expect(await sweep()).toMatchObject({ looked: 1, overdue: 1 })
    expect(lines.at(-2)).toMatchObject({
      level: 'warn',
      message: 'overdue: its attempt was lost, or its message is gone',
      pk: 'key#pay/k1',
      lockedBy: 'consumer/request-1',
    })
    expect(lines.at(-1)).toMatchObject({ message: 'swept', missingTasks: 1 })
  })

  it.each(FORMS)('the next call of %s takes over, and is listed no longer', async (form) => {
    const { clock, killed, sweeper, isListed, call, ran } = await lostCalls(kind, cloud, { form })
    await killed('k1')
    clock.advance(3 * 60 * MINUTE)
    expect(await sweeper()()).toMatchObject({ found: 1 })
    expect([await call('k1'), await call('k1')]).toEqual(['done k1', 'done k1'])
    expect(ran).toEqual(['k1'])
    expect(await isListed('k1')).toBe(false)
    expect(await sweeper()()).toMatchObject({ looked: 0 })
  })

  it('listing changes nothing but the index', async () => {
    const { clock, killed, sweeper, item } = await lostCalls(kind, cloud)
    await killed('k1')
    const before = await item('k1')
    clock.advance(10 * MINUTE)
    await sweeper()()
    const { statusShard, dueAt, ...after } = (await item('k1')) ?? {}
    expect(after).toEqual(before)
    expect({ statusShard, dueAt }).toEqual(
      indexed('key#pay/k1', 'inProgress', Number(before?.['leaseUntil'])),
    )
  })

  it.each(['24h', 'forever'] as const)(
    'with a retention of %s: what is not called for a day leaves the list, and is not found again',
    async (retention) => {
      const { clock, killed, sweeper, isListed, call, item } = await lostCalls(kind, cloud, {
        retention,
      })
      await killed('k1')
      clock.advance(10 * MINUTE)
      await sweeper()()
      clock.advance(DAY)
      expect(await sweeper()()).toMatchObject({ looked: 1, unlisted: 1 })
      for (let turn = 0; turn < 3; turn++) {
        clock.advance(10 * MINUTE)
        const report = await sweeper()()
        expect([report.found, report.looked, await isListed('k1')]).toEqual([undefined, 0, false])
      }
      expect((await item('k1'))?.['ttl'] === undefined).toBe(retention === 'forever')
      expect(await call('k1')).toBe('done k1')
      for (const left of ['status', ...INDEX_ATTRIBUTES])
        expect(await item('k1')).not.toHaveProperty(left)
    },
  )

  it('a call that was taken for lost and renews its lease is listed no longer', async () => {
    const { clock, store, killed, sweeper, item, isListed } = await lostCalls(kind, cloud)
    await killed('k1')
    const held = readToken((await item('k1')) ?? {})
    if (held === undefined) throw new Error('no token')
    clock.advance(10 * MINUTE)
    await sweeper()()
    expect(await isListed('k1')).toBe(true)
    const until = clock.now() + MINUTE
    const renewal = { leaseUntil: until, expectedCompletion: until, isListed: false }
    expect(await store.update([renewKey(held, renewal)])).toMatchObject([{ kind: 'applied' }])
    for (const left of INDEX_ATTRIBUTES) expect(await item('k1')).not.toHaveProperty(left)
  })

  it.each([
    ['completes', completeKey],
    ['frees its key', freeKey],
  ] as const)('a call that is listed and that %s leaves the index', async (_end, end) => {
    const { clock, store, killed, item } = await lostCalls(kind, cloud)
    await killed('k1')
    const held = readToken((await item('k1')) ?? {})
    if (held === undefined) throw new Error('no token')
    const key = { pk: held.pk, sk: 'token' }
    const listed = { key, where: [], set: indexed(held.pk, 'inProgress', clock.now()) }
    await store.update([listed])
    await store.update([end(held, { now: clock.now(), retention: DAY, set: {} })])
    for (const left of INDEX_ATTRIBUTES) expect(await item('k1')).not.toHaveProperty(left)
  })

  it('a lock token is listed from the start', async () => {
    const { store, clock, sweeper } = await lostCalls(kind, cloud)
    const locks = lockTokens({ store, name: 'by hand', clock, logger: quietLogger() })
    await locks.begin('t', 'me', 30 * SECOND)
    clock.advance(2 * MINUTE)
    expect(await sweeper({ search: false })()).toMatchObject({ looked: 1, overdue: 1 })
  })
})

describe('a lost call', () => {
  async function found() {
    const calls = await lostCalls('DynamoDB', cloud)
    const { clock, store, killed, sweeper } = calls
    const cli = (...args: readonly string[]) =>
      run(['--table', store.source?.tableName ?? '', ...args], {
        clock,
        dynamodb: cloud.dynamodb,
        sqs: cloud.sqs,
      })
    await killed('k1')
    return { ...calls, cli, search: () => sweeper()() }
  }

  it.each([
    ['status', ['status', '--no-queues'], /overdue +1 of pay .*its attempt was lost/],
    ['ls', ['ls', '--due'], /inProgress +pay\/k1/],
    ['ls of its name', ['ls', '--consumer', 'pay'], /inProgress +pay\/k1/],
    ['ls --count', ['ls', '--count'], /pay +inProgress +1 +1/],
  ] as const)('is shown by %s once it is found, and not before', async (_what, args, shown) => {
    const { clock, cli, search } = await found()
    clock.advance(10 * MINUTE)
    expect((await cli(...args)).out).not.toMatch(shown)
    expect(await search()).toMatchObject({ found: 1 })
    expect((await cli(...args)).out).toMatch(shown)
  })

  it('is shown by explain as soon as its lease is over, also before it is found', async () => {
    const { clock, cli } = await found()
    expect((await cli('explain', 'pay/k1')).out).toMatch(/running .*its lease ends in/)
    clock.advance(MINUTE)
    const { out } = await cli('explain', 'pay/k1')
    expect(out).toMatch(/its attempt was lost/)
    expect(out).toMatch(/the next call for the key runs it/)
  })

  it('is found and swept by one command', async () => {
    const { clock, cli } = await found()
    clock.advance(10 * MINUTE)
    const { out, code } = await cli('sweep', '--search', '--apply')
    expect([code, out]).toEqual([1, expect.stringMatching(/found +1/)])
  })

  it('counts in the metrics of the sweeper', async () => {
    const { clock, sweeper } = await found()
    const values: Record<string, number> = {}
    const metrics = {
      addDimension: () => {},
      addMetric: (name: string, _unit: string, value: number) => {
        values[name] = value
      },
      publishStoredMetrics: () => {},
    }
    clock.advance(10 * MINUTE)
    const sweep = sweeper({ metrics })
    await sweep()
    expect(values).toMatchObject({ missingTasks: 0, inProgress: 1 })
    await sweep()
    expect(values).toMatchObject({ missingTasks: 1, inProgress: 1 })
  })
})
