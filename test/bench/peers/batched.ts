import {
  BatchExecuteStatementCommand,
  type BatchStatementRequest,
  DynamoDBClient,
} from '@aws-sdk/client-dynamodb'
import type { Peer } from './peer.ts'

const CLAIM = `INSERT INTO "raw" VALUE {'pk':?,'status':?,'owner':?,'leaseUntil':?}`
const COMPLETE = `UPDATE "raw" SET "status"=? SET "ttl"=? REMOVE "leaseUntil" WHERE "pk"=? AND "owner"=?`
const MOST = 25
const DAY_S = 86_400

/**
 * What no consumer can undercut that claims before it runs, ends after it, and calls DynamoDB by the SDK: statements in batches, the
 * handler, and nothing else. It runs no record again, reads no refusal, and loses what fails.
 */
export const batched: Peer = ({ client: dynamodb = new DynamoDBClient(), work }) => {
  const send = async (statements: readonly BatchStatementRequest[]): Promise<void> => {
    const calls = []
    for (let from = 0; from < statements.length; from += MOST) {
      const Statements = statements.slice(from, from + MOST)
      calls.push(dynamodb.send(new BatchExecuteStatementCommand({ Statements })))
    }
    await Promise.all(calls)
  }

  return async ({ Records }, context) => {
    const owner = { S: context.awsRequestId }
    const until = { N: String(Date.now() + context.getRemainingTimeInMillis()) }
    await send(
      Records.map(({ messageId }) => ({
        Statement: CLAIM,
        Parameters: [{ S: messageId }, { S: 'inProgress' }, owner, until],
      })),
    )
    await Promise.all(Records.map(async ({ body }) => work(JSON.parse(body))))
    const ttl = { N: String(Math.ceil(Date.now() / 1_000) + DAY_S) }
    await send(
      Records.map(({ messageId }) => ({
        Statement: COMPLETE,
        Parameters: [{ S: 'done' }, ttl, { S: messageId }, owner],
      })),
    )
    return { batchItemFailures: [] }
  }
}
