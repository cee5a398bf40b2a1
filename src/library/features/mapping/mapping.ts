import type { SQSRecord } from 'aws-lambda'
import { countOf } from '../../run/deliver/readRecord.ts'
import type { StayingRecord } from '../../run/deliver/partialResponses.ts'
import type { SendOutcome } from '../../protocol/send/messenger.ts'
import { isGone } from '../../protocol/send/refusal.ts'

/** How an event source mapping treats the response: `reports` reads batchItemFailures, `ignores` deletes all records. */
type PartialResponses = 'unknown' | 'reports' | 'ignores'

interface ReportedRecord extends StayingRecord {
  /** When the response was returned, epoch milliseconds. */
  readonly answeredAt: number
  readonly askedAt?: number
}

/**
 * What this process knows about one event source mapping; a function cannot query it. A mapping that reads batchItemFailures
 * leaves a failed message in flight. A mapping that ignores them deletes it, and SQS then answers that the message is gone
 * although it should still be hidden. So it answers when a person has purged the queue: then a message that no purge can have met
 * has to be gone, too.
 */
export interface Mapping {
  partialResponses(): PartialResponses
  /** Whether records of earlier responses wait for a probe, or to be sent again. */
  isInQuestion(): boolean
  /**
   * Notes the records of an invocation before they run: a record that was named as failed and is delivered again was not deleted.
   */
  noteReceived(records: readonly SQSRecord[], now: number): void
  /** Failed records to ask SQS about, as many as fit into one call. */
  dueForProbe(now: number): readonly StayingRecord[]
  /** Notes the answers of SQS about those records. */
  noteProbe(
    asked: readonly StayingRecord[],
    outcomes: readonly SendOutcome[],
    askedAt: number,
    now: number,
  ): void
  /**
   * While messages are gone and it is not known why: a finished record to name as failed, which is probed in the next invocation.
   * SQS delivers it again, as a duplicate, or has deleted it as it should.
   */
  witness(finished: readonly SQSRecord[], now: number): SQSRecord | undefined
  /** Notes the records that the response names as failed. The response is returned now. */
  noteReported(kept: readonly StayingRecord[], now: number): void
  /**
   * The records that the mapping has deleted, the oldest first, once it is known to ignore responses. Each is given to one
   * invocation only.
   */
  takeDeleted(): readonly StayingRecord[]
  /** Takes back records that could not be sent again yet. */
  returnDeleted(kept: readonly StayingRecord[]): void
}

/** The earliest probe after the response: before that the mapping may not have deleted the records yet. */
const FIRST_PROBE_MS = 100
/**
 * A mapping deletes after the response. Only a message that still exists after this time proves that the mapping does not delete.
 */
const DELETED_AFTER_MS = 2_000
/** Reserve for clock skew and for the duration of a call: closer to its end, a wait may be over when SQS answers. */
const MARGIN_MS = 250
/** Within this time of its call PurgeQueue deletes what was sent before it. */
const PURGE_MS = 60_000
const MAX_PROBED = 10
/** More than twice the size of the largest event. */
const MAX_REMEMBERED_BYTES = 16 * 1_024 * 1_024
/** Approximate size of a record without its body. */
const RECORD_BYTES = 1_024

