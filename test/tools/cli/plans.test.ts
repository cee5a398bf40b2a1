import type { LocalCloud } from 'lineclear/local'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { commandWithoutPayloads } from '../../../src/tools/cli/payloads.ts'
import { operatorHarness, type OperatorHarness, startCloud } from './operatorHarness.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startCloud()
})
afterAll(() => cloud.stop())

const PARKED = { sk: 'token', status: 'error', attemptId: 'a', attempt: 3, fence: 3, death: 1 }
const TOKEN = { pk: 'lock#orders/r1', sk: 'token' }
const RESOLVE = ['decide', 'orders/r1', 'done'] as const

async function parked() {
  const harness = await operatorHarness(cloud)
  await harness.store.create([{ pk: TOKEN.pk, ...PARKED }])
  return harness
}

async function planOf({ cli }: OperatorHarness, ...args: readonly string[]): Promise<string> {
  return (JSON.parse((await cli(...args, '--json')).out) as { plan: string }).plan
}

async function auditOf({ cli }: OperatorHarness, ...args: readonly string[]): Promise<unknown[]> {
  const { out } = await cli('explain', '--history', '--json', ...args)
  return (JSON.parse(out) as { entries: unknown[] }).entries
}

describe('a plan', () => {
  it('prints its name in the line that applies it, and has the same name when it is made again', async () => {
    const harness = await parked()
    const plan = await planOf(harness, ...RESOLVE)
    const { out, code } = await harness.cli(...RESOLVE)
    expect(code).toBe(0)
    expect(out).toContain(`decide orders/r1 done --apply ${plan} --why`)
    harness.clock.advance(60_000)
    expect(await planOf(harness, ...RESOLVE)).toBe(plan)
    expect(await harness.cli(...RESOLVE, '--apply', plan)).toMatchObject({ code: 0 })
    expect(await harness.item(TOKEN.pk, 'token')).not.toHaveProperty('status')
  })

  it('is not applied without its name, nor under the name of another one', async () => {
    const harness = await parked()
    const bare = await harness.cli(...RESOLVE, '--apply')
    expect(bare).toMatchObject({ code: 1 })
    expect(bare.out).toContain('--apply expects the name of the plan')
    const other = await planOf(harness, 'decide', 'orders/r1', 'free')
    const refused = await harness.cli(...RESOLVE, '--apply', other)
    expect(refused).toMatchObject({ code: 1 })
    expect(refused.out).toContain(`This is not the plan ${other}`)
    expect(await harness.item(TOKEN.pk, 'token')).toMatchObject({ status: 'error' })
  })

  it.each([
    ['another result', ['--result', '1'], ['--result', '2']],
    ['an error in place of a result', ['--result', '1'], ['--error', '1']],
  ])('has another name with %s', async (_what, one, other) => {
    const harness = await parked()
    expect(await planOf(harness, ...RESOLVE, ...one)).not.toBe(
      await planOf(harness, ...RESOLVE, ...other),
    )
  })

  it.each([
    ['another attempt has begun', { attemptId: 'b', attempt: 4, fence: 4 }],
    ['it is running now', { status: 'inProgress', leaseUntil: 4_000_000_000_000 }],
    ['it waits for its next attempt', { status: 'inProgress' }],
  ])('is refused when %s, and the plan that holds now is printed', async (_what, set) => {
    const harness = await parked()
    const plan = await planOf(harness, ...RESOLVE)
    await harness.store.update([{ key: TOKEN, where: [], set }])
    const before = await harness.item(TOKEN.pk, 'token')
    const refused = await harness.cli(...RESOLVE, '--apply', plan, '--force')
    expect(refused).toMatchObject({ code: 1 })
    expect(refused.out).toContain(await planOf(harness, ...RESOLVE))
    expect(await harness.item(TOKEN.pk, 'token')).toEqual(before)
    expect(await auditOf(harness)).toEqual([])
  })

  it.each([['--apply=yes'], ['--apply=12345']])('%s is no name', async (option) => {
    const harness = await parked()
    expect(await harness.cli(...RESOLVE, option)).toMatchObject({ code: 2 })
  })
})

describe('the audit', () => {
  it('has a row for each change: who, when, why, plan and result', async () => {
    const harness = await parked()
    const plan = await planOf(harness, ...RESOLVE)
    await harness.cli(...RESOLVE, '--apply', plan, '--why', 'paid by hand')
    const row = {
      by: 'ann',
      why: 'paid by hand',
      action: 'decide done',
      id: 'orders/r1',
      plan,
      command: 'lineclear decide orders/r1 done',
      result: 'applied',
    }
    expect(await auditOf(harness)).toMatchObject([row])
    expect((await harness.cli('explain', '--history')).out).toMatch(
      /ann +decide done +orders\/r1 +\w{8} +applied/,
    )
  })

  it('is listed with the newest first, over days, filtered by id, operator, action and age', async () => {
    const harness = await parked()
    await harness.apply('decide', 'orders/r1', 'again')
    harness.clock.advance(3 * 86_400_000)
    await harness.apply(...RESOLVE, '--by', 'bob')
    const actions = async (...args: string[]) =>
      (await auditOf(harness, ...args)).map((row) => (row as { action: string }).action)
    expect(await actions()).toEqual(['decide done', 'decide again'])
    expect(await actions('--who', 'bob')).toEqual(['decide done'])
    expect(await actions('--since', '1d')).toEqual(['decide done'])
    expect(await actions('--action', 'decide again')).toEqual(['decide again'])
    expect(await actions('--action', 'decide')).toHaveLength(2)
    expect(await actions('--action', 'decid')).toEqual([])
    expect(await actions('orders/r2')).toEqual([])
  })

  it('keeps a row of a change that failed, and makes no change without a row', async () => {
    const harness = await parked()
    const plan = await planOf(harness, ...RESOLVE)
    const { store } = harness
    await harness.cli(...RESOLVE, '--apply', plan, '--table', 'no-such-table')
    expect(await harness.item(TOKEN.pk, 'token')).toMatchObject({ status: 'error' })
    expect(await store.read([TOKEN])).toHaveLength(1)
    expect(await auditOf(harness)).toEqual([])
  })

  it.each([
    [['decide', 'a/b', 'done', '--result', '{"card":1}'], 'lineclear decide a/b done --result …'],
    [
      ['decide', 'a/b', 'again', '--made', 'pay={"card":1}'],
      'lineclear decide a/b again --made pay=…',
    ],
    [['decide', 'a/b', 'again', '--made=pay=5'], 'lineclear decide a/b again --made=pay=…'],
    [['decide', 'a b', 'free'], "lineclear decide 'a b' free"],
  ])('keeps the command, and no payload: %j', (args, command) => {
    expect(commandWithoutPayloads(args)).toBe(command)
  })
})
