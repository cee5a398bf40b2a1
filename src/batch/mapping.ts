import type { SQSRecord } from 'aws-lambda'
import { isGone } from '../queue/refusal.ts'
import type { SendOutcome } from '../queue/messenger.ts'

/** What an event source mapping does with the response: `reports` reads batchItemFailures, `ignores` deletes all records. */
type PartialResponses = 'unknown' | 'reports' | 'ignores'

/** A record that was named as failed and has to stay on its queue. */
export interface UnacknowledgedRecord {
  readonly record: SQSRecord
  /** Certainly hidden until then, epoch milliseconds. undefined: not known. */
  readonly until: number | undefined
}

interface ReportedRecord extends UnacknowledgedRecord {
  /** When the response was returned, epoch milliseconds. */
  readonly answeredAt: number
  readonly askedAt?: number
}

/**
 * What this process knows of one event source mapping; the function has no API to ask. A mapping that reads batchItemFailures
 * leaves a message that was named as failed in flight. One that ignores them deletes it, and SQS answers that the message is gone
 * while it is certainly hidden.
 */
export interface Mapping {
  partialResponses(): PartialResponses
  /** Records of an invocation, before they run: one that was named as failed and comes back was not deleted. */
  noteReceived(records: readonly SQSRecord[], now: number): void
  /** Named records to ask SQS for, as many as fit into one call. */
  dueForProbe(now: number): readonly UnacknowledgedRecord[]
  /** SQS's answers for those. @param askedAt when the call was sent @param now when its answer came */
  noteProbe(
    asked: readonly UnacknowledgedRecord[],
    outcomes: readonly SendOutcome[],
    askedAt: number,
    now: number,
  ): void
  /** Records that the response names as failed, which is returned now. */
  noteReported(kept: readonly UnacknowledgedRecord[], now: number): void
  /** Once the mapping is known to ignore responses: the records that it has deleted, the oldest first, to one invocation only. */
  takeDeleted(): readonly UnacknowledgedRecord[]
  /** Records that could not be sent again yet. */
  returnDeleted(kept: readonly UnacknowledgedRecord[]): void
}

/** Not sooner: the mapping may not have deleted yet. */
const FIRST_PROBE_MS = 100
/** A mapping deletes after the response: only a message that is still there so much later proves that it leaves messages. */
const DELETED_AFTER_MS = 2_000
/** For clock skew and the time of a call: closer to its end, a wait may be over when SQS answers. */
const MARGIN_MS = 250
const MAX_PROBED = 10
/** More than twice the size of the largest event. */
const MAX_REMEMBERED_BYTES = 16 * 1_024 * 1_024
/** Approximate size of a record without its body. */
const RECORD_BYTES = 1_024

export function openMapping(reading: PartialResponses): Mapping {
  let state = reading
  let remembered: readonly ReportedRecord[] = []
  let deleted: readonly UnacknowledgedRecord[] = []
  return {
    partialResponses: () => state,
    noteReceived(records, now) {
      if (remembered.length === 0) return
      const receipts = new Map(records.map((record) => [record.messageId, receiptsOf(record)]))
      if (state === 'unknown' && remembered.some((each) => cameBackInTime(each, receipts, now))) {
        state = 'reports'
        remembered = []
      }
      // The old receipt handle may be refused from now on, which would prove nothing.
      remembered = remembered.filter(({ record }) => !receipts.has(record.messageId))
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
      if (there.some(({ answeredAt }) => askedAt >= answeredAt + DELETED_AFTER_MS)) {
        state = 'reports'
        remembered = []
      } else if (there.length === 0 && answered.some(isDeleted)) {
        state = 'ignores'
        deleted = remembered
        remembered = []
      } else {
        remembered = remembered.map((each) =>
          answerOf.has(each.record) ? { ...each, askedAt } : each,
        )
      }

      function isDeleted({ record, until }: ReportedRecord): boolean {
        const outcome = answerOf.get(record)
        return outcome !== undefined && isGone(outcome) && until !== undefined && now < until
      }
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

function receiptsOf({ attributes }: SQSRecord): number {
  return Number(attributes?.ApproximateReceiveCount)
}

/** SQS may deliver a message twice: only one that comes back when it is due was left on the queue. */
function cameBackInTime(
  { record, until, answeredAt }: ReportedRecord,
  receipts: ReadonlyMap<string, number>,
  now: number,
): boolean {
  const again = receipts.get(record.messageId)
  if (again === undefined || !(again > receiptsOf(record))) return false
  return now >= (until ?? answeredAt + DELETED_AFTER_MS) - MARGIN_MS
}

function isDue({ until, answeredAt, askedAt }: ReportedRecord, now: number): boolean {
  if (until === undefined || now + MARGIN_MS >= until) return false
  if (askedAt === undefined) return now >= answeredAt + FIRST_PROBE_MS
  const deletedBy = answeredAt + DELETED_AFTER_MS
  return askedAt < deletedBy && now >= deletedBy
}

/** The newest records that fit. A mapping that ignores responses is found out long before the limit. */
function newest(given: readonly ReportedRecord[]): readonly ReportedRecord[] {
  let room = MAX_REMEMBERED_BYTES
  const last = given.findLastIndex(({ record }) => (room -= bytesOf(record)) < 0)
  return given.slice(last + 1)
}

function bytesOf({ body }: Partial<SQSRecord>): number {
  return (body?.length ?? 0) + RECORD_BYTES
}
