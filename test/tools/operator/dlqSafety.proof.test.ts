import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { SQSClient } from '@aws-sdk/client-sqs'
import { recordHandler, TerminalError } from 'lineclear'
import { type LocalCloud, mapQueue } from 'lineclear/local'
import { memoryStore } from 'lineclear/testing'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { groupDeadLetters } from '../../../src/tools/operator/dlq/look.ts'
import { redriveDeadLetters } from '../../../src/tools/operator/dlq/redrive.ts'
import type { Selection } from '../../../src/tools/operator/dlq/deadLetterQueue.ts'
import { receiveDeadLetters } from '../../../src/tools/operator/dlq/receive.ts'
import { awsMessenger } from '../../../src/library/adapters/send/awsMessenger.ts'
import { openQueue } from '../../../src/tools/operator/aws/queues.ts'
import { quietLogger } from '../../deliver/quietLogger.ts'
import { flowHarness } from '../../flow/flowHarness.ts'
import { expectDeliveries } from '../../proof/hostile/expectDeliveries.ts'
import { withoutRepeats } from '../../proof/hostile/withoutRepeats.ts'
import { notIn } from '../../proof/hostile/mode.ts'
import {
  count,
  deliver,
  dyingSale,
  emptyAll,
  hide,
  moveBySqs,
  receive,
  send,
  sendDeadLetter,
  startDlqCloud,
} from './dlqHarness.ts'
import { serveSources } from './sourcesServer.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startDlqCloud()
})
afterEach(async () => {
  vi.useRealTimers()
  await emptyAll(cloud)
})
afterAll(() => cloud.stop())

const redrive = (options: object = {}) =>
  redriveDeadLetters({ queue: 'dead', sqs: cloud.sqs, to: 'orders', mode: 'apply', ...options })

/** A client of its own that calls `meet` before each request. */
function clientWith(meet: (command: string) => void | Promise<void>): SQSClient {
  const sqs = cloud.instrument(
    new SQSClient({
      endpoint: cloud.endpoints.sqs ?? '',
      region: cloud.region,
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
      maxAttempts: 1,
    }),
  )
  sqs.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (call) => {
        await meet(commandName)
        return next(call)
      },
    { step: 'initialize' },
  )
  return sqs
}

async function deadLetters(many: number, from = 0): Promise<void> {
  for (let n = from; n < from + many; n++) {
    await sendDeadLetter(cloud, { n }, { id: `r${n}`, reason: 'terminal' })
  }
}

/** Looked at and put back: what stays hidden would come up in the middle of a later test. */
async function idsOn(queue: string): Promise<string[]> {
  const records = await receive(cloud, queue)
  for (const record of records) await hide(cloud, queue, record)
  return records.map(
    ({ messageAttributes }) => messageAttributes['uniquerequestid']?.stringValue ?? '',
  )
}

