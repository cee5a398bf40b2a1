import {
  BatchExecuteStatementCommand,
  BatchGetItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb'
import { answered } from './answered.ts'
import type { Call, Input, Operation, Output } from './operations.ts'

/** A middleware next to the wire: below retries and signing. It sees each try. */
export type Watch = <
  S extends { readonly request: unknown },
  R extends { readonly response: unknown },
>(
  send: (sent: S) => Promise<R>,
) => (sent: S) => Promise<R>

type Senders = {
  readonly [O in Operation]: (
    client: DynamoDBClient,
    input: Input<O>,
    watch?: Watch,
  ) => Promise<Output<O>>
}

/** Calls through the client's middleware, as every user of the SDK does. */
export const SENDERS: Senders = {
  BatchExecuteStatement: (client, input, watch) =>
    answered(client, client.send(watched(new BatchExecuteStatementCommand(input), watch))),
  BatchGetItem: (client, input, watch) =>
    answered(client, client.send(watched(new BatchGetItemCommand(input), watch))),
  GetItem: (client, input, watch) =>
    answered(client, client.send(watched(new GetItemCommand(input), watch))),
  PutItem: (client, input, watch) =>
    answered(client, client.send(watched(new PutItemCommand(input), watch))),
  UpdateItem: (client, input, watch) =>
    answered(client, client.send(watched(new UpdateItemCommand(input), watch))),
}

export function sdkCalls(client: () => DynamoDBClient): Call {
  return (operation, input) => SENDERS[operation](client(), input)
}

interface Watchable {
  readonly middlewareStack: { add(watch: Watch, options: object): void }
}

/** The middleware belongs to this command alone; the client's own stack stays as it is. */
function watched<C extends Watchable>(command: C, watch: Watch | undefined): C {
  if (watch !== undefined) command.middlewareStack.add(watch, NEXT_TO_THE_WIRE)
  return command
}

const NEXT_TO_THE_WIRE = { step: 'deserialize', priority: 'low', name: 'lineclearWatch' }
