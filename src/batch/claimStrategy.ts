import type { DeadLetterNotice, Hold } from '../claim/hold.ts'
import type { EndReason } from '../claim/settlement.ts'
import type { OpenContext } from '../context/openContext.ts'
import type { LogFields } from '../logger.ts'
import type { RunReference } from '../record/envelope/envelope.ts'
import type { IncomingRecord } from './incomingRecord.ts'
import type { Invocation } from './invocation.ts'

/** How records get the right to run, and what runs then: a lock token for each request, or a stage of a flow. */
export interface ClaimStrategy {
  /** Records of one batch with the same key run one after the other. */
  serializationKey(incoming: IncomingRecord): string
  /** Which records of one key run first, as for `toSorted`. Default: in the order of the batch. */
  compare?(one: IncomingRecord, other: IncomingRecord): number
  /** Whether the store can tell whose a message is when its stamp and its payload name different ids. Default: it can not. */
  identifies?(incoming: IncomingRecord): boolean
  /**
   * @param ahead they do not run at once, so one whose last attempt ended silently is not claimed but `silent`
   * @returns in the order of the batch
   */
  claim(
    batch: readonly IncomingRecord[],
    invocation: Invocation,
    ahead: boolean,
  ): Promise<readonly Claim[]>
}

/** One batch on its way: its invocation, and how its records are claimed. */
export interface Batch {
  readonly invocation: Invocation
  readonly strategy: ClaimStrategy
}

export interface ClaimedRecord {
  readonly kind: 'claimed'
  /** This attempt may run and write. */
  readonly hold: Hold
  /** First part of the deterministic ids and keys of what the attempt sends and calls; the request id is the second. */
  readonly scope: string
  readonly uniqueRequestId: string
  /** When the request was made, where its message does not say it. Epoch milliseconds. */
  readonly sentAt?: number
  run(payload: unknown, opened: OpenContext): unknown
}

/** What a record may do. Where nothing is left to do, `as` is its settlement. */
export type Claim = ClaimKind & {
  /** The run that the record was found to belong to, when its message did not say it: its copies and its dead letter carry it. */
  readonly flow?: RunReference | undefined
}

type ClaimKind = ClaimedRecord | Unclaimed

type Unclaimed = (
  | {
      /** This attempt has to bring the request to the dead-letter queue. */
      readonly kind: 'deadLettering'
      readonly hold: Hold
    }
  /** `held`: another attempt of its request has the lease. `busy`: another request has its key. `early`: it is not yet due. */
  | { readonly kind: 'held' | 'busy' | 'early'; readonly until: number }
  /** A newer copy is on the queue for certain. */
  | { readonly kind: 'replaced' }
  | { readonly kind: 'over'; readonly as: EndReason; readonly reason?: string | undefined }
  /** To the dead-letter queue, with nothing in the store to fence first. */
  | { readonly kind: 'refuse'; readonly refusal: DeadLetterNotice }
  /** Its content is stored, or is on the queue in messages of its own. */
  | { readonly kind: 'accepted'; readonly as: string }
  /** Not claimed: the last of so many attempts ended without writing anything. It runs later, alone. */
  | { readonly kind: 'silent'; readonly attempts: number }
  /** The stored record was written by a newer version, or by hand. */
  | { readonly kind: 'unreadable' }
  | { readonly kind: 'failed'; readonly error: Error }
) & {
  /** For the log: the request that the record belongs to, and the other one that was in its way. */
  readonly about?: LogFields | undefined
}
