import { spawn } from 'node:child_process'
import { env } from 'node:process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { recordHandler, TerminalError } from 'lineclear'
import { dynamoDbStore, tableDefinition } from 'lineclear/dynamodb'
import type { LocalCloud } from 'lineclear/local'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { bound } from '../../proof/depth.ts'
import { quietLogger } from '../../deliver/quietLogger.ts'
import { count, deliver, emptyAll, send, startDlqCloud } from '../operator/dlqHarness.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startDlqCloud({ lineclear: tableDefinition() })
})
afterEach(() => emptyAll(cloud))
afterAll(() => cloud.stop())

/** A command in a process of its own. `killAt`: the number of the call at which it kills itself; 0: never. */
async function command(killAt: number, ...args: readonly string[]) {
  const child = spawn(
    process.execPath,
    [
      ...process.execArgv,
      fileURLToPath(new URL('dlqKilledChild.ts', import.meta.url)),
      String(killAt),
      ...args,
    ],
    { env: { ...process.env, ...cloud.environment }, stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const ended = new Promise<NodeJS.Signals | null>((end) =>
    child.once('exit', (_code, signal) => end(signal)),
  )
  const out = await text(child.stdout)
  return { out, killed: (await ended) === 'SIGKILL' }
}

/** A consumer whose messages have died, and that is repaired since. */
async function repaired(ids: readonly string[]) {
  const ran: unknown[] = []
  let broken = true
  const store = dynamoDbStore({ tableName: 'lineclear', client: cloud.dynamodb })
  const handler = recordHandler(
    {
      name: 'orders',
      store,
      logger: quietLogger(),
      clients: { sqs: cloud.sqs },
      id: (payload) => (payload as { id: string }).id,
    },
    (payload) => {
      if (broken) throw new TerminalError('never')
      ran.push(payload)
    },
  )
  for (const id of ids) await send(cloud, 'orders', { id })
  await deliver(cloud, 'orders', handler)
  broken = false
  expect(count(cloud, 'dead')).toBe(ids.length)
  return { ran, work: () => deliver(cloud, 'orders', handler) }
}

/** At every call: `LINECLEAR_MODEL=deep`. */
const stepOf = (quick: number): number => (env['LINECLEAR_MODEL'] === 'deep' ? 1 : quick)
const STEP = stepOf(bound(0, 5, 3))

const planOf = ({ out }: { out: string }): string => /"plan": "(\w+)"/.exec(out)?.[1] ?? ''
const REDRIVE = ['dlq', 'redrive', 'dead', '--to', 'orders', '--no-ramp'] as const

it('a redrive that is killed after each of its calls is resumed, and every request runs once', async () => {
  let killedAt = 0
  for (let killAt = 1; ; killAt += STEP) {
    const { ran, work } = await repaired([1, 2, 3].map((n) => `${killAt}-${n}`))
    const plan = planOf(await command(0, ...REDRIVE, '--json'))
    const { killed } = await command(killAt, ...REDRIVE, '--apply', plan)
    await work()
    // What the killed command held becomes visible after a second.
    await vi.waitFor(
      async () => {
        const { out } = await command(0, ...REDRIVE, '--force', '--apply', plan)
        expect(out).toMatch(/Nothing to do|Done/)
        await work()
        expect(ran).toHaveLength(3)
      },
      { timeout: 300_000, interval: 500 },
    )
    expect(new Set(ran.map((each) => JSON.stringify(each))).size).toBe(3)
    expect(count(cloud, 'dead')).toBe(0)
    if (!killed) break
    killedAt = killAt
  }
  expect(killedAt).toBeGreaterThanOrEqual(10)
})

it('an edit that is killed after each of its calls is made again, and only the corrected payload runs, once', async () => {
  let killedAt = 0
  for (let killAt = 1; ; killAt += STEP) {
    const id = `edit-${killAt}`
    const { ran, work } = await repaired([id])
    const typed = ['dlq', 'edit', 'dead', '--id', id, '--set', 'fixed=true'] as const
    const plan = planOf(await command(0, ...typed, '--json'))
    const { killed } = await command(killAt, ...typed, '--apply', plan)
    await vi.waitFor(
      async () => {
        const again = planOf(await command(0, ...typed, '--json'))
        const { out } = await command(0, ...typed, ...(again === '' ? [] : ['--apply', again]))
        expect(out).toMatch(/Nothing to do|Done/)
      },
      { timeout: 300_000, interval: 500 },
    )
    const redrive = planOf(await command(0, ...REDRIVE, '--json'))
    await command(0, ...REDRIVE, '--apply', redrive)
    await work()
    expect(ran).toEqual([{ id, fixed: true }])
    if (!killed) break
    killedAt = killAt
    await emptyAll(cloud)
  }
  expect(killedAt).toBeGreaterThan(5)
})

it('a discard that is killed after each of its calls is made again, its undo too, and no dead letter is lost', async () => {
  let killedAt = 0
  for (let killAt = 1; ; killAt += stepOf(bound(0, 9, 6))) {
    const ids = [1, 2, 3].map((n) => `discard-${killAt}-${n}`)
    const { ran, work } = await repaired(ids)
    const plan = planOf(await command(0, 'dlq', 'discard', 'dead', '--json'))
    const discarded = await command(killAt, 'dlq', 'discard', 'dead', '--apply', plan)
    await vi.waitFor(
      async () => {
        const { out } = await command(0, 'dlq', 'discard', 'dead', '--force', '--apply', plan)
        expect(out).toMatch(/Nothing to do|Done/)
        expect(count(cloud, 'dead')).toBe(0)
      },
      { timeout: 300_000, interval: 500 },
    )
    const undo = ['dlq', 'restore', plan] as const
    const restore = planOf(await command(0, ...undo, '--json'))
    const restored = await command(killAt, ...undo, '--apply', restore)
    const again = planOf(await command(0, ...undo, '--json'))
    const rest = again === '' ? [] : ['--apply', again, '--force']
    const { out } = await command(0, ...undo, ...rest)
    expect(out).toMatch(/Nothing to do|Done/)
    const redrive = planOf(await command(0, ...REDRIVE, '--json'))
    await command(0, ...REDRIVE, '--apply', redrive)
    await work()
    expect(ran.map((each) => (each as { id: string }).id).toSorted()).toEqual(ids)
    expect(count(cloud, 'dead')).toBe(0)
    if (!discarded.killed && !restored.killed) break
    killedAt = killAt
  }
  expect(killedAt).toBeGreaterThan(8)
})

it('a group that is resolved, killed after each call, is resolved again, and each request once', async () => {
  const store = dynamoDbStore({ tableName: 'lineclear', client: cloud.dynamodb })
  let killedAt = 0
  for (let killAt = 1; ; killAt += STEP) {
    const keys = [1, 2, 3].map((n) => ({ pk: `lock#bank/${killAt}-${n}`, sk: 'token' }))
    await store.create(
      keys.map((key, n) => ({
        ...key,
        status: 'unknown',
        attemptId: 'a',
        attempt: 1,
        fence: 7,
        error: 'hung up',
        statusShard: `unknown#${n}`,
        dueAt: n,
      })),
    )
    const { out: groups } = await command(0, 'decide', '--json')
    const [, group = ''] = /"group": "(\w+)"/.exec(groups) ?? []
    const resolve = ['decide', group, 'done'] as const
    const plan = planOf(await command(0, ...resolve, '--json'))
    const { killed } = await command(killAt, ...resolve, '--apply', plan)
    const { out } = await command(0, ...resolve, '--apply', plan, '--force')
    expect(out).toMatch(/in that state already|Done/)
    expect(out).not.toContain('left as they are')
    for (const found of await store.read(keys, { consistent: true })) {
      const item = found.kind === 'found' ? found.item : {}
      expect(item).toMatchObject({ fence: 8, operatorDid: 'decide done' })
      expect(item).not.toHaveProperty('status')
    }
    if (!killed) break
    killedAt = killAt
  }
  expect(killedAt).toBeGreaterThan(5)
})
