import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs'
import { startLocalCloud, type LocalCloud } from 'lineclear/local'
import { runWorker } from 'lineclear/worker'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { bodiesOf, quietLogger, sendMany, until } from '../testing/local/helpers.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startLocalCloud({ queues: { SIGTERM: {}, SIGINT: {}, here: {} } })
})
afterAll(() => cloud.stop())

it.concurrent.each(['SIGTERM', 'SIGINT'] as const)(
  'on %s a worker process ends its running batches, deletes what is done and takes nothing new',
  async (signal) => {
    await sendMany(cloud, signal, 8)
    const child = spawn(
      process.execPath,
      ['--conditions=lineclear:source', resolve(import.meta.dirname, 'workerChild.ts')],
      {
        env: { ...process.env, ...cloud.environment, QUEUE_URL: cloud.queueUrl(signal) },
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    )
    const lines = linesOf(child)
    await until(() => lines.length === 2)
    child.kill(signal)
    const code = await new Promise((ended) => child.once('close', ended))
    expect(code).toBe(0)
    expect(lines).toEqual(['begins 0,1', 'begins 2,3', 'ends 1', 'ends 2', 'stopped'])
    const { ready, inFlight } = cloud.inspectQueue(signal)
    expect(inFlight.map(({ body }) => body)).toEqual(['1'])
    expect(ready.map(({ body }) => body).toSorted()).toEqual(['4', '5', '6', '7'])
  },
)

function linesOf(child: ChildProcess): string[] {
  const lines: string[] = []
  child.stdout?.on('data', (chunk: Buffer) => lines.push(...chunk.toString().trim().split('\n')))
  return lines
}

const listeners = () => process.listenerCount('SIGTERM') + process.listenerCount('SIGINT')

it('stops on an abort signal and leaves the signals of the process alone', async () => {
  await sendMany(cloud, 'here', 3)
  const before = listeners()
  const stop = new AbortController()
  const seen: string[] = []
  await runWorker({
    queueUrl: cloud.queueUrl('here'),
    sqs: cloud.sqs,
    waitSeconds: 0,
    signal: stop.signal,
    logger: quietLogger(),
    handler: async (event, context) => {
      seen.push(...bodiesOf(event), context.functionName)
      stop.abort()
    },
  })
  expect(seen).toEqual(['0', '1', '2', 'here'])
  expect(listeners()).toBe(before)
  expect(cloud.inspectQueue('here')).toEqual({ ready: [], delayed: [], inFlight: [] })
})

it('stops though its poll is on a half-open connection', async () => {
  const attributes = { QueueArn: 'arn:aws:sqs:us-east-1:000000000000:q', VisibilityTimeout: '900' }
  let polls = 0
  const half = createServer((request, response) => {
    const action = String(request.headers['x-amz-target'])
    if (action.endsWith('ReceiveMessage') && (polls += 1) === 1) return
    response.setHeader('content-type', 'application/x-amz-json-1.0')
    response.end(JSON.stringify(action.endsWith('Attributes') ? { Attributes: attributes } : {}))
  })
  await new Promise<void>((listening) => half.listen(0, '127.0.0.1', listening))
  const { port } = half.address() as AddressInfo
  vi.stubEnv('AWS_REGION', 'us-east-1')
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'a')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'b')
  vi.stubEnv('AWS_ENDPOINT_URL_SQS', `http://127.0.0.1:${port}`)
  const stop = new AbortController()
  const running = runWorker({
    queueUrl: `http://127.0.0.1:${port}/000000000000/q`,
    waitSeconds: 0,
    signal: stop.signal,
    logger: quietLogger(),
    handler: async () => {},
  })
  try {
    await until(() => polls === 1)
    stop.abort()
    const began = Date.now()
    await running
    expect(Date.now() - began).toBeLessThan(10_000)
  } finally {
    vi.unstubAllEnvs()
    half.closeAllConnections()
    half.close()
  }
})

it('loads no engine and no client but that of SQS', () => {
  const script = `
    import { registerHooks } from 'node:module'
    registerHooks({
      resolve(name, context, next) {
        if (/^(fauxqs|@aws-sdk\\/client-(sns|dynamodb))/.test(name)) throw new Error(name)
        return next(name, context)
      },
    })
    const { runWorker } = await import('lineclear/worker')
    console.log(typeof runWorker)`
  const args = ['--conditions=lineclear:source', '--input-type=module', '-e', script]
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  expect(stderr).toBe('')
  expect(stdout.trim()).toBe('function')
})

it('refuses wrong options, and a queue that is not there', async () => {
  const options = { queueUrl: cloud.queueUrl('here'), sqs: cloud.sqs, handler: async () => {} }
  const run = (changed: object) => runWorker({ ...options, ...changed })
  await expect(run({ waitSeconds: 21 })).rejects.toThrow('waitSeconds: expected a whole number')
  await expect(run({ queue: 'x' })).rejects.toThrow('runWorker: "queue" is not known here')
  await expect(run({ queueUrl: cloud.queueUrl('here') + 'x' })).rejects.toMatchObject({
    name: 'QueueDoesNotExist',
  })
})

it('a poll over a connection that never answers does not keep it from stopping', async () => {
  const halfOpen = {
    send: async (command: object, options?: { readonly abortSignal?: AbortSignal }) => {
      if (!(command instanceof ReceiveMessageCommand)) return cloud.sqs.send(command as never)
      stop.abort()
      const { promise, reject } = Promise.withResolvers<never>()
      options?.abortSignal?.addEventListener('abort', () => reject(new Error('given up')))
      return promise
    },
  } as unknown as SQSClient
  const stop = new AbortController()
  const worker = runWorker({
    queueUrl: cloud.queueUrl('here'),
    sqs: halfOpen,
    waitSeconds: 0,
    signal: stop.signal,
    logger: quietLogger(),
    handler: async () => {},
  })
  await expect(worker).resolves.toBeUndefined()
})
