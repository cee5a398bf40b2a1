import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { recordHandler } from 'lineclear'
import { dynamoDbStore, tableDefinition } from 'lineclear/dynamodb'
import type { LocalCloud } from 'lineclear/local'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { quietLogger } from '../../deliver/quietLogger.ts'
import { count, deliver, receive, sendDeadLetter, startDlqCloud } from '../operator/dlqHarness.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startDlqCloud({ lineclear: tableDefinition() })
})
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
  return { out: await text(child.stdout), signal: await ended }
}

async function planOf(...args: readonly string[]): Promise<string> {
  const { out } = await command(0, ...args, '--json')
  return /"plan": "(\w+)"/.exec(out)?.[1] ?? ''
}

/** As the page of the plan shows it. */
async function rowOf(plan: string) {
  const { out } = await command(0, 'status', '--plan', plan, '--json')
  const [json] = /^\{[\s\S]*^\}/m.exec(out) ?? ['{}']
  return JSON.parse(json) as { state: string; done: number; planned: number; action: string }
}

/** It takes over what the killed command held, once that is visible again. */
async function goOn(plan: string): Promise<void> {
  await expect
    .poll(
      async () => {
        await command(0, 'dlq', 'redrive', '--continue', plan, '--apply', plan, '--force')
        return count(cloud, 'dead')
      },
      { timeout: 300_000, interval: 500 },
    )
    .toBe(0)
}

it('a redrive of 250 that is killed in the middle goes on from its row: none is lost, none runs twice, each is counted', async () => {
  const ran: string[] = []
  const handler = recordHandler(
    {
      name: 'orders',
      store: dynamoDbStore({ tableName: 'lineclear', client: cloud.dynamodb }),
      logger: quietLogger(),
      clients: { sqs: cloud.sqs },
    },
    (_, { uniqueRequestId }) => void ran.push(uniqueRequestId),
  )
  for (let n = 0; n < 250; n += 1) {
    await sendDeadLetter(cloud, n, { id: `r-${n}`, reason: 'rejected', death: 0 })
  }
  const redrive = ['dlq', 'redrive', 'dead', '--to', 'orders', '--no-ramp'] as const
  const plan = await planOf(...redrive)
  const { signal } = await command(59, ...redrive, '--apply', plan)
  expect(signal).toBe('SIGKILL')
  // A call of the killed process may still be on its way.
  await sleep(1_000)
  const killed = await rowOf(plan)
  const gone = 250 - count(cloud, 'dead')
  // The page that it had in hand when it died is sent or removed, and not counted.
  expect(killed).toMatchObject({ state: 'running', planned: 250 })
  expect(gone - killed.done).toBeGreaterThanOrEqual(0)
  expect(gone - killed.done).toBeLessThanOrEqual(10)
  await goOn(plan)
  const row = await rowOf(plan)
  expect(row).toMatchObject({ state: 'done', done: 250 - (gone - killed.done) })
  while ((await deliver(cloud, 'orders', handler)) > 0);
  expect(new Set(ran).size).toBe(250)
  expect(ran).toHaveLength(250)
})

it('a restore that is killed in the middle has a row, and goes on from it', async () => {
  for (let n = 0; n < 40; n += 1) {
    await sendDeadLetter(cloud, n, { id: `back-${n}`, reason: 'exhausted' })
  }
  const discard = await planOf('dlq', 'discard', 'dead')
  await command(0, 'dlq', 'discard', 'dead', '--apply', discard)
  expect(count(cloud, 'dead')).toBe(0)
  const plan = await planOf('dlq', 'restore', discard)
  const { signal } = await command(60, 'dlq', 'restore', discard, '--apply', plan)
  expect(signal).toBe('SIGKILL')
  const killed = await rowOf(plan)
  expect(killed).toMatchObject({ action: 'dlq restore', state: 'running', planned: 40 })
  expect(killed.done).toBeGreaterThan(0)
  expect(killed.done).toBeLessThan(40)
  const { out } = await command(0, 'dlq', 'restore', discard, '--apply', plan, '--force')
  expect(out).toContain('Done, and recorded')
  expect((await rowOf(plan)).state).toBe('done')
  const ids = new Set<string | undefined>()
  while (count(cloud, 'dead') > 0 && ids.size < 40) {
    for (const { messageAttributes } of await receive(cloud, 'dead')) {
      ids.add(messageAttributes['uniquerequestid']?.stringValue)
    }
  }
  expect(ids.size).toBe(40)
})