export function openMapping(reading: PartialResponses): Mapping {
  let state = reading
  let remembered: readonly ReportedRecord[] = []
  let deleted: readonly StayingRecord[] = []
  // Gone, by the mapping or by a purge. `suspectedAt`: when that was seen, epoch milliseconds.
  let suspects: readonly ReportedRecord[] = []
  let suspectedAt = 0
  const provenToReport = (): void => {
    state = 'reports'
    remembered = []
    suspects = []
  }
  const isBeyondPurge = (record: SQSRecord, at: number): boolean =>
    Number(record.attributes?.SentTimestamp) >= suspectedAt || at >= suspectedAt + PURGE_MS
  return {
    partialResponses: () => state,
    isInQuestion: () => remembered.length + suspects.length + deleted.length > 0,
    noteReceived(records, now) {
      const waiting = [...suspects, ...remembered]
      if (waiting.length === 0) return
      const receipts = new Map(records.map((record) => [record.messageId, receiveCountOf(record)]))
      if (state === 'unknown' && waiting.some((each) => cameBackInTime(each, receipts, now)))
        provenToReport()
      // SQS may refuse the old receipt handle from now on, which would prove nothing.
      const isAway = ({ record }: ReportedRecord): boolean => !receipts.has(record.messageId)
      remembered = remembered.filter(isAway)
      suspects = suspects.filter(isAway)
    },
    dueForProbe(now) {
      if (state !== 'unknown') return []
      return remembered
        .filter((each) => isDue(each, now))
        .toSorted((one, other) => (other.until ?? 0) - (one.until ?? 0))
        .slice(0, MAX_PROBED)
    },
    noteProbe(asked, outcomes, askedAt, now) {
      if (state !== 'unknown') return
      const answerOf = new Map(asked.map(({ record }, index) => [record, outcomes[index]]))
      const answered = remembered.filter(({ record }) => answerOf.has(record))
      const there = answered.filter(({ record }) => answerOf.get(record) === undefined)
      if (
        there.some(
          ({ answeredAt }) =>
            // @protects a mapping is trusted only when it could have deleted by then
            // @without true
            askedAt >= answeredAt + DELETED_AFTER_MS,
        )
      ) {
        provenToReport()
      } else if (there.length === 0 && answered.some(isDeleted)) {
        // @protects a purge is not undone, and the mapping not blamed for it
        // @without true
        const isProof = ({ record, answeredAt }: ReportedRecord): boolean =>
          suspects.length > 0 && isBeyondPurge(record, answeredAt)
        const isProven = answered.filter(isDeleted).some(isProof)
        if (suspects.length === 0) suspectedAt = now
        suspects = [...suspects, ...remembered]
        remembered = []
        if (!isProven) return
        state = 'ignores'
        deleted = suspects
        suspects = []
      } else {
        remembered = remembered.map((each) =>
          answerOf.has(each.record) ? { ...each, askedAt } : each,
        )
      }

      function isDeleted({ record, until }: ReportedRecord): boolean {
        const outcome = answerOf.get(record)
        return (
          outcome !== undefined &&
          isGone(outcome) &&
          until !== undefined &&
          // @protects only a message that should still be hidden proves that it was deleted
          now < until
        )
      }
    },
    witness(finished, now) {
      const isAsked = remembered.some(({ until = 0 }) => until > now)
      if (suspects.length === 0 || isAsked) return undefined
      return finished.findLast((record) => isBeyondPurge(record, now))
    },
    noteReported(kept, now) {
      if (state !== 'unknown') return
      remembered = newest([...remembered, ...kept.map((each) => ({ ...each, answeredAt: now }))])
    },
    takeDeleted() {
      const taken = deleted
      deleted = []
      return taken
    },
    returnDeleted(kept) {
      deleted = [...kept, ...deleted]
    },
  }
}

/** NaN where the event does not say it: then nothing follows from it. */
function receiveCountOf({ attributes }: SQSRecord): number {
  return countOf(attributes?.ApproximateReceiveCount)
}

/**
 * SQS may deliver a message twice, so only a message that is delivered again when it is due proves that it was left on the queue.
 */
function cameBackInTime(
  { record, until, answeredAt }: ReportedRecord,
  receipts: ReadonlyMap<string, number>,
  now: number,
): boolean {
  const again = receipts.get(record.messageId)
  if (again === undefined || !(again > receiveCountOf(record))) return false
  return now >= (until ?? answeredAt + DELETED_AFTER_MS) - MARGIN_MS
}

function isDue({ until, answeredAt, askedAt }: ReportedRecord, now: number): boolean {
  if (until === undefined || now + MARGIN_MS >= until) return false
  if (askedAt === undefined) return now >= answeredAt + FIRST_PROBE_MS
  const deletedBy = answeredAt + DELETED_AFTER_MS
  return askedAt < deletedBy && now >= deletedBy
}

/** The newest records that fit. A mapping that ignores responses is detected long before the limit. */
function newest(given: readonly ReportedRecord[]): readonly ReportedRecord[] {
  let room = MAX_REMEMBERED_BYTES
  const last = given.findLastIndex(({ record }) => (room -= bytesOf(record)) < 0)
  return given.slice(last + 1)
}

function bytesOf({ body }: Partial<SQSRecord>): number {
  return (body?.length ?? 0) + RECORD_BYTES
}
