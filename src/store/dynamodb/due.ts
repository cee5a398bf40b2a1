import { QueryCommand } from '@aws-sdk/client-dynamodb'
import type { DueOutcome, DueQuery } from '../store.ts'
import type { AttributeMap } from '../wire/attributes.ts'
import { failureOf } from './failure.ts'
import type { Table } from './table.ts'
import { kindOfError } from './errorKind.ts'

/** Needs the permission `dynamodb:Query` on the index. */
export async function readDue(
  table: Table,
  { statusShard, from = 0, until, most, after }: DueQuery,
): Promise<DueOutcome> {
  try {
    const { Items = [], LastEvaluatedKey } = await table.client().send(
      new QueryCommand({
        TableName: table.name,
        IndexName: 'byStatus',
        KeyConditionExpression: 'statusShard = :shard AND dueAt BETWEEN :from AND :until',
        ExpressionAttributeValues: {
          ':shard': { S: statusShard },
          ':from': { N: String(from) },
          ':until': { N: String(until) },
        },
        ProjectionExpression: 'pk, sk, dueAt',
        Limit: most,
        ...(after === undefined ? {} : { ExclusiveStartKey: readPlace(after, statusShard) }),
      }),
    )
    const keys = Items.map(({ pk, sk, dueAt }) => ({
      pk: pk?.S ?? '',
      sk: sk?.S ?? '',
      dueAt: Number(dueAt?.N ?? 0),
    }))
    const next = LastEvaluatedKey && writePlace(LastEvaluatedKey)
    return { kind: 'found', keys, next }
  } catch (error) {
    return { kind: 'failed', error: failureOf(table.name, kindOfError(error), error) }
  }
}

/** The position of an item in the index, as one text. */
function writePlace({ pk, sk, dueAt }: AttributeMap): string {
  return [dueAt?.N ?? '', encodeURIComponent(pk?.S ?? ''), encodeURIComponent(sk?.S ?? '')].join(
    ' ',
  )
}

function readPlace(after: string, statusShard: string): AttributeMap {
  const [dueAt = '', pk = '', sk = ''] = after.split(' ').map(decodeURIComponent)
  return { pk: { S: pk }, sk: { S: sk }, statusShard: { S: statusShard }, dueAt: { N: dueAt } }
}
