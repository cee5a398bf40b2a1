import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { BatchWriteItemCommand } from '@aws-sdk/client-dynamodb'
import { tableDefinition } from 'lineclear/dynamodb'
import { type LocalCloud, startLocalCloud } from 'lineclear/local'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { bound } from '../../proof/depth.ts'
import { quietLogger } from '../../deliver/quietLogger.ts'

const MANY = bound(0, 20_000, 100_000)
/** Above a console that has answered one small page. */
const MOST_MB = 80
const MAIN = fileURLToPath(new URL('../../../src/tools/cli/main.ts', import.meta.url))

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startLocalCloud(
    { queues: { dead: {} }, tables: { lineclear: tableDefinition() } },
    { logger: quietLogger() },
  )
  await fill()
})
afterAll(() => cloud.stop())

/** Requests that are parked, as consumers write them. */
async function fill(): Promise<void> {
  const batches = Array.from({ length: MANY / 25 }, (_, n) => n)
  const worker = async (): Promise<void> => {
    for (let n = batches.pop(); n !== undefined; n = batches.pop()) {
      const from = n * 25
      const lineclear = Array.from({ length: 25 }, (_, at) => ({
        PutRequest: { Item: parked(from + at) },
      }))
      await cloud.dynamodb.send(new BatchWriteItemCommand({ RequestItems: { lineclear } }))
    }
  }
  await Promise.all(Array.from({ length: 8 }, worker))
}

function parked(n: number) {
  return {
    pk: { S: `lock#orders/r-${n}` },
    sk: { S: 'token' },
    status: { S: 'error' },
    reason: { S: 'exhausted' },
    error: { S: `Error: connect ECONNREFUSED 10.0.0.${n % 250}:443` },
    attempt: { N: '3' },
    attemptId: { S: `a-${n}` },
    fence: { N: '3' },
    leaseUntil: { N: '0' },
    notBefore: { N: '0' },
    created: { S: '2026-01-31T12:00:00.000Z' },
    statusShard: { S: `error#${n % 8}` },
    dueAt: { N: String(1_700_000_000_000 + n) },
  }
}

type Page = Readonly<{
  tasks: readonly { readonly id: string }[]
  next: string | null
  cost: { readonly queries: number; readonly units: number }
}>

it(`${MANY} tasks are shown page by page, the first at once, and need no memory`, async () => {
  const child = spawn(process.execPath, [...process.execArgv, MAIN, 'console'], {
    env: { ...process.env, ...cloud.environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [printed] = (await once(child.stdout, 'data')) as [Buffer]
  const url = new URL(/http:\S+/.exec(String(printed))?.[0] ?? '')
  const headers = {
    'x-lineclear-token': new URLSearchParams(url.hash.slice(1)).get('token') ?? '',
  }
  const page = async (query: string): Promise<Page> => {
    const response = await fetch(`${url.origin}/api/tasks?${query}`, { headers })
    return (await response.json()) as Page
  }
  const megabytes = (): number => {
    const [, kilobytes = '0'] =
      /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? []
    return Math.round(Number(kilobytes) / 1_024)
  }

  // The overview: what it costs does not grow with the table.
  const looked = performance.now()
  const overview = await fetch(`${url.origin}/api/overview?noQueues=1`, { headers })
  const { cost, counts } = (await overview.json()) as Pick<Page, 'cost'> & { counts: object[] }
  const looks = Math.round(performance.now() - looked)
  expect(counts).toMatchObject([{ of: 'orders', status: 'error', atLeast: true }])
  expect(cost.units).toBeLessThan(100)
  expect(looks).toBeLessThan(2_000)

  await page('most=1')
  const before = megabytes()
  const begun = performance.now()
  const first = await page('most=100')
  const took = Math.round(performance.now() - begun)
  expect(first.tasks).toHaveLength(100)
  // A share of the index, and the items that are shown: not all.
  expect(first.cost.units).toBeLessThan(2_000)

  const ids = new Set<string>()
  let after: string | null = ''
  while (after !== null) {
    const next: Page = await page(`most=1000${after === '' ? '' : `&after=${after}`}`)
    for (const { id } of next.tasks) ids.add(id)
    after = next.next
  }
  const peak = megabytes()
  console.log(
    `overview: ${looks} ms, ${cost.units} units; first page: ${took} ms, ${first.cost.queries} queries, ${first.cost.units} units; memory ${before} MB, at most ${peak} MB`,
  )
  expect(ids.size).toBe(MANY)
  expect(peak - before).toBeLessThan(MOST_MB)
  child.kill('SIGINT')
  expect(await once(child, 'close')).toEqual([0, null])
})
