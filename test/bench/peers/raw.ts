import { DynamoDBClient, PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb'
import type { Context, SQSRecord } from 'aws-lambda'
import type { Peer } from './peer.ts'

const TableName = 'raw'
const DAY_S = 86_400

/** What people write by hand: claim by a conditional PutItem, work, complete by UpdateItem; all records side by side. */
export const raw: Peer = ({ client: dynamodb = new DynamoDBClient(), work }) => {
  const claim = async (
    { messageId }: SQSRecord,
    owner: string,
    until: number,
  ): Promise<boolean> => {
    try {
      await dynamodb.send(
        new PutItemCommand({
          TableName,
          Item: {
            pk: { S: messageId },
            status: { S: 'inProgress' },
            owner: { S: owner },
            leaseUntil: { N: String(until) },
          },
          ConditionExpression:
            'attribute_not_exists(pk) OR (#status = :running AND leaseUntil < :now)',
          ExpressionAttributeNames: { '#status': 'status' },
          ExpressionAttributeValues: {
            ':running': { S: 'inProgress' },
            ':now': { N: String(Date.now()) },
          },
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        }),
      )
      return true
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'ConditionalCheckFailedException') throw error
      return false
    }
  }

  const complete = async ({ messageId }: SQSRecord, owner: string): Promise<void> => {
    await dynamodb.send(
      new UpdateItemCommand({
        TableName,
        Key: { pk: { S: messageId } },
        UpdateExpression: 'SET #status = :done, #ttl = :ttl REMOVE leaseUntil',
        ConditionExpression: '#owner = :me',
        ExpressionAttributeNames: { '#status': 'status', '#ttl': 'ttl', '#owner': 'owner' },
        ExpressionAttributeValues: {
          ':done': { S: 'done' },
          ':ttl': { N: String(Math.ceil(Date.now() / 1_000) + DAY_S) },
          ':me': { S: owner },
        },
      }),
    )
  }

  const run = async (record: SQSRecord, context: Context): Promise<void> => {
    const until = Date.now() + context.getRemainingTimeInMillis()
    if (!(await claim(record, context.awsRequestId, until))) return
    await work(JSON.parse(record.body))
    await complete(record, context.awsRequestId)
  }

  return async ({ Records }, context) => {
    const ends = await Promise.allSettled(Records.map((record) => run(record, context)))
    const failed = Records.filter((_, nth) => ends[nth]?.status === 'rejected')
    return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) }
  }
}
