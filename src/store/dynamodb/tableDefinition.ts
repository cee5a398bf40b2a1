import type {
  CreateTableCommandInput,
  UpdateTimeToLiveCommandInput,
} from '@aws-sdk/client-dynamodb'
import { assertKnown } from '../../options.ts'

const DEFAULT_NAME = 'lineclear'

/**
 * The framework's table, as input of `CreateTableCommand`. Its index `byStatus` is sparse: only items that are not yet
 * at their end carry `statusShard` (`<status>#<n>`) and `dueAt` (epoch milliseconds).
 * @param options.tableName default `lineclear`.
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
 * Lets DynamoDB delete what is past its `ttl` (epoch seconds), as input of `UpdateTimeToLiveCommand`: CreateTable takes
 * no such setting. @param options.tableName default `lineclear`.
 */
export function timeToLive(options?: {
  readonly tableName?: string
}): UpdateTimeToLiveCommandInput {
  return {
    TableName: options?.tableName ?? DEFAULT_NAME,
    TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
  }
}
