import type { AfterLost, Hold } from '../../protocol/claim/hold.ts'
import type { TokenHoldParts } from '../../protocol/claim/token/tokenHold.ts'
import type { Unclaimed } from '../../protocol/claim/unclaimed.ts'
import type { OpenContext } from '../context/openContext.ts'
import type { LogFields } from '../../base/logger.ts'
import type { RunReference } from '../../protocol/record/envelope/envelope.ts'
import type { IncomingRecord } from './readRecord.ts'
import type { Invocation } from './invocation.ts'

/** How records are claimed, and what then runs: with a lock token for each request, or as a stage of a flow. */
export interface ClaimStrategy {
  /** Records of one batch with the same key run one after the other. */
  serializationKey(incoming: IncomingRecord): string
  /** Which records of one key run first, as for `toSorted`. Default: in the order of the batch. */
  compare?(one: IncomingRecord, other: IncomingRecord): number
  /**
   * Whether the store can tell which request a message belongs to when its stamp and its payload name different ids. Default: it
   * cannot.
   */
  identifies?(incoming: IncomingRecord): boolean
  /** A record that comes for the first time is claimed by a write, with no read before it. Default: false. */
  readonly claimsUnread?: true
  /**
   * @param ahead the records are claimed before they run, so a record whose last attempt ended silently is reported as `silent` instead
   * @returns the claims in the order of the batch
   */
  claim(
    batch: readonly IncomingRecord[],
    invocation: Invocation,
    ahead: boolean,
  ): Promise<readonly Claim[]>
}

/** One batch of an invocation, and how its records are claimed. */
export interface Batch {
  readonly invocation: Invocation
  readonly strategy: ClaimStrategy
}

export interface ClaimedRecord extends AfterLost {
  readonly kind: 'claimed'
  /** This attempt may run and write. */
  readonly hold: Hold
  /** First part of the deterministic ids and keys of the attempt's messages and calls. The request id is the second part. */
  readonly scope: string
  readonly uniqueRequestId: string
  /** When the request was made, if its message does not say so. Epoch milliseconds. */
  readonly sentAt?: number
  /** The request has died: what runs is its `onFailure`, see `actOf`. */
  readonly afterDeath?: TokenHoldParts
  /** It also runs for a message that cannot be read, with `undefined` as payload. */
  readonly runsUnread?: true
  run(payload: unknown, opened: OpenContext): unknown
}

/** The verdict on a record. When nothing is left to do, `as` is its settlement. */
export type Claim = (ClaimedRecord | LeftRecord) & {
  /**
   * The run that the record belongs to, when the store knows it and the message does not. The record's copies and dead letter
   * carry it.
   */
  readonly flow?: RunReference | undefined
  /** The run's message group (tenant) on a fair queue. An answer from outside has none, or another one. */
  readonly tenant?: string | undefined
  /** W3C trace context of the stage that has asked for the answer in the record. */
  readonly asked?: string | undefined
}

type LeftRecord = (
  | Unclaimed
  /** This attempt has to send the request to the dead-letter queue. */
  | ({ readonly kind: 'deadLettering'; readonly hold: Hold } & AfterLost)
  /** The message is done with: its content is stored, or is on the queue in messages of its own. */
  | { readonly kind: 'accepted'; readonly as: string }
) & {
  /** For the log: the request that the record belongs to, and the other request that was in its way. */
  readonly about?: LogFields | undefined
}
