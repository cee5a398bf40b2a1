import * as option from '../../../base/options.ts'
import type { DynamoDBClient, GetItemCommandInput } from '@aws-sdk/client-dynamodb'
import { type Clock, systemClock } from '../../../base/clock.ts'
import type { Logger } from '../../../base/logger.ts'
import { lazily } from '../../../base/lazily.ts'
import { chance } from '../../../protocol/store/retries.ts'
import type { Store } from '../../../protocol/store/store.ts'
import { creationWithFormat, withFormat } from '../../../protocol/store/format.ts'
import { keyAttributes } from '../../../protocol/store/wire/attributes.ts'
import { leanAt, leanCalls, type Lean } from './fast/leanCalls.ts'
import { type Place, plainPlace } from './fast/place.ts'
import type { Call, Table } from './calls/table.ts'
import { CREATION, UPDATE, writeAll } from './write.ts'
import { readDue, batchReadItems, readUserItem } from './read.ts'
import { transact } from './transact.ts'

/** Options of {@link dynamoDbStore}. */
export interface DynamoDbStoreOptions {
  /** Name or ARN of a table made with `tableDefinition()`. */
  readonly tableName: string
  /**
   * All calls go through it. Default: one for the whole process, made at the first use from the environment, that gives up a call after
   * 3 seconds without an answer.
   */
  readonly client?: DynamoDBClient
  /**
   * Calls DynamoDB without the SDK where the environment is that of a plain Lambda function, which halves a cold start and saves most of
   * the CPU of a call: the credentials are those that Lambda sets, there is no file in `~/.aws`, and nothing sets a profile, a proxy, another kind of endpoint or
   * retry, or loads a tracer (`AWS_LAMBDA_EXEC_WRAPPER`, `NODE_OPTIONS`). The `logger` hears at DEBUG what stands against it. A call whose answer is an error is made again through the SDK,
   * which is loaded then; so are all calls elsewhere, and those of a `client`. `false`: every call is. Default: true, unless the
   * environment variable `LINECLEAR_FAST_PATH` is `false`.
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
  option.checkOptions('dynamoDbStore', options, OPTIONS)
  const place = placeOf(options)
  if (typeof place === 'object') return openStore(options, leanAt(place))
  sayOnce(options.logger, place)
  return openStore(options, undefined)
}

/** @returns why calls go through the SDK, where they do */
function placeOf({ tableName, client, fastPath = true }: DynamoDbStoreOptions): Place | string {
  // @protects a client of the user’s gets all calls
  if (client !== undefined) return 'client'
  if (!fastPath) return 'fastPath'
  // An ARN may have an endpoint of its own.
  return tableName.startsWith('arn:') ? 'an ARN' : plainPlace(process.env)
}

let said: string | undefined
/** A process may make many stores, for the same reason. */
function sayOnce(logger: Logger | undefined, why: string): void {
  // @protects the reason for the slower calls is said once, not with each store
  // @without logger === undefined
  if (logger === undefined || said === why) return
  said = why
  logger.debug(`DynamoDB through the SDK: ${why}`)
}

/** @param lean undefined: all calls go through the SDK */
export function openStore(options: DynamoDbStoreOptions, lean: Lean | undefined): Store {
  const { tableName: name, logger, clock = systemClock, random = chance } = options
  const { warm = process.env['LINECLEAR_WARM'] === 'true' } = options
  const { client, call: sdk } = throughTheSdk(options.client)
  const table: Table = {
    name,
    call: lean ? leanCalls(lean, sdk, clock) : sdk,
    clock,
    random,
    logger,
    partiQl: {
      denied: new Set(name.startsWith('arn:') ? ['INSERT', 'UPDATE'] : []),
      unreadable: new Set(),
    },
  }
  if (warm) void table.call('GetItem', nothingIn(table)).catch(() => {})
  return {
    source: { tableName: name, client },
    create: (items) => writeAll(table, items.map(withFormat), CREATION),
    update: (updates) => writeAll(table, updates, UPDATE),
    read: (keys, { consistent = false } = {}) => batchReadItems(table, keys, consistent),
    due: (query) => readDue(table, query),
    transact: (claim, writes) =>
      transact(table, creationWithFormat(claim), writes.map(creationWithFormat)),
    readUser: (key) => readUserItem(table, key),
  }
}

const loadSdk = lazily(() => import('./calls/sdk.ts'))

/** The SDK is loaded, and its client made, at the first use. */
function throughTheSdk(given: DynamoDBClient | undefined): {
  readonly client: () => Promise<DynamoDBClient>
  readonly call: Call
} {
  let made = given
  const opened = async () => {
    const sdk = await loadSdk()
    made ??= sdk.defaultClient()
    return { client: made, call: sdk.callsOf(made) }
  }
  return {
    client: async () => (await opened()).client,
    call: async (operation, input) => (await opened()).call(operation, input),
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

function nothingIn({ name }: Table): GetItemCommandInput {
  return { TableName: name, Key: keyAttributes({ pk: 'warm', sk: 'warm' }) }
}