describe('a redrive that stops half-way', () => {
  it('killed between send and removal, and run again: the effect happens once', async () => {
    const harness = flowHarness(cloud)
    const { handler, repair } = dyingSale(harness)
    await send(cloud, 'orders', { n: 1 })
    await deliver(cloud, 'orders', handler)
    repair()
    const child = spawn(
      process.execPath,
      [...process.execArgv, fileURLToPath(new URL('dlqChild.ts', import.meta.url))],
      { env: { ...process.env, ...cloud.environment }, stdio: ['ignore', 'pipe', 'inherit'] },
    )
    await once(child.stdout, 'data')
    child.kill('SIGKILL')
    await once(child, 'exit')
    await deliver(cloud, 'orders', handler)
    await vi.waitFor(async () => expect(await redrive()).toMatchObject({ moved: 1 }), 300_000)
    expect(await deliver(cloud, 'orders', handler)).toBe(1)
    expectDeliveries(harness.settled.slice(1), [{ kind: 'completed' }, { kind: 'duplicate' }])
    expect(harness.count('sales')).toBe(1)
  })

  it('a removal that fails is reported, and the dead letter is visible at once for the next run', async () => {
    await deadLetters(1)
    const sqs = clientWith((command) => {
      if (command === 'DeleteMessageBatchCommand') throw new Error('the line is dead')
    })
    expect(await redrive({ sqs })).toMatchObject({
      moved: 0,
      notRemoved: 1,
      error: 'the line is dead',
    })
    expect(count(cloud, 'dead')).toBe(1)
    expect(await redrive()).toMatchObject({ moved: 1 })
    expect(await idsOn('orders')).toEqual(['r0', 'r0'])
  })

  it('a removal that came too late is repeated when the dead letter is received again', async () => {
    await deadLetters(1)
    /** Sending takes longer than the dead letter is hidden, and another reader receives it meanwhile: our receipt handle is void. */
    const sqs = clientWith(async (command) => {
      if (command !== 'SendMessageBatchCommand') return
      await vi.waitFor(async () => expect(await idsOn('dead')).toEqual(['r0']), 300_000)
    })
    expect(await redrive({ sqs, hiddenSeconds: 1 })).toMatchObject({ looked: 1, moved: 1 })
    expect(cloud.inspectQueue('dead')).toMatchObject({ ready: [], inFlight: [] })
    expect(await idsOn('orders')).toEqual(['r0'])
  })

  it('a message that its queue refuses stays, and the redrive stops', async () => {
    await deadLetters(12)
    const sqs = clientWith((command) => {
      if (command === 'SendMessageBatchCommand') throw new Error('no such permission')
    })
    expect(await redrive({ sqs })).toMatchObject({
      moved: 0,
      refused: 10,
      to: {},
      ended: 'stopped',
      error: 'no such permission',
    })
    expect(count(cloud, 'dead')).toBe(12)
  })

  it('aborted, it makes the messages it holds visible again', async () => {
    await deadLetters(30)
    const abort = new AbortController()
    const report = await redrive({
      signal: abort.signal,
      match: '"n":1',
      onProgress: () => abort.abort(),
    })
    expect(report).toMatchObject({ looked: 10, moved: 1, ended: 'aborted' })
    expect([count(cloud, 'orders'), count(cloud, 'dead')]).toEqual([1, 29])
  })

  it('a second run finds nothing', async () => {
    await deadLetters(3)
    expect(await redrive()).toMatchObject({ looked: 3, moved: 3 })
    expect(await redrive()).toMatchObject({ looked: 0, moved: 0, ended: 'complete', to: {} })
  })

  it('a plan changes nothing', async () => {
    await deadLetters(3)
    expect(await redrive({ mode: 'plan' })).toMatchObject({ looked: 3, moved: 0 })
    expect([count(cloud, 'orders'), count(cloud, 'dead')]).toEqual([0, 3])
  })
})

