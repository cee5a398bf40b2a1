import type {
  BatchExecuteStatementCommandInput,
  BatchExecuteStatementCommandOutput,
  BatchGetItemCommandInput,
  BatchGetItemCommandOutput,
  GetItemCommandInput,
  GetItemCommandOutput,
  PutItemCommandInput,
  PutItemCommandOutput,
  UpdateItemCommandInput,
  UpdateItemCommandOutput,
} from '@aws-sdk/client-dynamodb'

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
