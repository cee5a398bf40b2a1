import type { SQSRecord } from 'aws-lambda'
import type { Logger } from '../../base/logger.ts'
import type { HideRequest, SendOutcome } from '../../protocol/send/messenger.ts'

/** Judges the response, which names the records that stay on the queue. */
export interface Responses {
  /** Whether it has something to find out about the mapping of this queue. */
  isOpen(queueArn: string): boolean
  /** Called once a batch, concurrently with its claims. Must not reject. */
  received(records: readonly SQSRecord[], site: ResponseSite): Promise<void>
  /**
   * @param stay the records that have to stay on the queue
   * @param finished the others
   * @returns the records that the response names as failed. undefined: the whole batch has to fail
   */
  judge(
    stay: readonly StayingRecord[],
    finished: readonly SQSRecord[],
    site: ResponseSite,
  ): Promise<readonly StayingRecord[] | undefined>
}

/** A record that has to stay on its queue. */
export interface StayingRecord {
  readonly record: SQSRecord
  /** Certainly hidden until then, epoch milliseconds. undefined: not known. */
  readonly until: number | undefined
}

/** The queue of an invocation, as `Responses` may use it. Calls answer in the order of the records, and do not reject. */
export interface ResponseSite {
  readonly queue: string
  readonly queueArn: string
  readonly logger: Logger
  now(): number
  hide(messages: readonly HideRequest[]): Promise<readonly SendOutcome[]>
  /** Sends copies with the same identity, each hidden for as long as its record was. */
  sendAgain(records: readonly StayingRecord[]): Promise<readonly SendOutcome[]>
  /** SQS will not take the copy, however often it is sent. */
  isLost(refusal: Error): boolean
}
