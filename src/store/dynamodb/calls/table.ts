import {
  type DynamoDBClient,
  BatchExecuteStatementCommand,
  BatchGetItemCommand,
  GetItemCommand,
  PutItemCommand,
  UpdateItemCommand,
  type BatchExecuteStatementCommandInput,
  type BatchExecuteStatementCommandOutput,
  type BatchGetItemCommandInput,
  type BatchGetItemCommandOutput,
  type GetItemCommandInput,
  type GetItemCommandOutput,
  type PutItemCommandInput,
  type PutItemCommandOutput,
  type UpdateItemCommandInput,
  type UpdateItemCommandOutput,
} from '@aws-sdk/client-dynamodb'
import type { Clock } from '../../../base/clock.ts'
import type { Logger } from '../../../base/logger.ts'

/** What each operation needs in order to use the framework's table. */
export interface Table {
  readonly name: string
  /** Made at the first use, if none was given. */
  readonly client: () => DynamoDBClient
  readonly call: Call
  readonly clock: Clock
  /** 0 to 1: varies the pauses of callers that were refused at the same time. */
  readonly random: () => number
  readonly logger: Logger | undefined
  readonly partiQl: PartiQl
}

/** What this store has learnt about the engine's PartiQL, so that it does not send a refused form twice. */
export interface PartiQl {
  /** Statements that the role or the engine does not allow at all. BatchExecuteStatement takes no ARN. */
  readonly denied: Set<Verb>
  /** Texts that the engine cannot read. */
  readonly unreadable: Set<string>
}

export type Verb = 'INSERT' | 'UPDATE'

/** The operations that a batch of records consists of. */
interface Operations {
  readonly BatchExecuteStatement: [
    BatchExecuteStatementCommandInput,
    BatchExecuteStatementCommandOutput,
  ]
  readonly BatchGetItem: [BatchGetItemCommandInput, BatchGetItemCommandOutput]
  readonly GetItem: [GetItemCommandInput, GetItemCommandOutput]
  readonly PutItem: [PutItemCommandInput, PutItemCommandOutput]
  readonly UpdateItem: [UpdateItemCommandInput, UpdateItemCommandOutput]
}

export type Operation = keyof Operations
export type Input<O extends Operation> = Operations[O][0]
export type Output<O extends Operation> = Omit<Operations[O][1], '$metadata'>

/**
 * Calls one operation.
 * @throws what the SDK throws
 */
export type Call = <O extends Operation>(operation: O, input: Input<O>) => Promise<Output<O>>

/** A middleware next to the wire: below retries and signing. It sees each try. */
export type CallWatch = <
  S extends { readonly request: unknown },
  R extends { readonly response: unknown },
>(
  send: (sent: S) => Promise<R>,
) => (sent: S) => Promise<R>

type Senders = {
  readonly [O in Operation]: (
    client: DynamoDBClient,
    input: Input<O>,
    watch?: CallWatch,
  ) => Promise<Output<O>>
}

/** Calls through the client's middleware, as every user of the SDK does. */
export const SENDERS: Senders = {
  BatchExecuteStatement: (client, input, watch) =>
    answeredBy(client, client.send(watched(new BatchExecuteStatementCommand(input), watch))),
  BatchGetItem: (client, input, watch) =>
    answeredBy(client, client.send(watched(new BatchGetItemCommand(input), watch))),
  GetItem: (client, input, watch) =>
    answeredBy(client, client.send(watched(new GetItemCommand(input), watch))),
  PutItem: (client, input, watch) =>
    answeredBy(client, client.send(watched(new PutItemCommand(input), watch))),
  UpdateItem: (client, input, watch) =>
    answeredBy(client, client.send(watched(new UpdateItemCommand(input), watch))),
}

export function sdkCalls(client: () => DynamoDBClient): Call {
  return (operation, input) => SENDERS[operation](client(), input)
}

interface Watchable {
  readonly middlewareStack: { add(watch: CallWatch, options: object): void }
}

/** The middleware belongs to this command alone; the client's own stack stays as it is. */
function watched<C extends Watchable>(command: C, watch: CallWatch | undefined): C {
  if (watch !== undefined) command.middlewareStack.add(watch, NEXT_TO_THE_WIRE)
  return command
}

const NEXT_TO_THE_WIRE = { step: 'deserialize', priority: 'low', name: 'lineclearWatch' }

/**
 * The answer of a client, or an error for none. A client of the SDK adds `$metadata` to each answer; a mocked one that resolves
 * nothing, or `{}`, has written nothing, and a test that took this for success would be green for code that does nothing.
 */
export async function answeredBy<Output extends object>(
  client: object,
  answer: Promise<Output>,
): Promise<Output> {
  const given: Output | undefined = await answer
  const isMissing = given === undefined || given === null
  if (!isMissing && ('$metadata' in given || !('middlewareStack' in client))) return given
  throw new Error(
    'the client gave an empty answer, so nothing is known to be written. A mocked client has to resolve what DynamoDB answers, with ' +
      '$metadata. Unit tests need none: use memoryStore() of lineclear/testing',
  )
}