describe('many dead letters', () => {
  it('230 of them are all redriven twice, with progress, and none is lost or left', async () => {
    await deadLetters(230)
    const progress: [number, number | undefined][] = []
    const onProgress = (looked: number, of: number | undefined) => progress.push([looked, of])
    const groups = await groupDeadLetters({ queue: 'dead', sqs: cloud.sqs, onProgress })
    expect(groups).toMatchObject({ looked: 230, more: false, groups: [{ count: 230 }] })
    expect(progress.at(-1)).toEqual([230, 230])
    expect(count(cloud, 'dead')).toBe(230)
    progress.length = 0
    expect(await redrive({ rate: 10_000, onProgress })).toMatchObject({ moved: 230 })
    expect(progress).toHaveLength(23)
    expect(new Set(await idsOn('orders')).size).toBe(230)
    expect(count(cloud, 'dead')).toBe(0)
  })

  it('examines a limited number and says that there are more', async () => {
    await deadLetters(25)
    const groups = await groupDeadLetters({ queue: 'dead', sqs: cloud.sqs, most: 10 })
    expect(groups).toMatchObject({ looked: 10, more: true })
    expect(count(cloud, 'dead')).toBe(25)
  })

  it('redelivered while the others are sent are held again, and counted once', async () => {
    await deadLetters(4)
    await deadLetters(8, 10)
    const report = await redrive({ rate: 3, match: '"n":1', hiddenSeconds: 1 })
    expect(report).toMatchObject({ looked: 12, moved: 9, stays: { notSelected: 3 } })
    expect(new Set(await idsOn('dead'))).toEqual(new Set(['r0', 'r2', 'r3']))
  })

  it('delivered twice at once are removed by their newest receipt handle', async () => {
    await deadLetters(1)
    const queue = await openQueue(cloud.sqs, cloud.queueUrl('dead'))
    if (queue === undefined) throw new Error('there is no queue')
    const twice: typeof queue = {
      ...queue,
      receive: async (most, hiddenSeconds) => [
        ...(await queue.receive(most, 0)),
        ...(await queue.receive(most, hiddenSeconds)),
      ],
    }
    const { pages, remove } = receiveDeadLetters(twice, {
      messenger: awsMessenger({ sqs: cloud.sqs }),
      now: Date.now(),
      pageSize: () => 10,
      receivers: 1,
      most: 10,
      hiddenSeconds: 60,
      signal: undefined,
    })
    for await (const page of pages()) {
      expect(page).toHaveLength(1)
      expect(await remove(page)).toEqual([undefined])
    }
    expect(cloud.inspectQueue('dead')).toMatchObject({ ready: [], inFlight: [] })
  })

  it('are sent at the given rate', async () => {
    await deadLetters(9)
    const now = Date.now()
    const clock = {
      now: () => now,
      sleep: vi.fn<(milliseconds: number) => Promise<void>>(async () => {}),
    }
    await redrive({ rate: 4, clock })
    const waits = clock.sleep.mock.calls.map(([milliseconds]) => milliseconds)
    expect(waits).toEqual([1_000, 2_000, 2_250])
  })

  it(
    'that die again meanwhile are not redriven in a loop',
    notIn(['twice'], 'SQS moves by itself what comes more than three times'),
    async () => {
      const handler = recordHandler(
        {
          name: 'orders',
          store: memoryStore(),
          logger: quietLogger(),
          clients: { sqs: cloud.sqs },
        },
        () => {
          throw new TerminalError('never')
        },
      )
      const mapping = mapQueue({ cloud, queue: 'orders', handler, logger: quietLogger() })
      for (let n = 0; n < 40; n++) await send(cloud, 'orders', { n })
      await vi.waitFor(() => expect(count(cloud, 'dead')).toBe(40), { timeout: 300_000 })
      const report = await redrive({ rate: 10 })
      expect(report).toMatchObject({ moved: 40, ended: 'complete' })
      await vi.waitFor(() => expect(count(cloud, 'dead')).toBe(40), { timeout: 300_000 })
      await mapping.stop()
    },
  )
})

describe('a selection', () => {
  it.each<[string, Selection, string[]]>([
    ['of an id', { ids: ['r2'] }, ['r2']],
    ['of one of several ids', { ids: ['r1', 'r2'] }, ['r1', 'r2']],
    ['of a reason', { reason: 'exhausted' }, ['r1', 'r2']],
    ['of an age', { olderThan: '1h' }, ['r3']],
    ['of a text in the body', { match: 'pear' }, ['r2', 'r3']],
    ['of a text in the error', { match: 'closed' }, ['r1']],
    ['of two things', { reason: 'exhausted', match: 'pear' }, ['r2']],
    ['that nothing meets', { ids: ['r9'] }, []],
  ])('%s', async (_name, selection, ids) => {
    await sendDeadLetter(cloud, 'apple', {
      id: 'r1',
      reason: 'exhausted',
      error: 'the bank is closed',
    })
    await sendDeadLetter(cloud, 'pear', { id: 'r2', reason: 'exhausted', error: 'timeout' })
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 2 * 3_600_000 })
    await sendDeadLetter(cloud, 'pear', { id: 'r3', reason: 'terminal' })
    vi.useRealTimers()
    expect(await redrive(selection)).toMatchObject({ moved: ids.length, looked: 3 })
    expect((await idsOn('orders')).toSorted()).toEqual(ids)
    expect(count(cloud, 'dead')).toBe(3 - ids.length)
  })

  it('by group; errors of a group differ in ids and numbers only', async () => {
    await sendDeadLetter(cloud, 1, {
      id: 'r1',
      reason: 'exhausted',
      error: 'order 17 of a@b.de timed out',
    })
    await sendDeadLetter(cloud, 2, {
      id: 'r2',
      reason: 'exhausted',
      error: 'order 4 of c@d.org timed out',
    })
    await sendDeadLetter(cloud, 3, { id: 'r3', reason: 'exhausted', error: 'no stock' })
    await send(cloud, 'other', { n: 1 })
    await moveBySqs(cloud, 'other')
    const { groups } = await groupDeadLetters({ queue: 'dead', sqs: cloud.sqs })
    expect(groups).toMatchObject([
      { count: 2, reason: 'exhausted', error: 'order <n> of <address> timed out', example: 'r1' },
      { count: 1, reason: 'exhausted', error: 'no stock', origin: 'not said' },
      { count: 1, reason: 'moved', error: '', origin: 'queue other' },
    ])
    expect(await redrive({ group: groups[0]?.group })).toMatchObject({ moved: 2 })
    expect(await idsOn('orders')).toEqual(['r1', 'r2'])
  })
})

