import { SendMessageCommand } from '@aws-sdk/client-sqs'
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda'
import type { SqsHandler } from '../../../src/library/entries/consumer/recordHandler.ts'
import { idempotent, invocationHandler } from '../../../src/library/index.ts'
import { tableDefinition } from '../../../src/library/adapters/store/dynamodb/index.ts'
import { type Faults, type LocalCloud, startLocalCloud } from '../../../src/testing/local/index.ts'
import { openOvertime } from './overtime.ts'
import { randomOf } from './plan.ts'
import { type Played, playOut } from './playOut.ts'
import { readRows } from './readRows.ts'
import { storeOn } from './storeOn.ts'
import { silent } from './silent.ts'

interface Call {
  readonly id: string
  /** `idempotent`, without `ctx`: nothing but its lease keeps its runs apart. */
  readonly by: 'idempotent' | 'invocationHandler'
}

export interface CallsOptions {
  readonly requests: number
  readonly seed: number
  readonly concurrency?: number
  /** Of the functions, seconds. Default 2. */
  readonly timeout?: number
}

/** All but `requests`, `completed` and `ranOn` should be empty. */
export interface CallsBooks extends Played {
  readonly requests: number
  readonly completed: number
  readonly lost: readonly string[]
  /** Done more than once, or run twice at once. */
  readonly doubled: readonly string[]
}

/** Without deaths and lost answers: a function without `ctx` is done again then. */
const FAULTS: Faults = {
  duplicate: 0.2,
  duplicateLater: 0.05,
  throttle: 0.01,
  conflict: 0.01,
  transactionTime: 5,
  shuffle: true,
}

/** Functions under `idempotent` and `invocationHandler` that run on after their time, called again and again meanwhile. */
export async function runCalls({
  requests: count,
  seed,
  concurrency = 10,
  timeout = 2,
}: CallsOptions): Promise<CallsBooks> {
  const queue = { visibilityTimeout: 3 }
  await using cloud = await startLocalCloud(
    { queues: { calls: queue }, tables: { lineclear: tableDefinition(), effects: { hash: 'id' } } },
    { logger: silent },
  )
  const random = randomOf(seed)
  const calls = Array.from({ length: count }, (_, nth): Call => ({
    id: `c${seed}-${nth}`,
    by: random() < 0.5 ? 'idempotent' : 'invocationHandler',
  }))
  const overtime = openOvertime(seed, timeout)
  const ledger = openLedger()
  const played = await playOut({
    cloud,
    handlers: { calls: callerOn(cloud, ledger, () => overtime.pause()) },
    faults: FAULTS,
    seed,
    concurrency,
    timeout,
    overtime,
    requests: count,
    send: () => sendAll(cloud, calls),
  })
  const sums = new Map(
    (await readRows(cloud, 'effects')).map((row) => [row['id']?.S, Number(row['done']?.N ?? 0)]),
  )
  const times = ({ id, by }: Call): number =>
    by === 'idempotent' ? (ledger.done.get(id) ?? 0) : (sums.get(id) ?? 0)
  const named = (is: (call: Call) => boolean): readonly string[] =>
    calls.filter(is).map(({ id, by }) => `${by} ${id}`)
  return {
    ...played,
    requests: calls.length,
    completed: named((call) => times(call) === 1).length,
    lost: named((call) => times(call) === 0),
    doubled: named((call) => times(call) > 1 || ledger.beside.has(call.id)),
  }
}

interface Ledger {
  readonly done: Map<string, number>
  /** What has run twice at once. */
  readonly beside: Set<string>
  /** Runs `work`, and sees whether another run of `id` is under way. */
  run(id: string, work: () => Promise<void>): Promise<void>
}

function openLedger(): Ledger {
  const [done, beside, running] = [new Map<string, number>(), new Set<string>(), new Set<string>()]
  return {
    done,
    beside,
    async run(id, work) {
      if (running.has(id)) beside.add(id)
      running.add(id)
      try {
        await work()
        done.set(id, (done.get(id) ?? 0) + 1)
      } finally {
        running.delete(id)
      }
    },
  }
}

function callerOn(cloud: LocalCloud, ledger: Ledger, pause: () => Promise<void>): SqsHandler {
  const store = storeOn(cloud, silent)
  const functions = {
    idempotent: idempotent(
      { store, name: 'once', key: ({ id }: Call) => id, logger: silent },
      async ({ id }: Call, _context: unknown) => ledger.run(id, pause),
    ),
    invocationHandler: invocationHandler(
      {
        store,
        clients: { sqs: cloud.sqs },
        name: 'booking',
        key: ({ id }: Call) => id,
        logger: silent,
      },
      async ({ id }: Call, ctx) =>
        ledger.run(id, async () => {
          await pause()
          await ctx.write('book', { TableName: 'effects', Key: { id }, add: { done: 1 } })
        }),
    ),
  }
  return async ({ Records }: SQSEvent, context): Promise<SQSBatchResponse> => {
    const calls = Records.map(async ({ messageId, body }) => {
      const call: Call = JSON.parse(body)
      const lambda = { ...context, awsRequestId: `${context.awsRequestId}/${messageId}` }
      await functions[call.by](call, lambda)
    })
    const ends = await Promise.allSettled(calls)
    const failed = Records.filter((_, nth) => ends[nth]?.status === 'rejected')
    return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) }
  }
}

async function sendAll(cloud: LocalCloud, calls: readonly Call[]): Promise<void> {
  const QueueUrl = cloud.queueUrl('calls')
  for (const call of calls) {
    await cloud.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(call) }))
  }
}
