import { ScanCommand } from '@aws-sdk/client-dynamodb'
import { PublishCommand } from '@aws-sdk/client-sns'
import { SendMessageCommand } from '@aws-sdk/client-sqs'
import type { SQSEvent } from 'aws-lambda'
import { systemClock } from '../../src/clock.ts'
import { type Faults, type LocalCloud, mapQueue, startLocalCloud } from '../../src/local/index.ts'
import type { Logger } from '../../src/logger.ts'
import { tableDefinition } from '../../src/store/dynamodb/index.ts'
import { sweepHandler } from '../../src/operator/index.ts'
import { dynamoDbStore } from '../../src/store/dynamodb/index.ts'
import { bookingOn, type Payments } from './booking.ts'
import { delivered } from './delivered.ts'
import { planRequests, type Policy, type Request } from './plan.ts'
import { type Books, reconcile, type Reconciliation } from './reconcile.ts'

export interface CampaignOptions {
  readonly requests: number
  readonly seed: number
  readonly policy: Policy
  readonly faults?: Faults
  readonly logger?: Logger
}

export interface Campaign extends Reconciliation {
  readonly deliveries: number
  /** Messages that were delivered, and were sent once more when all was over. */
  readonly again: number
  /** What the sweeper had to do two days later; to take a step off the index that a superseded run had waited for is nothing. */
  readonly swept: number
  readonly seconds: number
  /** Faults that struck. */
  readonly faults: Readonly<Record<string, number>>
  /** Records by how they ended. */
  readonly settled: Readonly<Record<string, number>>
}

/** Everything at once. */
export const EVERY_FAULT: Faults = {
  duplicate: 0.08,
  duplicateLater: 0.04,
  kill: 0.004,
  loseAnswer: 0.012,
  throttle: 0.012,
  shuffle: true,
}

const silent: Logger = { debug() {}, info() {}, warn() {}, error() {} }
const QUEUE = { visibilityTimeout: 12, deadLetter: { queue: 'dead', maxReceiveCount: 1_000 } }

/** Flows of three Lambdas with an outside answer, as many at a time as there are requests; then the books are held against the plan. */
export async function runCampaign(options: CampaignOptions): Promise<Campaign> {
  const { requests: count, seed, policy, faults = EVERY_FAULT, logger = silent } = options
  const began = Date.now()
  await using cloud = await startLocalCloud(
    {
      queues: { reserve: QUEUE, quotes: QUEUE, charge: QUEUE, questions: QUEUE, dead: {} },
      topics: { requests: { subscriptions: [{ queue: 'reserve' }] } },
      tables: {
        lineclear: tableDefinition(),
        effects: { hash: 'id' },
        objects: { hash: 'id' },
      },
    },
    { logger: silent },
  )
  const requests = planRequests(count, seed, began)
  const payments: Payments = { charges: new Map() }
  const settled: Record<string, number> = {}
  const flow = bookingOn(cloud, policy, payments, logger, (settlement) => {
    const name = 'because' in settlement ? settlement.because : settlement.kind
    settled[name] = (settled[name] ?? 0) + 1
  })
  const messages = delivered()
  const map = (queue: string, handler: (typeof flow)['reserve'], nth: number) =>
    mapQueue({
      cloud,
      queue,
      handler: messages.keep(queue, handler),
      concurrency: 4,
      functionTimeout: '2s',
      faults: { ...faults, seed: seed * 10 + nth },
      logger: silent,
    })
  const mappings = [
    map('reserve', flow.reserve, 1),
    map('quotes', flow.quoted, 2),
    map('charge', flow.charge, 3),
    map('questions', answering(cloud), 4),
  ]
  await send(cloud, flow, requests)
  await quiet(cloud, mappings, 240_000 + count * 400)
  const again = await messages.again(cloud)
  await quiet(cloud, mappings, 240_000 + count * 400)
  await Promise.all(mappings.map((mapping) => mapping.stop()))
  const swept = await sweepTwice(cloud)
  const books = await readBooks(cloud, payments)
  return {
    ...reconcile(requests, policy, books),
    deliveries: sum(mappings, ({ counts }) => counts.deliveries),
    again,
    swept,
    seconds: (Date.now() - began) / 1_000,
    faults: {
      duplicates: sum(mappings, ({ counts }) => counts.duplicates),
      kills: sum(mappings, ({ counts }) => counts.kills),
      lostAnswers: sum(mappings, ({ counts }) => counts.lostAnswers),
      throttles: sum(mappings, ({ counts }) => counts.throttles),
      timeouts: sum(mappings, ({ counts }) => counts.timeouts),
    },
    settled,
  }
}

const TWO_DAYS_MS = 2 * 86_400_000