describe('where a dead letter goes', () => {
  it('to the only queue that uses this dead-letter queue, by the list of SQS', async () => {
    await deadLetters(2)
    const sources = { dead: [cloud.queueUrl('book')] }
    await using served = await serveSources(cloud, sources)
    expect(await redrive({ to: undefined, sqs: served.sqs })).toMatchObject({ moved: 2 })
    expect(count(cloud, 'book')).toBe(2)
  })

  it('nowhere when several queues use this dead-letter queue', async () => {
    await deadLetters(2)
    const sources = { dead: [cloud.queueUrl('book'), cloud.queueUrl('orders')] }
    await using served = await serveSources(cloud, sources)
    expect(await redrive({ to: undefined, sqs: served.sqs })).toMatchObject({
      moved: 0,
      stays: { noDestination: 2 },
    })
  })

  it('nowhere when no source is known: it stays', async () => {
    await deadLetters(2)
    await send(cloud, 'book', { n: 1 })
    await moveBySqs(cloud, 'book')
    expect(await redrive({ to: undefined })).toMatchObject({
      moved: 1,
      stays: { noDestination: 2 },
    })
    expect([count(cloud, 'book'), count(cloud, 'dead')]).toEqual([1, 2])
  })

  it('never back to the same queue', async () => {
    await deadLetters(1)
    for (const to of ['dead', cloud.queueUrl('dead'), cloud.queueArn('dead')]) {
      await expect(redrive({ to })).rejects.toThrow('are on')
    }
    expect(count(cloud, 'dead')).toBe(1)
  })

  describe('a source that only the message names', () => {
    const arnOf = (queue: string, account = '000000000000') =>
      `arn:aws:sqs:us-east-1:${account}:${queue}`
    const plant = (source: string, id = 'r1') =>
      sendDeadLetter(cloud, 'planted', { id, reason: 'terminal', source })

    it('is trusted when that queue uses this dead-letter queue', async () => {
      await plant(arnOf('orders'))
      expect(await redrive({ to: undefined })).toMatchObject({ moved: 1 })
      expect(count(cloud, 'orders')).toBe(1)
    })

    it.each([
      ['a queue of another team, which uses no dead-letter queue', arnOf('dead.fifo')],
      ['a queue that uses another dead-letter queue', arnOf('orders.fifo')],
      ['a queue that is not there', arnOf('nowhere')],
      ['a queue of another account', arnOf('orders', '999999999999')],
    ])('%s: it stays, and the others are sent', async (_, source) => {
      await plant(source)
      await plant(arnOf('book'), 'r2')
      expect(await redrive({ to: undefined })).toMatchObject({
        moved: 1,
        stays: { unprovenSource: 1 },
      })
      expect([count(cloud, 'dead'), count(cloud, 'book')]).toEqual([1, 1])
    })

    it('is checked against the list of SQS first', async () => {
      await plant(arnOf('orders'))
      await using served = await serveSources(cloud, { dead: [cloud.queueUrl('book')] })
      expect(await redrive({ to: undefined, sqs: served.sqs })).toMatchObject({
        moved: 0,
        stays: { unprovenSource: 1 },
      })
    })
  })

  it('queues are found by name, URL and ARN; the error names one that does not exist', async () => {
    for (const queue of ['dead', cloud.queueUrl('dead'), cloud.queueArn('dead')]) {
      await deadLetters(1)
      expect(await redrive({ queue, to: cloud.queueArn('orders') })).toMatchObject({ moved: 1 })
    }
    await expect(redrive({ queue: 'deaf' })).rejects.toMatchObject({
      name: 'QueueNotFoundError',
      queue: 'deaf',
    })
    const gone = `${cloud.queueUrl('dead')}-gone`
    await expect(redrive({ queue: gone })).rejects.toThrow('there is no queue')
    await expect(redrive({ to: 'order' })).rejects.toThrow('there is no queue order')
  })

  it('a source queue is not taken for a dead-letter queue', async () => {
    await send(cloud, 'orders', { n: 1 })
    const from = { queue: 'orders', to: 'other' }
    await expect(redrive(from)).rejects.toThrow(/it has one, \S+\/dead\./)
    expect(cloud.inspectQueue('orders').ready).toMatchObject([{ receiveCount: 0 }])
    expect(await redrive({ ...from, sourceQueue: 'accept' })).toMatchObject({ moved: 1 })
  })
})

