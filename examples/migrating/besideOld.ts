import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import { type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb'
import { recordHandler, type RecordHandlerOptions } from 'lineclear'
import { z } from 'zod'

const Order = z.object({ orderId: z.string(), cents: z.int() })

/** What differs between Lambda and a test. */
type Given = Pick<RecordHandlerOptions, 'store' | 'clients' | 'logger' | 'queueUrl'>

/**
 * Takes over a queue from a consumer that puts each order into `processed_events` before it charges, and says there when it has
 * charged. Both may read the queue: an order is charged by the one that has put it there.
 */
export function ordersBesideOld(
  given: Given,
  tables: DynamoDBDocumentClient,
  charge: (orderId: string, idempotencyKey: string) => Promise<void>,
) {
  return recordHandler(
    {
      ...given,
      name: 'orders',
      schema: Order,
      id: ({ orderId }) => orderId,
      alreadyDone: async ({ orderId: id }) => {
        try {
          await tables.send(
            new PutCommand({
              TableName: 'processed_events',
              Item: { id, by: 'lineclear' },
              // Ours and not charged: an attempt here has put it there, and ended before its claim.
              ConditionExpression:
                'attribute_not_exists(id) OR (#by = :us AND attribute_not_exists(#state))',
              ExpressionAttributeNames: { '#by': 'by', '#state': 'state' },
              ExpressionAttributeValues: { ':us': 'lineclear' },
              ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
            }),
          )
          return 'new'
        } catch (error) {
          if (!(error instanceof ConditionalCheckFailedException)) throw error
          return error.Item?.['state']?.S === 'charged' ? 'done' : 'running'
        }
      },
    },
    async ({ orderId }, ctx) => {
      await ctx.call('charge', ({ idempotencyKey }) => charge(orderId, idempotencyKey))
      // For the old one, as long as it reads the queue, too.
      const set = { state: 'charged' }
      await ctx.write('charged', { TableName: 'processed_events', Key: { id: orderId }, set })
    },
  )
}
