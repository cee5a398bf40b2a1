import {
  type AttributeValue,
  DescribeTableCommand,
  type DynamoDBClient,
  QueryCommand,
  ScanCommand,
} from '@aws-sdk/client-dynamodb'
import type { TableReader } from '../tableReader.ts'
import type { Item } from '../store.ts'
import { type AttributeMap, toItem } from '../wire/attributes.ts'
import { failureOf } from './failure.ts'
import { kindOfError } from './errorKind.ts'

/**
 * A reader for operators.
 * @throws StoreUnavailableError when the table gives no answer.
 */
export function dynamoDbReader(tableName: string, client: () => DynamoDBClient): TableReader {
  const guarded = <T>(call: Promise<T>): Promise<T> =>
    call.catch((error: unknown) => {
      throw failureOf(tableName, kindOfError(error), error)
    })
  const query = (pk: string, from: AttributeMap | undefined) =>
    client().send(
      new QueryCommand({
        TableName: tableName,
        ConsistentRead: true,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': { S: pk } },
        ExclusiveStartKey: from,
      }),
    )
  const scan = (from: AttributeMap | undefined) =>
    client().send(new ScanCommand({ TableName: tableName, ExclusiveStartKey: from }))
  return {
    async partition(pk) {
      const items: Item[] = []
      for await (const page of pages((from) => guarded(query(pk, from)))) items.push(...page)
      return items
    },
    scan: () => pages((from) => guarded(scan(from))),
    async count() {
      const described = await guarded(
        client().send(new DescribeTableCommand({ TableName: tableName })),
      )
      return described.Table?.ItemCount
    },
  }
}

interface Page {
  readonly Items?: Record<string, AttributeValue>[] | undefined
  readonly LastEvaluatedKey?: Record<string, AttributeValue> | undefined
}

async function* pages(
  read: (from: AttributeMap | undefined) => Promise<Page>,
): AsyncGenerator<readonly Item[]> {
  let from: AttributeMap | undefined
  do {
    const { Items = [], LastEvaluatedKey } = await read(from)
    yield Items.map(toItem)
    from = LastEvaluatedKey
  } while (from !== undefined)
}
