import {
  type AttributeValue,
  DescribeTableCommand,
  DynamoDBClient,
  QueryCommand,
  ScanCommand,
} from '@aws-sdk/client-dynamodb'
import * as option from '../../base/options.ts'
import type { ScanPart, TableReader } from '../tableReader.ts'
import type { Item } from '../store.ts'
import { type AttributeMap, toItem } from '../wire/attributes.ts'
import { failureOf } from './failure.ts'
import { kindOfError } from './errorKind.ts'

/** Options of {@link dynamoDbReader}. */
export interface DynamoDbReaderOptions {
  /** Name or ARN of the table of `dynamoDbStore`. */
  readonly tableName: string
  /** Default: one made at the first use, from the environment. */
  readonly client?: DynamoDBClient
}

/**
 * Reads the whole table of `dynamoDbStore`, for `reconcile` of `lineclear/operator`. It needs the permissions `dynamodb:Scan` and
 * `dynamodb:Query`; what it reads rejects with StoreUnavailableError when the table gives no answer.
 * @throws ConfigError when `tableName` is missing
 * @example const table = dynamoDbReader({ tableName: 'lineclear' })
 */
export function dynamoDbReader(options: DynamoDbReaderOptions): TableReader {
  option.checkOptions('dynamoDbReader', options, OPTIONS)
  const { tableName } = options
  let made = options.client
  const client = (): DynamoDBClient => (made ??= new DynamoDBClient({}))
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
  const scan = (part: ScanPart, from: AttributeMap | undefined) =>
    client().send(
      new ScanCommand({
        TableName: tableName,
        ExclusiveStartKey: from,
        ReturnConsumedCapacity: 'TOTAL',
        ...inputOf(part),
      }),
    )
  return {
    async partition(pk) {
      const items: Item[] = []
      for await (const page of pages((from) => guarded(query(pk, from)))) items.push(...page)
      return items
    },
    scan: (part = {}) => pages((from) => guarded(scan(part, from)), part.onPage),
    async count() {
      const described = await guarded(
        client().send(new DescribeTableCommand({ TableName: tableName })),
      )
      return described.Table?.ItemCount
    },
  }
}

const OPTIONS: option.Checks<DynamoDbReaderOptions> = {
  tableName: option.required(option.matching(/^[\w.:/-]{3,1024}$/, 'the name of a DynamoDB table')),
  client: option.having('a DynamoDBClient', 'send'),
}

function inputOf({ prefix, segment }: ScanPart) {
  return {
    ...(prefix !== undefined && {
      FilterExpression: 'begins_with(pk, :prefix)',
      ExpressionAttributeValues: { ':prefix': { S: prefix } },
    }),
    ...(segment !== undefined && { Segment: segment.index, TotalSegments: segment.of }),
  }
}

interface Page {
  readonly Items?: Record<string, AttributeValue>[] | undefined
  readonly LastEvaluatedKey?: Record<string, AttributeValue> | undefined
  readonly ScannedCount?: number | undefined
  readonly ConsumedCapacity?: { readonly CapacityUnits?: number | undefined } | undefined
}

async function* pages(
  read: (from: AttributeMap | undefined) => Promise<Page>,
  onPage: ScanPart['onPage'] = () => {},
): AsyncGenerator<readonly Item[]> {
  let from: AttributeMap | undefined
  do {
    const { Items = [], LastEvaluatedKey, ScannedCount, ConsumedCapacity } = await read(from)
    onPage({ looked: ScannedCount ?? 0, readUnits: ConsumedCapacity?.CapacityUnits ?? 0 })
    yield Items.map(toItem)
    from = LastEvaluatedKey
  } while (from !== undefined)
}
