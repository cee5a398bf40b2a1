import type { SQSClient } from '@aws-sdk/client-sqs'
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda'
import { defineFlow, recordHandler, type Store, sweepHandler } from 'lineclear'
import type { FakeClock } from 'lineclear/testing'
import { z } from 'zod'
import { memoryQueueUrl } from '../../../src/testing/queues/description.ts'
import type { Settlement } from '../../../src/library/protocol/claim/settlement.ts'
import type { Outside } from './outside.ts'

const Request = z.object({ id: z.string() })

export const POLICIES = [
  { process: 'every', onConflict: 'defer' },
  { process: 'newest', onConflict: 'supersede' },
  { process: 'newest', onConflict: 'coalesce' },
] as const
export type Policy = (typeof POLICIES)[number]

/** What a function is built from. */
export interface Dependencies {
  readonly store: Store
  readonly sqs: SQSClient
  readonly clock: FakeClock
  readonly userTable: string
  readonly policy: Policy
  readonly outside: Outside
  readonly onSettled: (settlement: Settlement) => void
}

type Handler = (event: SQSEvent, context: Context) => Promise<SQSBatchResponse>

const silent = { debug(): void {}, info(): void {}, warn(): void {}, error(): void {} }
const RETRY = { maxAttempts: 3, delay: () => 4_000 }

/** The function of a queue, made anew as after a crash. */
export function functionOf(queue: string, dependencies: Dependencies): Handler {
  return queue === 'orders'
    ? orders(dependencies)
    : checkout(dependencies)[queue as 'validate' | 'charge']
}

export function sweeper({ store, sqs, clock }: Dependencies): () => Promise<unknown> {
  return sweepHandler({ store, clients: { sqs }, clock, logger: silent })
}

function orders({ store, sqs, clock, userTable, outside, onSettled }: Dependencies): Handler {
  const options = {
    name: 'orders',
    store,
    clients: { sqs },
    clock,
    onSettled,
    logger: silent,
    retry: RETRY,
  }
  return recordHandler({ ...options, schema: Request }, async (request, ctx) => {
    const stock = { TableName: userTable, Key: { id: 'stock' }, add: { reserved: 1 } }
    await ctx.write('reserve', stock)
    await ctx.call('charge', ({ idempotencyKey }) => outside.charge(idempotencyKey))
    outside.stumble(request.id)
    await ctx.send(memoryQueueUrl('shipping'), request)
  })
}

function checkout({ store, sqs, clock, userTable, policy, outside, onSettled }: Dependencies): {
  readonly validate: Handler
  readonly charge: Handler
} {
  const flow = defineFlow({
    name: 'checkout',
    store,
    clients: { sqs },
    clock,
    onSettled,
    ...policy,
    logger: silent,
    retry: RETRY,
    key: () => 'the cart',
    stages: {
      validate: { schema: Request, queueUrl: memoryQueueUrl('validate') },
      charge: { schema: Request, queueUrl: memoryQueueUrl('charge'), final: true },
    },
  })
  return {
    validate: flow.stageHandler('validate', async (request, ctx) => {
      const cart = { TableName: userTable, Key: { id: 'cart' }, set: { of: request.id } }
      await ctx.write('cart', cart)
      await ctx.next('charge', request)
    }),
    charge: flow.stageHandler('charge', async (request, ctx) => {
      await ctx.call('pay', ({ idempotencyKey }) => outside.charge(idempotencyKey))
      outside.stumble(request.id)
      const sale = { TableName: userTable, Key: { id: `sale ${request.id}` }, add: { sold: 1 } }
      await ctx.write('sale', sale)
    }),
  }
}
