import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { Clock } from '../../../base/clock.ts'
import type { Logger } from '../../../base/logger.ts'
import type { Call } from './sdkCalls.ts'

/** What each operation needs in order to use the framework's table. */
export interface Table {
  readonly name: string
  /** False with an ARN: PartiQL batches take no ARN, and so no table of another account. */
  readonly takesStatements: boolean
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
  /** Statements that the role or the engine does not allow at all. */
  readonly denied: Set<Verb>
  /** Texts that the engine cannot read. */
  readonly unreadable: Set<string>
}

export type Verb = 'INSERT' | 'UPDATE'
