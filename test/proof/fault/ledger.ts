import { ScanCommand } from '@aws-sdk/client-dynamodb'
import { recordHandler, type Settlement, type SqsHandler, snsTopic } from 'lineclear'
import { dynamoDbStore, tableDefinition } from 'lineclear/dynamodb'
import { type LocalCloud, startLocalCloud } from 'lineclear/local'
import { z } from 'zod'
import { quietLogger } from '../../deliver/quietLogger.ts'

export const Booking = z.object({ id: z.string(), amount: z.number() })

export function startLedger(): Promise<LocalCloud> {
  return startLocalCloud(
    {
      queues: {
        bookings: { visibilityTimeout: 3, deadLetter: { queue: 'dead', maxReceiveCount: 100 } },
        dead: {},
        receipts: { visibilityTimeout: 3, deadLetter: { queue: 'dead', maxReceiveCount: 100 } },
      },
      topics: { bookings: { subscriptions: [{ queue: 'bookings' }] } },
      tables: { lineclear: tableDefinition(), sums: { hash: 'id' }, taken: { hash: 'id' } },
    },
    { logger: quietLogger() },
  )
}

export interface Books {
  readonly book: SqsHandler
  readonly take: SqsHandler
  readonly settled: Settlement['kind'][]
  /** Calls to the outside service, by idempotency key. */
  readonly charges: Map<string, number>
}

/** A booking with each kind of effect: two counted writes, an outside call, a message to a second consumer. */
export function openBooks(cloud: LocalCloud): Books {
  const store = dynamoDbStore({ tableName: 'lineclear', client: cloud.dynamodb })
  const settled: Settlement['kind'][] = []
  const charges = new Map<string, number>()
  const shared = {
    store,
    clients: { sqs: cloud.sqs, sns: cloud.sns },
    envelopes: [snsTopic('any')],
    logger: quietLogger(),
    retry: { maxAttempts: 20, delay: { base: '1s', max: '2s' } },
    onSettled: ({ kind }: Settlement) => settled.push(kind),
  } as const
  const book = recordHandler(
    {
      ...shared,
      name: 'bookings',
      queueUrl: cloud.queueUrl('bookings'),
      schema: Booking,
      id: ({ id }) => id,
    },
    async ({ id, amount }, ctx) => {
      await ctx.write('debit', {
        TableName: 'sums',
        Key: { id: `debit ${id}` },
        add: { amount },
      })
      await ctx.call('charge', ({ idempotencyKey }) => {
        charges.set(idempotencyKey, (charges.get(idempotencyKey) ?? 0) + 1)
      })
      await ctx.write('credit', {
        TableName: 'sums',
        Key: { id: `credit ${id}` },
        add: { amount },
      })
      await ctx.send(cloud.queueUrl('receipts'), { id, amount })
    },
  )
  const take = recordHandler(
    { ...shared, name: 'receipts', queueUrl: cloud.queueUrl('receipts'), schema: Booking },
    async ({ id }, ctx) => {
      await ctx.write('take', { TableName: 'taken', Key: { id }, add: { times: 1 } })
    },
  )
  return { book, take, settled, charges }
}

export async function valuesOf(
  cloud: LocalCloud,
  table: string,
  field: string,
): Promise<Record<string, number>> {
  const { Items = [] } = await cloud.dynamodb.send(
    new ScanCommand({ TableName: table, ConsistentRead: true }),
  )
  return Object.fromEntries(Items.map((item) => [item['id']?.S ?? '', Number(item[field]?.N)]))
}

/** What must stand in the tables when every booking happened once. */
export function expectedSums(bookings: readonly z.infer<typeof Booking>[]): Record<string, number> {
  return Object.fromEntries(
    bookings.flatMap(({ id, amount }) => [
      [`debit ${id}`, amount],
      [`credit ${id}`, amount],
    ]),
  )
}
