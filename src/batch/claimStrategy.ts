import type { OpenContext } from '../context/openContext.ts'
import type { RunReference } from '../record/envelope/envelope.ts'
import type { Hold, EndReason } from '../claim/hold.ts'
import type { LogFields } from '../logger.ts'
import type { Invocation } from './invocation.ts'
import type { IncomingRecord } from './incomingRecord.ts'

/** How records get the right to run, and what is run then: a lock token each, or a stage of a flow. */
export interface ClaimStrategy {
  /** Records of one batch with the same line run one after the other. */
  serializationKey(incoming: IncomingRecord): string
  /** Which of a line is to run first, as for `toSorted`. Default: as they came. */
  compare?(one: IncomingRecord, other: IncomingRecord): number
  /** Whether it can tell by what it keeps whose a message is whose stamp and payload differ. Default: it can not. */
  identifies?(incoming: IncomingRecord): boolean
  /**
   * In the order of the batch. `ahead`: they do not run at once, so one whose last attempt ended without a word is not
   * claimed but `silent`.
   */
  claim(
    batch: readonly IncomingRecord[],
    invocation: Invocation,
    ahead: boolean,
  ): Promise<readonly Claim[]>
}

export interface ClaimedRecord {
  readonly kind: 'claimed'
  /** This attempt may run and write. */
  readonly hold: Hold
  /** Of the deterministic ids and keys: with the request id they name what it does. */
  readonly scope: string
  readonly uniqueRequestId: string
  /** Of the request, when its message does not say it. */
  readonly sentAt?: number
  run(payload: unknown, opened: OpenContext): unknown
}

/** What a record that does not run may say of itself in the log: whose it is, and which other request was in its way. */
interface AboutClaim {
  readonly about?: LogFields | undefined
}

/** What a record may do. */
export type Claim = Way & {
  /** It came without a run and was found to be of this one: so are its copies and its dead letter, and of no other. */
  readonly flow?: RunReference | undefined
}

type Way =
  | ClaimedRecord
  /** This attempt has to bring the request to the dead-letter queue. */
  | { readonly kind: 'deadLettering'; readonly hold: Hold }
  /** Another attempt of the same request is live; another request has the flow; it is not yet time. */
  | ({ readonly kind: 'held' | 'busy' | 'early'; readonly until: number } & AboutClaim)
  /** A newer copy is on the queue for certain. */
  | ({ readonly kind: 'replaced' } & AboutClaim)
  | ({
      readonly kind: 'over'
      readonly as: EndReason
      readonly reason?: string | undefined
    } & AboutClaim)
  /** To the dead-letter queue, with nothing in the store to fence first. */
  | ({ readonly kind: 'refuse'; readonly refusal: DeadLetterNotice } & AboutClaim)
  /** What was to be done for it is on the queue, in messages of its own, or is in the store. */
  | ({ readonly kind: 'passedOn'; readonly as: string } & AboutClaim)
  /** Not claimed: so many attempts were begun, and the last one ended without a word. It runs alone, later. */
  | ({ readonly kind: 'silent'; readonly attempts: number } & AboutClaim)
  /** Written by a newer version, or by hand. */
  | ({ readonly kind: 'unreadable' } & AboutClaim)
  | ({ readonly kind: 'failed'; readonly error: Error } & AboutClaim)

export interface DeadLetterNotice {
  readonly reason: string
  readonly error: string
  /** Its dead letter bears no consumer's name: under another name, its consumer is to run it. */
  readonly unnamed?: true
  /** The death it tells of, when that is not the one it came with. */
  readonly death?: number | undefined
}