/** By then whatever is left over is overdue; the second time there is nothing left at all. */
async function sweepTwice(cloud: LocalCloud): Promise<number> {
  const sweep = sweepHandler({
    store: dynamoDbStore({ tableName: 'lineclear', client: cloud.dynamodb, logger: silent }),
    sqs: cloud.sqs,
    logger: silent,
    clock: { ...systemClock, now: () => systemClock.now() + TWO_DAYS_MS },
  })
  const [first, second] = [await sweep(), await sweep()]
  return first.looked - first.unlisted + second.looked
}

function sum<T>(list: readonly T[], of: (each: T) => number): number {
  return list.reduce((total, each) => total + of(each), 0)
}

/** The outside system: it knows nothing of us, and asked twice it answers twice. */
function answering(cloud: LocalCloud) {
  return async ({ Records }: SQSEvent): Promise<{ batchItemFailures: [] }> => {
    for (const { body } of Records) {
      const { quoteId }: { quoteId: string } = JSON.parse(body)
      const answer = JSON.stringify({ quoteId, price: 10 })
      const QueueUrl = cloud.queueUrl('quotes')
      await cloud.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: answer }))
    }
    return { batchItemFailures: [] }
  }
}

const AT_ONCE = 20

async function send(
  cloud: LocalCloud,
  flow: ReturnType<typeof bookingOn>,
  requests: readonly Request[],
): Promise<void> {
  const letters = requests.flatMap((request) =>
    Array.from({ length: request.copies }, () => request),
  )
  for (let from = 0; from < letters.length; from += AT_ONCE) {
    const some = letters.slice(from, from + AT_ONCE)
    await Promise.all(
      some.map((each) => (each.by === 'sqs' ? flow.start(each) : publish(cloud, each))),
    )
  }
}

async function publish(cloud: LocalCloud, { uid, key, sentAt }: Request): Promise<void> {
  await cloud.sns.send(
    new PublishCommand({
      TopicArn: cloud.topicArn('requests'),
      Message: JSON.stringify({ key }),
      MessageAttributes: {
        uniquerequestid: { DataType: 'String', StringValue: uid },
        lineclear: { DataType: 'String', StringValue: JSON.stringify({ sentAt }) },
      },
    }),
  )
}

const QUIET_MS = 1_500

/** Until nothing has been in any queue for a while: each stage feeds another one. */
async function quiet(
  cloud: LocalCloud,
  mappings: readonly { drained(options: { timeout: number }): Promise<void> }[],
  timeout: number,
): Promise<void> {
  const until = Date.now() + timeout
  for (let since = Date.now(); Date.now() - since < QUIET_MS;) {
    await systemClock.sleep(50)
    const busy = ['reserve', 'quotes', 'charge', 'questions'].some((queue) => {
      const { ready, delayed, inFlight } = cloud.inspectQueue(queue)
      return ready.length + delayed.length + inFlight.length > 0
    })
    if (busy) since = Date.now()
    if (Date.now() > until) break
  }
  await Promise.all(mappings.map((mapping) => mapping.drained({ timeout: 5_000 })))
}

type Row = Readonly<Record<string, { S?: string; N?: string } | undefined>>

async function readBooks(cloud: LocalCloud, payments: Payments): Promise<Books> {
  const [effects, objects, records] = await Promise.all(
    ['effects', 'objects', 'lineclear'].map((table) => scan(cloud, table)),
  )
  return {
    effects: new Map((effects ?? []).map((row) => [row['id']?.S ?? '', countsOf(row)] as const)),
    objects: new Map(
      (objects ?? []).map(
        (row) =>
          [row['id']?.S ?? '', { by: row['by']?.S ?? '', step: row['step']?.S ?? '' }] as const,
      ),
    ),
    held: (records ?? []).filter((row) => row['sk']?.S === 'stage' && row['uniquerequestid']),
    parked: (records ?? []).filter((row) => row['sk']?.S?.startsWith('dead#') === true),
    dead: cloud.inspectQueue('dead').ready.length,
    charges: payments.charges.size,
  }
}

function countsOf(row: Row): Readonly<Record<string, number>> {
  return Object.fromEntries(
    ['reserved', 'quoted', 'charged'].map((name) => [name, Number(row[name]?.N ?? 0)]),
  )
}

async function scan(cloud: LocalCloud, table: string): Promise<readonly Row[]> {
  const rows: Row[] = []
  let from: Record<string, never> | undefined
  do {
    const input = {
      TableName: table,
      ConsistentRead: true,
      ...(from && { ExclusiveStartKey: from }),
    }
    const page = await cloud.dynamodb.send(new ScanCommand(input))
    rows.push(...((page.Items ?? []) as unknown as Row[]))
    from = page.LastEvaluatedKey as Record<string, never> | undefined
  } while (from !== undefined)
  return rows
}