describe('FIFO', () => {
  const toFifo = { queue: 'dead.fifo', to: 'orders.fifo' }
  const put = (n: number, groupId: string) =>
    send(cloud, 'dead.fifo', { n }, { groupId, deduplicationId: `d${n}` })

  it('keeps the groups and their order; a copy within five minutes is accepted once', async () => {
    for (const [n, group] of [
      [1, 'a'],
      [2, 'b'],
      [3, 'a'],
      [4, 'a'],
    ] as const) {
      await put(n, group)
    }
    const lost = clientWith((command) => {
      if (command === 'DeleteMessageBatchCommand') throw new Error('the line is dead')
    })
    expect(await redrive({ ...toFifo, sqs: lost })).toMatchObject({ notRemoved: 4, fifo: true })
    expect(await redrive(toFifo)).toMatchObject({ moved: 4 })
    expect(count(cloud, 'orders.fifo')).toBe(4)
    const seen: [string | undefined, string][] = []
    const handler = recordHandler(
      { name: 'orders', store: memoryStore(), logger: quietLogger(), clients: { sqs: cloud.sqs } },
      (payload, ctx) => void seen.push([ctx.uniqueRequestId, JSON.stringify(payload)]),
    )
    for (let times = 0; times < 4; times++) await deliver(cloud, 'orders.fifo', handler)
    expect(seen.map(([, payload]) => payload).filter((payload) => payload !== '{"n":2}')).toEqual([
      '{"n":1}',
      '{"n":3}',
      '{"n":4}',
    ])
    expect(withoutRepeats(seen)).toHaveLength(4)
  })

  it('a dead letter that died again and is redriven within five minutes is not a duplicate of itself', async () => {
    const harness = flowHarness(cloud)
    const { handler, repair } = dyingSale(harness)
    await put(31, 'a')
    expect(await redrive(toFifo)).toMatchObject({ moved: 1 })
    await deliver(cloud, 'orders.fifo', handler)
    expect(await redrive(toFifo)).toMatchObject({ moved: 1 })
    await deliver(cloud, 'orders.fifo', handler)
    repair()
    expect(await redrive(toFifo)).toMatchObject({ moved: 1 })
    expect(await deliver(cloud, 'orders.fifo', handler)).toBe(1)
    expect(harness.count('sales')).toBe(1)
  })

  it('the messages of a group behind a dead letter that stays, stay behind it', async () => {
    await put(11, 'a')
    await put(12, 'a')
    await put(13, 'b')
    expect(await redrive({ ...toFifo, match: '"n":12' })).toMatchObject({
      moved: 0,
      stays: { notSelected: 2, behind: 1 },
    })
    expect(await redrive({ ...toFifo, match: '"n":11' })).toMatchObject({ moved: 1 })
    expect(await redrive({ ...toFifo, match: '"n":12' })).toMatchObject({ moved: 1 })
  })

  it('a refused dead letter is not overtaken by the next of its group', async () => {
    for (const n of [21, 22]) await put(n, 'a')
    await put(23, 'b')
    let sends = 0
    const sqs = clientWith((command) => {
      if (command === 'SendMessageBatchCommand' && (sends += 1) === 1) throw new Error('no')
    })
    const report = await redrive({ ...toFifo, sqs })
    expect(report).toMatchObject({ moved: 1, refused: 2 })
    expect((await receive(cloud, 'orders.fifo')).map(({ body }) => body)).toEqual(['{"n":23}'])
  })
})
