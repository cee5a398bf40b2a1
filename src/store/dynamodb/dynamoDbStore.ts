import { randomInt } from 'node:crypto'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { type Clock, systemClock } from '../../clock.ts'
import type { Logger } from '../../logger.ts'
import * as option from '../../options.ts'
import type { Store } from '../store.ts'
import { createItems } from './create.ts'
import { readDue } from './due.ts'
import { readItems } from './read.ts'
import { readUserItem } from './readUser.ts'
import type { Table } from './table.ts'
import { transact } from './transact.ts'
import { updateItems } from './update.ts'

export interface DynamoDbStoreOptions {
  /** Name or ARN of a table made with `tableDefinition()`. */
  readonly tableName: string
  /** Default: one made at the first use, from the environment, that gives an unanswered call up after 3 seconds. */
  readonly client?: DynamoDBClient
  /** Hears once of each thing that makes the store slower than it could be. Default: nobody. */
  readonly logger?: Logger
  readonly clock?: Clock
  /** 0 to 1, for the length of pauses between tries. */
  readonly random?: () => number
}

/**
 * Keeps claims, records and steps in one DynamoDB table.
 * One or two writes go by calls of their own; from three on by PartiQL in batches of 25, which needs the permissions
 * `dynamodb:PartiQLInsert` and `dynamodb:PartiQLUpdate` and does without them if they are not granted. An applied
 * update that went by batch does not tell its item; a refused one always does. With an ARN, which a table of another
 * account needs, no write is batched: BatchExecuteStatement takes none.
 * https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchExecuteStatement.html
 * @throws ConfigError when `tableName` is no name of a table.
 */
export function dynamoDbStore(options: DynamoDbStoreOptions): Store {
  const table = tableOf(options)
  return {
    create: (items) => createItems(table, items),
    update: (updates) => updateItems(table, updates),
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
  logger: option.anything,
  clock: option.anything,
  random: option.anything,
}

function tableOf(options: DynamoDbStoreOptions): Table {
  const { tableName, client, logger, clock, random } = options
  option.checkOptions('dynamoDbStore', options, OPTIONS)
  let made = client
  return {
    name: tableName,
    takesStatements: !tableName.startsWith('arn:'),
    client: () => (made ??= new DynamoDBClient(DEFAULTS)),
    clock: clock ?? systemClock,
    random: random ?? chance,
    logger,
    partiQl: { denied: new Set(), unreadable: new Set() },
  }
}

/** Milliseconds. The SDK's own default waits for ever: a lost connection would take the whole invocation with it. */
const DEFAULTS = {
  requestHandler: { connectionTimeout: 1_000, requestTimeout: 3_000, throwOnRequestTimeout: true },
}

function chance(): number {
  return randomInt(1_000) / 1_000
}
