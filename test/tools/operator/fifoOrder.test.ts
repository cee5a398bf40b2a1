import { SQSClient } from '@aws-sdk/client-sqs'
import type { LocalCloud } from 'lineclear/local'
import { memoryStore } from 'lineclear/testing'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { discardDeadLetters } from '../../../src/tools/operator/dlq/discard.ts'
import { keepInTable, restoreDiscarded } from '../../../src/tools/operator/dlq/discarded.ts'
import { redriveDeadLetters } from '../../../src/tools/operator/dlq/redrive.ts'
import type { PlannedLetter } from '../../../src/tools/operator/dlq/bound.ts'
import { emptyAll, receive, send, startDlqCloud, text } from './dlqHarness.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startDlqCloud()
})
afterEach(() => emptyAll(cloud))
afterAll(() => cloud.stop())

let sends = 0
const unique = (): string => `d${(sends += 1)}`
const FIFO = { queue: 'dead.fifo', mode: 'apply' } as const

/** One message group of dead letters, numbered in their order. */
async function sendGroup(many: number): Promise<void> {
  for (let n = 1; n <= many; n++) {
    await send(cloud, 'dead.fifo', { n }, { groupId: 'a', deduplicationId: unique() })
  }
}

const redrive = (options: object = {}) =>
  redriveDeadLetters({ ...FIFO, sqs: cloud.sqs, to: 'orders.fifo', ...options })

/** The numbers on a queue, in the order in which it delivers them. */
async function numbersOn(queue: string): Promise<readonly number[]> {
  const records = await receive(cloud, queue)
  return records.map(({ body }) => (JSON.parse(body) as { n: number }).n)
}

describe('a redrive that ends early leaves a message group in its order', () => {
  it('by Ctrl-C, and goes on with the next one', async () => {
    await sendGroup(8)
    const interrupt = new AbortController()
    const onProgress = (looked: number) => {
      if (looked >= 4) interrupt.abort()
    }
    const { moved } = await redrive({ rate: 2, signal: interrupt.signal, onProgress })
    expect(moved).toBe(4)
    expect(await redrive()).toMatchObject({ moved: 4 })
    expect(await numbersOn('orders.fifo')).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  })

  it('none overtakes one that stays, also when they were received while a step was watched', async () => {
    await sendWatched()
    await sendGroup(8)
    const only = await plannedBut(1)
    const ramp = { store: memoryStore(), lookFor: 1_000 }
    const looked: number[] = []
    const report = await redrive({ only, ramp, onProgress: (each: number) => looked.push(each) })
    expect(looked.length).toBeGreaterThan(3)
    expect(report).toMatchObject({ moved: 1, stays: { notPlanned: 1, behind: 7 } })
    expect(await numbersOn('dead.fifo')).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  })
})

describe('a message group that was discarded is put back in its order', () => {
  it('also from rows in another order', async () => {
    const { discard, restore } = openTable()
    await sendGroup(8)
    expect(await discard()).toMatchObject({ archived: 8 })
    expect(await restore()).toMatchObject({ restored: 8, fifo: true })
    expect(await numbersOn('dead.fifo')).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  })

  it('none before one that its queue has refused', async () => {
    const { discard, restore } = openTable()
    await sendGroup(8)
    await discard()
    const sqs = refusingOnce('SendMessageBatchCommand', 3)
    expect(await restore({ sqs })).toMatchObject({ restored: 2, refused: 6 })
    expect(await restore()).toMatchObject({ restored: 6, refused: 0 })
    expect(await numbersOn('dead.fifo')).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  })
})

/** A dead letter whose request can be watched, and never ends. */
async function sendWatched(): Promise<void> {
  const carried = { format: 1, resendNumber: 0, hops: 0, attempts: 0, death: 0, consumer: 'orders' }
  const attributes = {
    uniquerequestid: text('watched'),
    lineclear: text(JSON.stringify({ ...carried, reason: 'rejected' })),
  }
  await send(cloud, 'dead.fifo', {}, { attributes, groupId: 'w', deduplicationId: unique() })
}

/** All dead letters but the nth. */
async function plannedBut(nth: number): Promise<readonly PlannedLetter[]> {
  const planned: PlannedLetter[] = []
  await redrive({ mode: 'plan', onPlanned: (each: PlannedLetter) => planned.push(each) })
  return planned.filter((_, at) => at !== nth)
}

/** A table whose partitions are in the order of ids, as DynamoDB's are, which is not that of the queue. */
function openTable() {
  const store = memoryStore()
  const reader = {
    partition: async (pk: string) =>
      store
        .items()
        .filter((item) => item['pk'] === pk)
        .toSorted((one, other) =>
          JSON.stringify(one['sk']) < JSON.stringify(other['sk']) ? -1 : 1,
        ),
  }
  const kept = { plan: '7f3a91c2', planned: 1_000 }
  const now = Date.now()
  const keep = keepInTable(store, kept, now + 86_400_000)
  return {
    discard: () => discardDeadLetters({ ...FIFO, keep, sqs: cloud.sqs }),
    restore: (options: object = {}) =>
      restoreDiscarded({ ...kept, ...FIFO, sqs: cloud.sqs, store, reader, now, ...options }),
  }
}

/** A client that fails the nth call of that name. */
function refusingOnce(name: string, nth: number): SQSClient {
  const sqs = cloud.instrument(
    new SQSClient({
      endpoint: cloud.endpoints.sqs ?? '',
      region: cloud.region,
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
      maxAttempts: 1,
    }),
  )
  let calls = 0
  sqs.middlewareStack.add(
    (next, { commandName }) =>
      async (call) => {
        if (commandName === name && (calls += 1) === nth) throw new Error('no')
        return next(call)
      },
    { step: 'initialize' },
  )
  return sqs
}
