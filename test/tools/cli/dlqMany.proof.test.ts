import { spawn } from 'node:child_process'
import { env } from 'node:process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { SendMessageBatchCommand } from '@aws-sdk/client-sqs'
import { tableDefinition } from 'lineclear/dynamodb'
import { type LocalCloud, startLocalCloud } from 'lineclear/local'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { bound } from '../../proof/depth.ts'
import { quietLogger } from '../../deliver/quietLogger.ts'

/** 100,000 take minutes: `LINECLEAR_MODEL=deep`. */
const MANY = env['LINECLEAR_MODEL'] === 'deep' ? 100_000 : bound(0, 4_000, 10_000)
/** Above a command that reads nothing. */
const MOST_MB = 60
const MAIN = fileURLToPath(new URL('../../../src/tools/cli/main.ts', import.meta.url))
const REPORT =
  "process.on('exit', () => console.log('at most', Math.round(process.resourceUsage().maxRSS / 1024), 'MB'))"

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startLocalCloud(
    { queues: { dead: {}, orders: {} }, tables: { lineclear: tableDefinition() } },
    { logger: quietLogger() },
  )
})
afterAll(() => cloud.stop())

async function command(...args: readonly string[]) {
  const begun = performance.now()
  const child = spawn(
    process.execPath,
    [
      ...process.execArgv,
      // Else a busy machine collects garbage late, and the peak says nothing of what is needed.
      '--max-semi-space-size=2',
      '--max-old-space-size=96',
      '--import',
      `data:text/javascript,${encodeURIComponent(REPORT)}`,
      MAIN,
      ...args,
    ],
    { env: { ...process.env, ...cloud.environment }, stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const out = await text(child.stdout)
  const seconds = Math.round((performance.now() - begun) / 1_000)
  const [, megabytes = ''] = /at most (\d+) MB/.exec(out) ?? []
  return { out, seconds, megabytes: Number(megabytes) }
}

async function fill(from: number, many: number): Promise<void> {
  const batches = Array.from({ length: many / 10 }, (_, n) => n)
  const worker = async (): Promise<void> => {
    for (let n = batches.pop(); n !== undefined; n = batches.pop()) {
      const Entries = Array.from({ length: 10 }, (_, at) => ({
        Id: String(at),
        MessageBody: JSON.stringify({ n: from + (n ?? 0) * 10 + at, text: 'x'.repeat(200) }),
      }))
      await cloud.sqs.send(
        new SendMessageBatchCommand({ QueueUrl: cloud.queueUrl('dead'), Entries }),
      )
    }
  }
  await Promise.all(Array.from({ length: 8 }, worker))
}

it(
  `${MANY} dead letters: a plan and its redrive, with bounded memory; what arrives between stays`,
  { timeout: 900_000 },
  async () => {
    const idle = await command('--version')
    await fill(0, MANY)
    const groups = await command('dlq', 'groups', 'dead')
    const redrive = ['dlq', 'redrive', 'dead', '--to', 'orders', '--rate', '10000', '--no-ramp']
    const planned = await command(...redrive, '--json')
    const [, plan = ''] = /"plan": "(\w+)"/.exec(planned.out) ?? []
    await fill(MANY, 20)
    const applied = await command(...redrive, '--apply', plan)
    console.log(
      `${MANY} dead letters: plan ${planned.seconds} s, ${planned.megabytes} MB; redrive ${applied.seconds} s, ${applied.megabytes} MB; groups ${groups.megabytes} MB; nothing ${idle.megabytes} MB`,
    )
    expect(applied.out).toContain(`${MANY} dead letters sent to`)
    expect(cloud.inspectQueue('orders').ready).toHaveLength(MANY)
    expect(cloud.inspectQueue('dead').ready).toHaveLength(20)
    const most = Math.max(groups.megabytes, planned.megabytes, applied.megabytes)
    expect(most - idle.megabytes).toBeLessThan(MOST_MB)
  },
)
