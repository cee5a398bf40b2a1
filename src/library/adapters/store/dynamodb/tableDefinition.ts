import type {
  CreateTableCommandInput,
  UpdateTimeToLiveCommandInput,
} from '@aws-sdk/client-dynamodb'
import { assertKnown } from '../../../base/options.ts'

const DEFAULT_NAME = 'lineclear'

/**
 * The framework's table, as input of `CreateTableCommand`. Its index `byStatus` is sparse: only items that have not ended
 * have `statusShard` (`<status>#<n>`) and `dueAt` (epoch milliseconds).
 * @param options.tableName default `lineclear`.
 * @throws ConfigError when an option is not known.
 * @example await client.send(new CreateTableCommand(tableDefinition({ tableName: 'lineclear' })))
 */
export function tableDefinition(options?: {
  readonly tableName?: string
}): CreateTableCommandInput {
  assertKnown('tableDefinition', options ?? {}, ['tableName'])
  return {
    TableName: options?.tableName ?? DEFAULT_NAME,
    BillingMode: 'PAY_PER_REQUEST',
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ],
    AttributeDefinitions: [
      { AttributeName: 'pk', AttributeType: 'S' },
      { AttributeName: 'sk', AttributeType: 'S' },
      { AttributeName: 'statusShard', AttributeType: 'S' },
      { AttributeName: 'dueAt', AttributeType: 'N' },
    ],
    GlobalSecondaryIndexes: [
      {
        IndexName: 'byStatus',
        KeySchema: [
          { AttributeName: 'statusShard', KeyType: 'HASH' },
          { AttributeName: 'dueAt', KeyType: 'RANGE' },
        ],
        Projection: {
          ProjectionType: 'INCLUDE',
          NonKeyAttributes: ['status', 'lockedBy', 'created', 'expectedCompletion', 'attempt'],
        },
      },
    ],
  }
}

/**
 * Lets DynamoDB delete items whose `ttl` (epoch seconds) has passed. It is the input of `UpdateTimeToLiveCommand`, because
 * CreateTable has no such setting. https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/TTL.html
 * @param options.tableName default `lineclear`.
 * @example await client.send(new UpdateTimeToLiveCommand(timeToLive({ tableName: 'lineclear' })))
 */
export function timeToLive(options?: {
  readonly tableName?: string
}): UpdateTimeToLiveCommandInput {
  return {
    TableName: options?.tableName ?? DEFAULT_NAME,
    TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
  }
}
