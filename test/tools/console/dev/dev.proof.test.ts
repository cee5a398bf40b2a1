import { execFile } from 'node:child_process'
import { access, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import type {
  DevState,
  SaveAnswer,
  DevSendAnswer,
} from '../../../../src/tools/console/dev/types.ts'
import type { InJson } from '../../../../src/tools/operator/explain/explain.ts'
import type { Waterfall } from '../../../../src/tools/operator/explain/waterfall.ts'
import { type DevProcess, projectFolder, startDevProcess, until } from './devHere.ts'

const CHARGED = 'charged once per order'
const WITH_ONCE = `await ctx.call('charge', ({ idempotencyKey }) =>
      charge(orderId, idempotencyKey),
    )`
const NAIVE = 'await charge(orderId, crypto.randomUUID())'

/** As editors do it: another file takes its place. */
async function replaceFile(path: string, text: string): Promise<void> {
  await writeFile(`${path}~`, text)
  await rename(`${path}~`, path)
}

async function untilReady(dev: DevProcess, reloads: number): Promise<DevState> {
  return until(async () => {
    const state = await dev.state()
    return state.state === 'ready' && state.reloads >= reloads && state
  })
}

/** The handler has charged, and nothing of it is written down yet. */
const AFTER_THE_CHARGE = { action: 'PublishBatch', when: 'before' }

test('orders are sent, killed and taken over; a naive handler is found out, and its run saved as a test', async () => {
  await using dev = await startDevProcess(await projectFolder('examples/orders'), 'dev.ts')
  const handler = join(dev.folder, 'handler.ts')
  const good = await readFile(handler, 'utf8')
  const naive = good.replace(WITH_ONCE, NAIVE)
  expect(naive).not.toBe(good)

  // Ten orders, each delivered twice, and one killed after it was charged.
  await dev.post('dev/fault', { consumer: 'orders', killNext: { effect: 'charge' } })
  const { sent } = await dev.post<DevSendAnswer>('dev/send', {
    to: 'orders',
    times: 10,
    twice: true,
  })
  expect(sent).toHaveLength(10)
  await until(async () => (await dev.book('reserved = orders')) === 'green')
  expect(await dev.book(CHARGED)).toBe('green')
  const state = await dev.state()
  expect(state.outside).toMatchObject([{ name: 'payments', calls: 10 }])
  expect(state.consumers[0]).not.toHaveProperty('killNext')
  expect(await Promise.all(sent.map(async (request) => attemptsOf(dev, request)))).toContainEqual([
    'attempt 1: lost',
    'attempt 2: succeeded',
  ])

  // The handler is broken on disk: the same kill now charges twice.
  await replaceFile(handler, naive)
  await untilReady(dev, 1)
  await dev.post('dev/fault', { consumer: 'orders', killNext: AFTER_THE_CHARGE })
  await dev.post('dev/send', { to: 'orders' })
  await until(async () => (await dev.book(CHARGED)).startsWith('red'))
  expect(await dev.book(CHARGED)).toBe('red order-11')

  const saved = await dev.post<SaveAnswer>('dev/save', {})
  expect(saved).toMatchObject({
    file: 'dev.charged-once-per-order.test.ts',
    was: 'Wrong were the books charged once per order',
  })
  expect(await dev.end()).toBe(0)
  await expect(access(join(dev.folder, '.lineclear'))).rejects.toThrow('ENOENT')

  const broken = await runTest(dev.folder, saved.file)
  expect(broken).toContain('charged once per order: order-11')
  await replaceFile(handler, good)
  expect(await runTest(dev.folder, saved.file)).toContain('1 passed')
})

/** Its first attempt writes long after its time, and after the second one. */
const LATE = `import { DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb'
import { setTimeout as sleep } from 'node:timers/promises'

const client = new DynamoDBClient()
let attempts = 0

export async function handler() {
  attempts += 1
  if (attempts === 1) await sleep(5_000)
  await client.send(
    new UpdateItemCommand({
      TableName: 'stock',
      Key: { sku: { S: 'apple' } },
      UpdateExpression: 'ADD reserved :one',
      ExpressionAttributeValues: { ':one': { N: '1' } },
    }),
  )
}
`

test('with --managed code that has timed out runs on: a naive handler is found out, and so is its saved run', async () => {
  const folder = await projectFolder('examples/orders')
  const file = join(folder, 'dev.ts')
  const text = await readFile(file, 'utf8')
  await writeFile(file, text.replace("functionTimeout: '3s'", 'functionTimeout: 500'))
  await writeFile(join(folder, 'handler.ts'), LATE)
  await using dev = await startDevProcess(folder, 'dev.ts', '--managed')
  await dev.post('dev/send', { to: 'orders' })
  const red = 'red reserved 2'
  await until(async () => (await dev.book('reserved = orders')) === red)
  const saved = await dev.post<SaveAnswer>('dev/save', {})
  expect(saved.text).toContain('"managed": true')
  expect(await dev.end()).toBe(0)
  expect(await runTest(folder, saved.file)).toContain('reserved = orders: reserved 2')
})

test('a mistake in a file is shown where it is, and mending it goes on', async () => {
  await using dev = await startDevProcess(await projectFolder('examples/orders'), 'dev.ts')
  const handler = join(dev.folder, 'handler.ts')
  const good = await readFile(handler, 'utf8')
  const errorOf = async (pattern: RegExp) =>
    until(async () => {
      const { error } = await dev.state()
      return error !== undefined && pattern.test(error.message) && error
    })

  await replaceFile(handler, good.replace('export const handler', 'export const handler ='))
  expect(await errorOf(/Expression expected/)).toMatchObject({
    kind: 'load',
    file: 'handler.ts',
    line: 10,
  })
  await dev.post('dev/send', {
    to: 'orders',
    payload: { orderId: 'o-1', sku: 'apple', quantity: 1 },
  })
  await replaceFile(handler, good.replace('./payments.ts', './paymants.ts'))
  expect(await errorOf(/Cannot find module/)).toMatchObject({ file: 'handler.ts', line: 5 })
  // The file that is missing is created, and nothing else is touched.
  await writeFile(join(dev.folder, 'paymants.ts'), "export { charge } from './payments.ts'\n")
  await until(async () => (await dev.book('reserved = orders')) === 'green')

  await replaceFile(handler, `${good}\nsetTimeout(() => { throw new Error('later') }, 200)`)
  const died = await errorOf(/ended by itself/)
  expect(died).toMatchObject({ kind: 'died', file: 'handler.ts', line: 32 })
  expect(died.retryAt).toMatch(/^\d{4}-/)
  const { reloads } = await dev.state()
  // Nothing was changed: it is started again all the same.
  await until(async () => (await dev.state()).reloads > reloads)
  await replaceFile(handler, good)
  await untilReady(dev, reloads)
  expect(await dev.end()).toBe(0)
})

test('a wrong FILE ends at once, and says why', async () => {
  const folder = await projectFolder('examples/orders')
  const dev = await readFile(join(folder, 'dev.ts'), 'utf8')
  const refused = async (text: string): Promise<string> => {
    await writeFile(join(folder, 'dev.ts'), text)
    return startDevProcess(folder, 'dev.ts').then(
      async (running) => {
        await running.end()
        return 'it has started'
      },
      (error: Error) => error.message,
    )
  }
  expect(await refused('export const dev = 1')).toContain('expected a default export, got dev')
  expect(await refused(dev.replace('samples: { orders:', 'samples: { order:'))).toContain(
    'the cloud has no queue or topic "order"; it has orders, paid, orders-dead',
  )
  expect(await refused(`${dev}\nconst = 1`)).toMatch(/dev\.ts:\d+/)
  expect(await refused(dev.replace('./handler.ts', './handlers.ts'))).toContain('it has started')
})

test.each(['SIGTERM', 'SIGHUP'] as const)('%s ends it as Ctrl-C does', async (signal) => {
  await using dev = await startDevProcess(await projectFolder('examples/orders'), 'dev.ts')
  expect(await dev.end(signal)).toBe(0)
  await expect(access(join(dev.folder, '.lineclear'))).rejects.toThrow('ENOENT')
})

test('a second one in a folder is refused, and the first goes on', async () => {
  await using dev = await startDevProcess(await projectFolder('examples/orders'), 'dev.ts')
  await expect(startDevProcess(dev.folder, 'dev.ts')).rejects.toThrow(
    /is up in this folder \(process \d+, http:\/\/127\.0\.0\.1:\d+\/#token=\S+\)/,
  )
  await access(join(dev.folder, '.lineclear/local.json'))
  expect(await dev.state()).toMatchObject({ state: 'ready' })
})

/** Of one request, as its waterfall shows them. */
async function attemptsOf(dev: DevProcess, request: string): Promise<readonly string[]> {
  const { waterfall } = await dev.get<{ readonly waterfall: InJson<Waterfall> }>(
    `request?id=orders/${request}`,
  )
  return waterfall.bars.filter(({ kind }) => kind === 'attempt').map(({ label }) => label)
}

async function runTest(cwd: string, file: string): Promise<string> {
  await writeFile(
    join(cwd, 'vitest.config.ts'),
    "export default { ssr: { resolve: { conditions: ['lineclear:source', 'node'] } }, test: { execArgv: ['--conditions=lineclear:source'] } }",
  )
  const vitest = join(cwd, 'node_modules/vitest/vitest.mjs')
  const run = promisify(execFile)(process.execPath, [vitest, 'run', file], { cwd })
  const { stdout, stderr } = await run.catch(
    (error: { readonly stdout: string; readonly stderr: string }) => error,
  )
  return `${stdout}${stderr}`
}

test('a handler that throws is told with its error and its place, and its saved test says what it does not test', async () => {
  await using dev = await startDevProcess(await projectFolder('examples/orders'), 'dev.ts')
  const handler = join(dev.folder, 'handler.ts')
  const good = await readFile(handler, 'utf8')
  await replaceFile(
    handler,
    good.replace(WITH_ONCE, "await Promise.reject(new TypeError('no tariff'))"),
  )
  await untilReady(dev, 1)
  await dev.post('dev/send', { to: 'orders' })
  const told = /^↻ TypeError: no tariff at handler\.ts:\d+:\d+ {2}orders \S+: retried later$/m
  await until(() => told.test(dev.written()))
  const saved = await dev.post<SaveAnswer>('dev/save', {})
  expect(saved.text).toContain('TypeError: no tariff at handler.ts')
})
