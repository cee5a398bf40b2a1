import { SendMessageCommand } from '@aws-sdk/client-sqs'
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda'
import type { SqsHandler } from '../../../../src/consumer/recordHandler.ts'
import type { InvocationContext } from '../../../../src/index.ts'
import { tableDefinition } from '../../../../src/store/dynamodb/index.ts'
import {
  type Faults,
  type LocalCloud,
  startLocalCloud,
} from '../../../../src/testing/local/index.ts'
import { type Played, playOut, silent } from '../playOut.ts'
import { readRows } from '../readRows.ts'
import type { RollOut } from './rollOut.ts'
import type { Version } from './version.ts'
import { storeOn } from '../storeOn.ts'

interface Call {
  readonly id: string
  readonly by: 'idempotent' | 'invocationHandler'
  /** With ctx: fails in its first attempt, after its effects. */
  readonly isFlaky: boolean
}

export interface CallsInTurn {
  readonly requests: number
  readonly seed: number
  readonly faults: Faults
  readonly rollOut: RollOut
}

/** `lost` and `doubled` should be empty. */
export interface CallsInTurnBooks extends Played {
  readonly requests: number
  readonly lost: readonly string[]
  /** Booked or paid more than once, or answered in two ways. */
  readonly doubled: readonly string[]
}

/** What reached the payment provider, and what callers got, by the id of the call. */
interface Ledger {
  readonly payments: Map<string, Set<string>>
  readonly answers: Map<string, Set<string>>
}

/** The keys of `idempotent` and `invocationHandler`, whose calls of one id go to two versions: claimed, continued and answered by both. */
export async function runCallsInTurn(options: CallsInTurn): Promise<CallsInTurnBooks> {
  const { requests: count, seed, faults, rollOut } = options
  await using cloud = await startLocalCloud(
    {
      queues: { calls: { visibilityTimeout: 3 } },
      tables: { lineclear: tableDefinition(), effects: { hash: 'id' } },
    },
    { logger: silent },
  )
  const calls = Array.from({ length: count }, (_, nth): Call => ({
    id: `c${seed}-${nth}`,
    by: nth % 2 === 0 ? 'idempotent' : 'invocationHandler',
    isFlaky: nth % 5 === 0,
  }))
  const ledger: Ledger = { payments: new Map(), answers: new Map() }
  const callers = rollOut.versions.map((version) => callerOn(cloud, version, ledger))
  const played = await playOut({
    cloud,
    handlers: { calls: rollOut.inTurn(callers) },
    faults,
    seed,
    versions: rollOut.versions,
    requests: count,
    send: () => sendAll(cloud, calls),
  })
  const rows = await readRows(cloud, 'effects')
  const booked = new Map(rows.map((row) => [row['id']?.S, Number(row['done']?.N ?? 0)]))
  const timesOf = ({ id, by }: Call): readonly number[] => [
    ...(by === 'idempotent' ? [] : [booked.get(id) ?? 0]),
    ledger.payments.get(id)?.size ?? 0,
    ledger.answers.get(id)?.size ?? 0,
  ]
  const named = (is: (times: number) => boolean): readonly string[] =>
    calls.filter((call) => timesOf(call).some(is)).map(({ id, by }) => `${by} ${id}`)
  const [lost, doubled] = [named((times) => times === 0), named((times) => times > 1)]
  return { ...played, requests: count, lost, doubled }
}

function callerOn(cloud: LocalCloud, version: Version, ledger: Ledger): SqsHandler {
  const store = storeOn(cloud, silent, version)
  const common = { store, logger: silent, waitForOther: 0 }
  const work = async ({ id, isFlaky }: Call, ctx: InvocationContext): Promise<string> => {
    await ctx.write('book', { TableName: 'effects', Key: { id }, add: { done: 1 } })
    const receipt = await ctx.call('pay', ({ idempotencyKey }) => {
      noted(ledger.payments, id, idempotencyKey)
      return `receipt ${idempotencyKey}`
    })
    if (isFlaky && ctx.attempt === 1) throw new Error('not now')
    return receipt
  }
  const key = ({ id }: Call): string => id
  const functions = {
    // Without ctx: the provider knows its call by a key that each attempt makes again.
    idempotent: version.idempotent({ ...common, name: 'pay', key }, async ({ id }: Call) => {
      noted(ledger.payments, id, id)
      return `receipt ${id}`
    }),
    invocationHandler: version.invocationHandler(
      { ...common, clients: { sqs: cloud.sqs }, name: 'booking', key },
      work,
    ),
  }
  return async ({ Records }: SQSEvent, context): Promise<SQSBatchResponse> => {
    const ends = await Promise.allSettled(
      Records.map(async ({ messageId, body }) => {
        const call: Call = JSON.parse(body)
        const lambda = { ...context, awsRequestId: `${context.awsRequestId}/${messageId}` }
        noted(ledger.answers, call.id, await functions[call.by](call, lambda))
      }),
    )
    const failed = Records.filter((_, nth) => ends[nth]?.status === 'rejected')
    return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) }
  }
}

function noted(ledger: Map<string, Set<string>>, id: string, what: string): void {
  ledger.set(id, (ledger.get(id) ?? new Set()).add(what))
}

async function sendAll(cloud: LocalCloud, calls: readonly Call[]): Promise<void> {
  const QueueUrl = cloud.queueUrl('calls')
  for (const call of calls)
    await cloud.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(call) }))
}
