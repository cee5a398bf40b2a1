import type {
  BatchExecuteStatementCommandInput,
  BatchExecuteStatementCommandOutput,
  BatchGetItemCommandInput,
  BatchGetItemCommandOutput,
  GetItemCommandInput,
  GetItemCommandOutput,
  PutItemCommandInput,
  PutItemCommandOutput,
  QueryCommandInput,
  QueryCommandOutput,
  TransactWriteItemsCommandInput,
  TransactWriteItemsCommandOutput,
  UpdateItemCommandInput,
  UpdateItemCommandOutput,
} from '@aws-sdk/client-dynamodb'
import type { Clock } from '../../../../base/clock.ts'
import type { Logger } from '../../../../base/logger.ts'

/** What each operation needs in order to use the framework's table. */
export interface Table {
  readonly name: string
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

/** The operations that the store consists of. */
interface Operations {
  readonly BatchExecuteStatement: [
    BatchExecuteStatementCommandInput,
    BatchExecuteStatementCommandOutput,
  ]
  readonly BatchGetItem: [BatchGetItemCommandInput, BatchGetItemCommandOutput]
  readonly GetItem: [GetItemCommandInput, GetItemCommandOutput]
  readonly PutItem: [PutItemCommandInput, PutItemCommandOutput]
  readonly Query: [QueryCommandInput, QueryCommandOutput]
  readonly TransactWriteItems: [TransactWriteItemsCommandInput, TransactWriteItemsCommandOutput]
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
