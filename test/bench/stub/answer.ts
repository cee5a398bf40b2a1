import { OPERATIONS, Refused, type Request } from './operations.ts'
import type { Tables } from './table.ts'
import type { Tally } from './tally.ts'
import { Cancelled } from './transaction.ts'

export interface Answer {
  readonly status: number
  readonly body: string
}

export function answer(operation: string, body: string, tables: Tables, tally: Tally): Answer {
  try {
    const carryOut = OPERATIONS[operation]
    if (carryOut === undefined) throw new Error(`the stub does not know ${operation}`)
    return {
      status: 200,
      body: JSON.stringify(carryOut(JSON.parse(body) as Request, tables, tally.units)),
    }
  } catch (error) {
    if (!(error instanceof Refused || error instanceof Cancelled)) tally.unanswered ??= error
    return { status: 400, body: JSON.stringify(failureOf(error)) }
  }
}

function failureOf(error: unknown): object {
  if (error instanceof Refused) {
    return {
      __type: 'com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException',
      message: error.message,
      ...(error.item && { Item: error.item }),
    }
  }
  if (error instanceof Cancelled) {
    return {
      __type: 'com.amazonaws.dynamodb.v20120810#TransactionCanceledException',
      message: error.message,
      CancellationReasons: error.codes.map((Code) => ({ Code })),
    }
  }
  const message = error instanceof Error ? error.message : String(error)
  return { __type: 'com.amazon.coral.validate#ValidationException', message }
}
