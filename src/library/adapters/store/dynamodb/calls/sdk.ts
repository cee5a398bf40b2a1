import {
  DynamoDBClient,
  BatchExecuteStatementCommand,
  BatchGetItemCommand,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb'
import { perEnvironment } from '../../../../base/lazily.ts'
import { inTime } from '../../../../base/inTime.ts'
import type { Call, Input, Operation, Output } from './table.ts'

/** Milliseconds. The SDK has no limit by default, and a lost connection would then block the whole invocation. */
const DEFAULTS = {
  requestHandler: { connectionTimeout: 1_000, requestTimeout: 3_000, throwOnRequestTimeout: true },
}

const clientFor = perEnvironment((Client: typeof DynamoDBClient) => new Client(DEFAULTS))

/** The client of all stores that were given none. */
export function defaultClient(): DynamoDBClient {
  return clientFor(DynamoDBClient)
}

/**
 * Milliseconds of a call with all its repeats. The SDK's own limit ends with the head of the answer: a body that stalls would hold
 * its caller for ever.
 */
const WITHIN = 12_000

type Options = Parameters<Parameters<typeof inTime>[1]>[0]
type Senders = {
  readonly [O in Operation]: (
    client: DynamoDBClient,
    input: Input<O>,
    options: Options,
  ) => Promise<Output<O>>
}

const SENDERS: Senders = {
  BatchExecuteStatement: (client, input, options) =>
    client.send(new BatchExecuteStatementCommand(input), options),
  BatchGetItem: (client, input, options) => client.send(new BatchGetItemCommand(input), options),
  GetItem: (client, input, options) => client.send(new GetItemCommand(input), options),
  PutItem: (client, input, options) => client.send(new PutItemCommand(input), options),
  Query: (client, input, options) => client.send(new QueryCommand(input), options),
  TransactWriteItems: (client, input, options) =>
    client.send(new TransactWriteItemsCommand(input), options),
  UpdateItem: (client, input, options) => client.send(new UpdateItemCommand(input), options),
}

/** Calls through the client's middleware, as every user of the SDK does. */
export function callsOf(client: DynamoDBClient): Call {
  return (operation, input) =>
    answeredBy(
      client,
      // @protects a call whose answer stalls in its middle is given up
      inTime(undefined, async (options) => SENDERS[operation](client, input, options), WITHIN),
    )
}

/**
 * The answer of a client, or an error for none. A client of the SDK adds `$metadata` to each answer; a mocked one that resolves
 * nothing, or `{}`, has written nothing, and a test that took this for success would be green for code that does nothing.
 */
async function answeredBy<Answer extends object>(
  client: object,
  answer: Promise<Answer>,
): Promise<Answer> {
  const given: Answer | undefined = await answer
  const isMissing = given === undefined || given === null
  if (!isMissing && ('$metadata' in given || !('middlewareStack' in client))) return given
  throw new Error(
    'the client gave an empty answer, so nothing is known to be written. A mocked client has to resolve what DynamoDB answers, with ' +
      '$metadata. Unit tests need none: use memoryStore() of lineclear/testing',
  )
}
