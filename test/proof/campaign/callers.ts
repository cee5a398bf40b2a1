import type { SQSBatchResponse, SQSEvent } from 'aws-lambda'
import type { SqsHandler } from '../../../src/library/entries/consumer/recordHandler.ts'
import {
  idempotent,
  type InvocationContext,
  invocationHandler,
} from '../../../src/library/index.ts'
import type { LocalCloud } from '../../../src/testing/local/index.ts'
import { silent } from './silent.ts'
import { storeOn } from './storeOn.ts'

export interface Call {
  readonly id: string
  readonly by: 'idempotent' | 'invocationHandler'
  /** With ctx: fails in its first attempt, after its effects. */
  readonly isFlaky: boolean
}

/** What reached the payment provider, and what callers got, by the id of the call. */
export interface Ledger {
  readonly payments: Map<string, Set<string>>
  readonly answers: Map<string, Set<string>>
}

/** The keys of `idempotent` and `invocationHandler`: each record is a call. */
export function callerOn(cloud: LocalCloud, ledger: Ledger): SqsHandler {
  const store = storeOn(cloud, silent)
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
    idempotent: idempotent({ ...common, name: 'pay', key }, async ({ id }: Call) => {
      noted(ledger.payments, id, id)
      return `receipt ${id}`
    }),
    invocationHandler: invocationHandler(
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
