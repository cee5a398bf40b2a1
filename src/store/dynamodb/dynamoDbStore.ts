import * as option from '../../base/options.ts'
import { DynamoDBClient, type GetItemCommandInput } from '@aws-sdk/client-dynamodb'
import { type Clock, systemClock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { perEnvironment } from '../../base/lazily.ts'
import { chance } from '../retries.ts'
import type { Store } from '../store.ts'
import { keyAttributes } from '../wire/attributes.ts'
import { fastCalls } from './fast/fastCalls.ts'
import { sdkCalls, type Table } from './calls/table.ts'
import { CREATION, UPDATE, writeAll } from './write.ts'
import { readDue, readItems, readUserItem } from './read.ts'
import { transact } from './transact.ts'

/** Options of {@link dynamoDbStore}. */
export interface DynamoDbStoreOptions {
  /** Name or ARN of a table made with `tableDefinition()`. */
  readonly tableName: string
  /** Default: one for the whole process, made at the first use from the environment, that gives up a call after 3 seconds without an answer. */
  readonly client?: DynamoDBClient
  /**
   * Sends hot calls past the middleware of the client, which saves most of their CPU. Credentials, endpoint, request handler and
   * retries stay the client's own. A client with middleware of its own (a tracer, a mock), with a logger or with another retry
   * strategy than the standard one is always called through `client.send`. `false`: every client is. Default: true.
   */
  readonly fastPath?: boolean
  /**
   * Reads a key that does not exist as soon as the store is made, so that the first batch finds an open connection and code that has
   * run. A read that fails is ignored. It costs half a read unit per cold start, and needs the permission `dynamodb:GetItem`. Worth
   * it outside the handler of a Lambda. Default: whether the environment variable `LINECLEAR_WARM` is `true`, so that a template can
   * ask for it and unit tests read nothing.
   */
  readonly warm?: boolean
  /** Receives one line for each reason why the store is slower than it could be. Default: none. */
  readonly logger?: Logger | undefined
  /** For tests. Default: the system's clock. */
  readonly clock?: Clock | undefined
  /** Random numbers from 0 to 1, for the length of pauses between tries. */
  readonly random?: () => number
}

/**
 * Keeps claims, records and steps in one DynamoDB table, made with `tableDefinition()`. Make it once, outside the handler.
 * One or two writes are single calls; three and more are sent as PartiQL statements in batches of 25. That needs the
 * permissions `dynamodb:PartiQLInsert` and `dynamodb:PartiQLUpdate`; without them every write is a single call. With an ARN,
 * which a table of another account needs, writes are not batched, because BatchExecuteStatement takes no ARN.
 * https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchExecuteStatement.html
 * @throws ConfigError when `tableName` is not the name of a table.
 * @example const store = dynamoDbStore({ tableName: process.env['LINECLEAR_TABLE'] ?? '' })
 */
export function dynamoDbStore(options: DynamoDbStoreOptions): Store {
  const table = tableOf(options)
  const { warm = process.env['LINECLEAR_WARM'] === 'true' } = options
  if (warm) void table.call('GetItem', nothingIn(table)).catch(() => {})
  return {
    source: { tableName: table.name, client: table.client },
    create: (items) => writeAll(table, items, CREATION),
    update: (updates) => writeAll(table, updates, UPDATE),
    read: (keys, { consistent = false } = {}) => readItems(table, keys, consistent),
    due: (query) => readDue(table, query),
    transact: (claim, write) => transact(table, claim, write),
    readUser: (key) => readUserItem(table, key),
  }
}

const OPTIONS: option.Checks<DynamoDbStoreOptions> = {
  tableName: option.required(
    option.matching(
      /^[\w.:/-]{3,1024}$/,
      'the name of a DynamoDB table (is its environment variable set?)',
    ),
  ),
  client: option.having('a DynamoDBClient', 'send'),
  fastPath: option.trueOrFalse,
  warm: option.trueOrFalse,
  logger: option.anything,
  clock: option.anything,
  random: option.anything,
}

function tableOf(options: DynamoDbStoreOptions): Table {
  option.checkOptions('dynamoDbStore', options, OPTIONS)
  const { tableName, fastPath = true, logger, clock = systemClock, random = chance } = options
  let made = options.client
  const client = (): DynamoDBClient => (made ??= defaultClient(DynamoDBClient))
  const isArn = tableName.startsWith('arn:')
  return {
    name: tableName,
    client,
    // An ARN may have an endpoint of its own.
    call: fastPath && !isArn ? fastCalls(client, clock) : sdkCalls(client),
    clock,
    random,
    logger,
    partiQl: { denied: new Set(isArn ? ['INSERT', 'UPDATE'] : []), unreadable: new Set() },
  }
}

function nothingIn({ name }: Table): GetItemCommandInput {
  return { TableName: name, Key: keyAttributes({ pk: 'warm', sk: 'warm' }) }
}

/** Milliseconds. The SDK has no limit by default, and a lost connection would then block the whole invocation. */
const DEFAULTS = {
  requestHandler: { connectionTimeout: 1_000, requestTimeout: 3_000, throwOnRequestTimeout: true },
}

const defaultClient = perEnvironment((Client: typeof DynamoDBClient) => new Client(DEFAULTS))
