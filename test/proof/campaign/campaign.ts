import { PublishCommand } from '@aws-sdk/client-sns'
import { SendMessageCommand } from '@aws-sdk/client-sqs'
import type { SQSEvent } from 'aws-lambda'
import { type Faults, type LocalCloud, startLocalCloud } from '../../../src/testing/local/index.ts'
import type { Logger } from '../../../src/library/base/logger.ts'
import type { Metrics } from '../../../src/library/features/metrics/metrics.ts'
import type { SqsHandler } from '../../../src/library/entries/consumer/recordHandler.ts'
import { tableDefinition } from '../../../src/library/adapters/store/dynamodb/index.ts'
import { systemClock } from '../../../src/library/base/clock.ts'
import { audit } from './audit.ts'
import { sweeperOn } from './sweeper.ts'
import { type Booking, type BookingPlace, type Payments } from './booking.ts'
import { NO_PAUSE, openOvertime } from './overtime.ts'
import { planRequests, type Policy, type Request } from './plan.ts'
import { EVERY_FAULT } from './faults.ts'
import { type Played, playOut } from './playOut.ts'
import { readRows, type Row } from './readRows.ts'
import { type Books, EFFECTS, reconcile, type Reconciliation } from './reconcile.ts'
import type { RollOut } from './versions/rollOut.ts'
import { PRESENT } from './versions/version.ts'
import { silent } from './silent.ts'

export interface CampaignOptions {
  readonly requests: number
  readonly seed: number
  readonly policy: Policy
  readonly faults?: Faults
  readonly concurrency?: number
  /** How far the clocks of the functions are ahead, milliseconds: each invocation has the next one. Default: none is. */
  readonly clocks?: readonly number[]
  /** One copy of each request. */
  readonly calm?: boolean
  readonly logger?: Logger
  readonly metrics?: Metrics
  /** Of the functions, seconds. Default 2. */
  readonly timeout?: number
  /** Records of one invocation at most. Default 10. */
  readonly batchSize?: number
  /** Attempts run on after their time. */
  readonly runningOn?: boolean
  /** The mappings lack ReportBatchItemFailures, and the flow says so. */
  readonly wholeBatches?: boolean
  /** Two versions in turn. Default: the present one. */
  readonly rollOut?: RollOut
}

export interface Campaign extends Reconciliation, Played {
  /** Records by how they ended. */
  readonly settled: Readonly<Record<string, number>>
}

const QUEUE = { visibilityTimeout: 12, deadLetter: { queue: 'dead', maxReceiveCount: 1_000 } }

/** Runs flows of three Lambdas with an outside answer, all requests at once; then compares the books with the plan. */
export async function runCampaign(options: CampaignOptions): Promise<Campaign> {
  const { requests: count, seed, policy, faults = EVERY_FAULT, logger = silent } = options
  const {
    concurrency = 4,
    clocks = [0],
    timeout = 2,
    runningOn = false,
    wholeBatches = false,
  } = options
  const overtime = runningOn ? openOvertime(seed, timeout) : undefined
  await using cloud = await startLocalCloud(
    {
      queues: {
        reserve: QUEUE,
        quotes: QUEUE,
        charge: QUEUE,
        questions: QUEUE,
        failures: QUEUE,
        dead: {},
      },
      topics: { requests: { subscriptions: [{ queue: 'reserve' }] } },
      tables: {
        lineclear: tableDefinition(),
        effects: { hash: 'id' },
        objects: { hash: 'id' },
      },
    },
    { logger: silent },
  )
  const requests = planRequests(count, seed, Date.now(), options.calm)
  const payments: Payments = { charges: new Map() }
  const settled: Record<string, number> = {}
  const place: BookingPlace = {
    cloud,
    policy,
    payments,
    logger,
    onSettled: ({ kind }) => {
      settled[kind] = (settled[kind] ?? 0) + 1
    },
    metrics: options.metrics,
    pause: overtime?.pause ?? NO_PAUSE,
    wholeBatches,
  }
  const { versions, inTurn: oneOf } = options.rollOut ?? { versions: [PRESENT], inTurn }
  const flows = versions.flatMap((version) =>
    clocks.map((ahead) => version.bookingOn(place, ahead)),
  )
  const failures = flows.flatMap((flow) => flow.failures ?? [])
  const played = await playOut({
    cloud,
    faults,
    seed,
    concurrency,
    timeout,
    overtime,
    batchSize: options.batchSize,
    wholeBatches,
    requests: count,
    handlers: {
      reserve: oneOf(flows.map(({ reserve }) => reserve)),
      quotes: oneOf(flows.map(({ quoted }) => quoted)),
      charge: oneOf(flows.map(({ charge }) => charge)),
      questions: answering(cloud),
      ...(failures.length > 0 && { failures: oneOf(failures) }),
    },
    between: failures.length > 0 ? [() => tellAll(cloud)] : [],
    versions,
    send: () => send(cloud, flows, requests),
  })
  const books = await readBooks(cloud, payments)
  const reconciled = reconcile(requests, policy, books)
  const audited = await audit(cloud, EFFECTS, { flow: 'booking', expect: EFFECTS.length })
  const lost = [...audited.lost, ...reconciled.lost]
  const doubled = [...audited.doubled, ...reconciled.doubled]
  return { ...reconciled, lost, doubled, ...played, settled }
}

/** The sweeper sends what is told of the runs that were superseded, once the leases of all their attempts are over. */
async function tellAll(cloud: LocalCloud): Promise<void> {
  const clock = { ...systemClock, now: () => systemClock.now() + 2 * 3_600_000 }
  await sweeperOn(cloud, { clock })()
}

function inTurn(handlers: readonly SqsHandler[]): SqsHandler {
  let turn = 0
  return (event, context) => {
    const handler = handlers[(turn += 1) % handlers.length]
    if (handler === undefined) throw new Error('no handler')
    return handler(event, context)
  }
}

/** The outside system: asked twice, it answers twice. */
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
  flows: readonly Booking[],
  requests: readonly Request[],
): Promise<void> {
  const messages = requests.flatMap((request) =>
    Array.from({ length: request.copies }, () => request),
  )
  for (let from = 0; from < messages.length; from += AT_ONCE) {
    const some = messages.slice(from, from + AT_ONCE)
    await Promise.all(
      some.map(async (each, nth) => {
        if (each.by === 'sqs') await flows[nth % flows.length]?.start(each)
        else await publish(cloud, each)
      }),
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
        lineclear: { DataType: 'String', StringValue: JSON.stringify({ format: 1, sentAt }) },
      },
    }),
  )
}

async function readBooks(cloud: LocalCloud, payments: Payments): Promise<Books> {
  const [effects, objects, records] = await Promise.all(
    ['effects', 'objects', 'lineclear'].map((table) => readRows(cloud, table)),
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
    deadRuns: (records ?? []).filter((row) => row['sk']?.S?.startsWith('dead#') === true),
    dead: cloud.inspectQueue('dead').ready.length,
    charges: payments.charges.size,
  }
}

function countsOf(row: Row): Readonly<Record<string, number>> {
  return Object.fromEntries([...EFFECTS, 'told'].map((name) => [name, Number(row[name]?.N ?? 0)]))
}
