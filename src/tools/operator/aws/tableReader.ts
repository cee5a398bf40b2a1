import * as option from '../../../library/base/options.ts'
import {
  DescribeTableCommand,
  DynamoDBClient,
  QueryCommand,
  ScanCommand,
  type ScanCommandOutput,
  type DynamoDBClientConfig,
} from '@aws-sdk/client-dynamodb'
import type { Item } from '../../../library/protocol/store/store.ts'
import { type AttributeMap, toItem } from '../../../library/protocol/store/wire/attributes.ts'
import { failureOf } from '../../../library/adapters/store/dynamodb/calls/failure.ts'
import { OPERATOR_TIMES } from './queues.ts'

/** Options of `dynamoDbReader`. */
interface DynamoDbReaderOptions {
  /** Name or ARN of the table of `dynamoDbStore`. */
  readonly tableName: string
  /** Default: one made at the first use, from the environment. */
  readonly client?: DynamoDBClient
}

/**
 * Reads for operators, which the `Store` interface does not have because no consumer needs them. An operator needs more
 * permissions (`dynamodb:Query` and `Scan` on the table, `DescribeTable` for the count).
 */
export interface TableReader {
  /** Reads every item of one partition key consistently. */
  partition(pk: string): Promise<readonly Item[]>
  /** Reads every item of the table, or of a part, page by page. A page may be a second old. */
  scan(part?: ScanPart): AsyncIterable<readonly Item[]>
  /** The approximate number of items, a few hours old. */
  count(): Promise<number | undefined>
}

/** A part of a scan. DynamoDB bills every item that it looks at, also those that `prefix` leaves out. */
interface ScanPart {
  /** Only items whose partition key begins with it. Default: all. */
  readonly prefix?: string
  /** One of `of` segments, counted from 0, which can be read concurrently. Default: the whole table. */
  readonly segment?: { readonly index: number; readonly of: number }
  /** Called before each page is yielded. */
  readonly onPage?: (page: { readonly looked: number; readonly readUnits: number }) => void
}

/**
 * Reads the whole table of `dynamoDbStore`, for operators. It needs the permissions `dynamodb:Scan` and
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
      throw failureOf(tableName, error)
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
  const scan = ({ prefix, segment }: ScanPart, from: AttributeMap | undefined) =>
    client().send(
      new ScanCommand({
        TableName: tableName,
        ExclusiveStartKey: from,
        ReturnConsumedCapacity: 'TOTAL',
        FilterExpression: prefix === undefined ? undefined : 'begins_with(pk, :prefix)',
        ExpressionAttributeValues: prefix === undefined ? undefined : { ':prefix': { S: prefix } },
        Segment: segment?.index,
        TotalSegments: segment?.of,
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

type Page = Pick<
  ScanCommandOutput,
  'Items' | 'LastEvaluatedKey' | 'ScannedCount' | 'ConsumedCapacity'
>

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

/**
 * The client of the command line.
 * @param config region, endpoint and credentials from the command line
 */
export function operatorDynamoDb(config: DynamoDBClientConfig): DynamoDBClient {
  return new DynamoDBClient({ requestHandler: OPERATOR_TIMES, ...config })
}
