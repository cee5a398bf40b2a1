import type { SQSRecord } from 'aws-lambda'
import type { Settlement } from '../claim/settlement.ts'

export interface SettledRecord {
  readonly record: SQSRecord
  readonly settlement: Settlement
  /**
   * Another attempt runs, perhaps of the same message: SQS may deliver a message twice, and the mapping of the other delivery
   * then deletes it.
   */
  readonly held: boolean
}
