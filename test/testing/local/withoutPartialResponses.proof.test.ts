import { setTimeout } from 'node:timers/promises'
import { recordHandler, type RecordHandlerOptions, type HandlerResult } from 'lineclear'
import { startLocalCloud } from 'lineclear/local'
import { memoryStore } from 'lineclear/testing'
import { describe, expect, it } from 'vitest'
import { deliver, hand, receive } from '../../deliver/deliver.ts'
import { lambdaContext } from '../../deliver/lambdaContext.ts'
import { quietLogger, quietMapping, send, sendMany } from './helpers.ts'

const SETTINGS = [
  ['standard', 'with', true],
  ['standard', 'without', false],
  ['fifo', 'with', true],
  ['fifo', 'without', false],
] as const

it.each(SETTINGS)(
  'on a %s queue %s ReportBatchItemFailures each message is done once, and none is lost',
  async (kind, _, reportBatchItemFailures) => {
    const queue = kind === 'fifo' ? 'work.fifo' : 'work'
    await using cloud = await startLocalCloud({ queues: { [queue]: { visibilityTimeout: 2 } } })
    const done: unknown[] = []
    const tried = new Map<unknown, number>()
    const handler = recordHandler(
      {
        name: 'work',
        store: memoryStore(),
        clients: { sqs: cloud.sqs },
        logger: quietLogger(),
        reportBatchItemFailures,
        retry: { transport: 'visibility', delay: () => 100 },
      },
      (payload) => {
        const attempt = (tried.get(payload) ?? 0) + 1
        tried.set(payload, attempt)
        if (Number(payload) % 3 === 1 && attempt < 3) throw new Error('not yet')
        done.push(payload)
      },
    )
    const ids = await sendMany(cloud, queue, 12, kind === 'fifo' ? 'g' : undefined)
    const mapping = quietMapping({ cloud, queue, handler, reportBatchItemFailures })
    await mapping.drained({ timeout: '10m' })
    const order =
      kind === 'fifo' ? done : done.toSorted((one, other) => Number(one) - Number(other))
    expect(order).toEqual(ids.map((_id, nth) => nth))
    expect(mapping.counts.failedInvocations > 0).toBe(!reportBatchItemFailures)
  },
)

const QUEUES = [['work'], ['work.fifo']] as const

/** A function and a mapping without the setting it claims: with ticks, since a process learns of it when it is invoked. */
async function runWithoutSetting(
  queue: string,
  options: Partial<RecordHandlerOptions>,
  handle: (payload: number, attempt: number) => unknown,
  reportBatchItemFailures = false,
) {
  const group = (name: string) => (queue.endsWith('.fifo') ? name : undefined)
  await using cloud = await startLocalCloud({ queues: { [queue]: { visibilityTimeout: 60 } } })
  const done: number[] = []
  const tried = new Map<number, number>()
  const logger = quietLogger()
  const handler = recordHandler(
    {
      name: 'work',
      store: memoryStore(),
      clients: { sqs: cloud.sqs },
      logger,
      timeoutMargin: '12s',
      ...options,
    },
    async (payload) => {
      const attempt = (tried.get(Number(payload)) ?? 0) + 1
      tried.set(Number(payload), attempt)
      await handle(Number(payload), attempt)
      done.push(Number(payload))
    },
  )
  await sendMany(cloud, queue, 9, group('g'))
  await using _mapping = quietMapping({
    cloud,
    queue,
    handler,
    reportBatchItemFailures,
    // A record without a wait of its own is known to be hidden until the function's end: so long its mapping can be found out. A busy
    // machine takes seconds to answer, and to ask.
    functionTimeout: 20_000,
  })
  const numbers = Array.from({ length: 9 }, (_, nth) => nth)
  for (let tick = 100; !numbers.every((each) => done.includes(each)); tick += 1) {
    // On a busy machine an invocation is killed at its time, perhaps twice, and its batch comes back after a minute.
    if (tick > 1_500)
      throw new Error(`lost: ${numbers.filter((each) => !done.includes(each)).join()}`)
    await send(cloud, queue, {
      MessageBody: String(tick),
      ...(group('ticks') && {
        MessageGroupId: 'ticks',
        MessageDeduplicationId: `tick-${tick}`,
      }),
    })
    await setTimeout(200)
  }
  return { done: done.filter((each) => each < 100), lines: wordsOf(logger.lines) }
}

const ALL = [0, 1, 2, 3, 4, 5, 6, 7, 8]
const DELETED = 'the event source mapping has deleted records that had to stay on the queue'
const wordsOf = (lines: readonly { readonly level: string; readonly message: string }[]) =>
  lines.filter(({ level }) => level === 'error').map(({ message }) => message.split(':')[0])
const upwards = (numbers: readonly number[]) => numbers.toSorted((one, other) => one - other)

describe.each(QUEUES)('on %s, by default, a mapping that does not read the answer', (queue) => {
  it('loses no record that failed and waits', async () => {
    const { done, lines } = await runWithoutSetting(
      queue,
      { retry: { transport: 'visibility', delay: '2s' } },
      (payload, attempt) => {
        if (payload % 3 === 1 && attempt < 2) throw new Error('not yet')
      },
    )
    expect(upwards(done)).toEqual(ALL)
    expect(lines).toEqual([DELETED])
  })

  it('loses no record that did not end in time', async () => {
    const { done, lines } = await runWithoutSetting(
      queue,
      { concurrency: 1 },
      async (payload, attempt) => {
        if (payload === 4 && attempt === 1) await new Promise(() => {})
      },
    )
    expect(upwards(done)).toEqual(ALL)
    expect(lines).toEqual([DELETED])
  })
})

it.each(QUEUES)(
  'on %s, by default, a mapping that reads the answer is not suspected',
  async (queue) => {
    const { done, lines } = await runWithoutSetting(
      queue,
      { retry: { transport: 'visibility', delay: '3s' } },
      (payload, attempt) => {
        if (payload % 3 === 1 && attempt < 2) throw new Error('not yet')
      },
      true,
    )
    expect(upwards(done)).toEqual(ALL)
    expect(lines).toEqual([])
  },
)

it('a message that SQS has brought twice at once, and that the other delivery ends, does not make its mapping suspect', async () => {
  await using cloud = await startLocalCloud({ queues: { work: { visibilityTimeout: 30 } } })
  const logger = quietLogger()
  const begun = Promise.withResolvers<void>()
  const ends = Promise.withResolvers<void>()
  const consumerOf = (work: () => HandlerResult) =>
    recordHandler({ name: 'work', store, clients: { sqs: cloud.sqs }, logger }, work)
  const store = memoryStore()
  const first = consumerOf(() => {
    begun.resolve()
    return ends.promise
  })
  const second = consumerOf(() => {})
  await send(cloud, 'work', { MessageBody: '1' })
  const records = await receive(cloud, 'work')
  const running = hand(cloud, 'work', records, first)
  await begun.promise
  await second({ Records: records }, lambdaContext())
  ends.resolve()
  expect(await running).toEqual({ kept: 0 })
  await setTimeout(150)
  await send(cloud, 'work', { MessageBody: '2' })
  await deliver(cloud, 'work', second)
  expect(wordsOf(logger.lines)).toEqual([])
})
