import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import { type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb'
import { recordHandler, type RecordHandlerOptions } from 'lineclear'
import { z } from 'zod'
import { powertoolsId } from './powertoolsId.ts'

const Order = z.object({ orderId: z.string(), cents: z.int() })
const DAY = 24 * 60 * 60_000

/** What differs between Lambda and a test. */
type Given = Pick<RecordHandlerOptions, 'store' | 'clients' | 'logger' | 'queueUrl'>

/**
 * Takes over a queue from `makeIdempotent` with the key `powertools_json(body).orderId`. Both may read the queue: an order that begins
 * here is locked in the table of Powertools, and for longer than a message lives.
 * @param keyPrefix that of `makeIdempotent`. Default there: the name of the function, and of what it wraps
 */
export function ordersBesidePowertools(
  given: Given,
  tables: DynamoDBDocumentClient,
  charge: (orderId: string, idempotencyKey: string) => Promise<void>,
  keyPrefix = 'orders',
  lockFor = 60 * DAY,
) {
  const TableName = 'idempotency'
  const idOf = (orderId: string): string => powertoolsId(keyPrefix, orderId)
  return recordHandler(
    {
      ...given,
      name: 'orders',
      schema: Order,
      id: ({ orderId }) => orderId,
      alreadyDone: async ({ orderId }) => {
        const until = Date.now() + lockFor
        const lock = {
          status: 'INPROGRESS',
          in_progress_expiration: until,
          expiration: Math.ceil(until / 1_000),
        }
        try {
          await tables.send(
            new PutCommand({
              TableName,
              Item: { id: idOf(orderId), by: 'lineclear', ...lock },
              // What Powertools has forgotten, too. Ours and begun: an attempt here has put it there, and ended before its claim.
              ConditionExpression:
                'attribute_not_exists(id) OR #expiration < :now OR (#by = :us AND #status = :begun)',
              ExpressionAttributeNames: {
                '#expiration': 'expiration',
                '#by': 'by',
                '#status': 'status',
              },
              ExpressionAttributeValues: {
                ':now': Date.now() / 1_000,
                ':us': 'lineclear',
                ':begun': 'INPROGRESS',
              },
              ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
            }),
          )
          return 'new'
        } catch (error) {
          if (!(error instanceof ConditionalCheckFailedException)) throw error
          // Begun there, also when its lock has ended: whether it charged is not known. Powertools tries again.
          return error.Item?.['status']?.S === 'COMPLETED' ? 'done' : 'running'
        }
      },
    },
    async ({ orderId }, ctx) => {
      await ctx.call('charge', ({ idempotencyKey }) => charge(orderId, idempotencyKey))
      const set = { status: 'COMPLETED' }
      await ctx.write('completed', { TableName, Key: { id: idOf(orderId) }, set })
    },
  )
}
