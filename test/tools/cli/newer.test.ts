import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { LocalCloud } from 'lineclear/local'
import { emptyAll } from '../../flow/flowHarness.ts'
import { send, text } from '../operator/dlqHarness.ts'
import { operatorHarness, startCloud } from './operatorHarness.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startCloud()
})
afterEach(() => emptyAll(cloud))
afterAll(() => cloud.stop())

const KEY = { pk: 'lock#orders/r1', sk: 'token' }
const NEWER = 'has format 2, and this version of Lineclear knows format 1'

describe('an item that a newer version has written', () => {
  async function raised() {
    const harness = await operatorHarness(cloud)
    const parked = {
      status: 'error',
      attemptId: 'a',
      attempt: 6,
      fence: 6,
      death: 1,
      reason: 'exhausted',
      error: 'Error: no luck',
      statusShard: 'error#3',
      dueAt: 1,
    }
    await harness.store.create([
      { ...KEY, ...parked },
      { ...KEY, ...parked, pk: 'lock#orders/r2' },
    ])
    await harness.store.update([{ key: KEY, where: [], set: { format: 2 } }])
    return harness
  }

  it.each([
    ['ls', ['ls']],
    ['explain', ['explain', 'orders/r1']],
    ['status', ['status', '--no-queues']],
  ] as const)('is shown by %s, which says whose it is', async (_name, args) => {
    const { cli } = await raised()
    expect((await cli(...args)).out).toMatch(/newer version/)
  })

  it('does not stop ls, which shows the others', async () => {
    const { cli } = await raised()
    const { out } = await cli('ls')
    expect(out).toContain('orders/r2')
    expect(out).toContain('orders/r1')
  })

  it.each([['again'], ['done'], ['free']])('is not changed by decide %s', async (decision) => {
    const { cli, store } = await raised()
    const { code, out, err } = await cli('decide', 'orders/r1', decision)
    expect(code).not.toBe(0)
    expect(out + err).toContain(NEWER)
    const [read] = await store.read([KEY])
    expect(read?.kind).toBe('notKnown')
  })

  it('is left alone by a sweep, which counts it', async () => {
    const { cli } = await raised()
    const swept = await cli('sweep', '--apply')
    expect(swept.out).toMatch(/notKnown +1/)
    expect(swept.code).toBe(1)
  })
})

describe('a dead letter that a newer version has written', () => {
  async function dead() {
    const harness = await operatorHarness(cloud)
    const lineclear = JSON.stringify({ format: 2, reason: 'of tomorrow', consumer: 'orders' })
    await send(
      cloud,
      'dead',
      { a: 1 },
      {
        attributes: { uniquerequestid: text('r1'), lineclear: text(lineclear) },
      },
    )
    return harness
  }
  const waiting = (): number => cloud.inspectQueue('dead').ready.length

  it('has a group of its own, which says so', async () => {
    const { cli } = await dead()
    expect((await cli('dlq', 'groups', 'dead')).out).toContain('newer format')
    expect((await cli('dlq', 'peek', 'dead')).out).toContain(NEWER)
  })

  it('stays where it is: it is neither redriven, edited nor discarded', async () => {
    const { apply } = await dead()
    const redriven = await apply('dlq', 'redrive', 'dead', '--to', 'book')
    expect(redriven.out).toContain('a newer version has written them')
    await apply('dlq', 'discard', 'dead')
    const edited = await apply('dlq', 'edit', 'dead', '--id', 'r1', '--set', 'a=2')
    expect(edited.out + edited.err).toContain('a newer version has written it')
    expect(waiting()).toBe(1)
    expect(cloud.inspectQueue('book').ready).toEqual([])
  })
})
