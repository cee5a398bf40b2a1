import type { SQSBatchResponse, SQSRecord } from 'aws-lambda'
import { hasCode, RetryableError, StoreUnavailableError } from '../../base/errors.ts'
import { stableId } from '../../base/ids.ts'
import { comesBackAt, isAcknowledged } from '../../protocol/claim/settlement.ts'
import type { HideRequest } from '../../protocol/send/messenger.ts'
import { MAX_HIDDEN_MS } from '../../protocol/send/retry.ts'
import { countOf, receiptsOf } from './readRecord.ts'
import type { Invocation, SettledRecord } from './invocation.ts'
import type { StayingRecord } from './partialResponses.ts'
import { responseSite } from './responseSite.ts'

/** Names the records that stay on the queue, each hidden for as long as it has to wait. */
export async function buildResponse(
  settled: readonly SettledRecord[],
  invocation: Invocation,
): Promise<SQSBatchResponse> {
  const { name, features } = invocation.consumer
  const hidden = await hideUntilDue(settled, invocation)
  const finished = settled.filter(({ settlement }) => isAcknowledged(settlement))
  // @protects records that are not settled stay on the queue
  // @without []
  const kept = settled.filter(({ settlement }) => !isAcknowledged(settlement))
  const done = async (): Promise<string> =>
    `${await deleteFinished(finished, settled.length, invocation)}, the others stay on the queue`
  const outage = kept.find(({ settlement }) => isOutage(settlement))?.settlement
  if (outage?.kind === 'failed') {
    // Lambda slows its polling only when the function fails. A failed batch stays on the queue as a whole.
    const { error: cause } = outage
    throw new StoreUnavailableError(
      `${name}: the store did not answer (${cause.message}); ${await done()}`,
      { cause },
    )
  }
  const stay = kept.map((each) => asStaying(each, hidden, invocation))
  const { responses } = features
  const records = finished.map(({ record }) => record)
  const named =
    responses === undefined ? stay : await responses.judge(stay, records, responseSite(invocation))
  if (named === undefined) {
    // A mapping that does not read batchItemFailures deletes the whole batch, unless the function fails.
    throw new RetryableError(
      `${name}: ${await done()}; the batch fails for that, since reportBatchItemFailures is false, or the mapping does not read ` +
        `batchItemFailures. Set FunctionResponseTypes: [ReportBatchItemFailures] in the mapping, then leave the option out.`,
    )
  }
  const ids = new Set(named.map(({ record }) => record.messageId))
  return { batchItemFailures: [...ids].map((itemIdentifier) => ({ itemIdentifier })) }
}

/** An item or message of a newer version is no outage: the other records of the batch are not held up by it. */
function isOutage(settlement: SettledRecord['settlement']): boolean {
  return (
    settlement.kind === 'failed' &&
    hasCode(settlement.error, 'STORE_UNAVAILABLE') &&
    !isNotKnown(settlement)
  )
}

function isNotKnown(settlement: SettledRecord['settlement']): boolean {
  return settlement.kind === 'failed' && hasCode(settlement.error, 'UNKNOWN_FORMAT')
}

/**
 * Pauses of a record that a newer version has written, or whose item it has written, milliseconds. A deployment takes minutes, a
 * forgotten one hours, and each receipt counts for the queue's redrive policy: so the pause doubles.
 */
const FIRST_PAUSE_MS = 60_000
const LONGEST_PAUSE_MS = 3_600_000

/** undefined: after the queue's visibility timeout. */
function backAt({ record, settlement }: SettledRecord, now: number): number | undefined {
  if (!isNotKnown(settlement)) return comesBackAt(settlement)
  return now + Math.min(FIRST_PAUSE_MS * 2 ** (receiptsOf(record) - 1), LONGEST_PAUSE_MS)
}

/** @returns until when the records that have to wait are hidden, as far as SQS has accepted it */
async function hideUntilDue(
  settled: readonly SettledRecord[],
  { consumer, queue, logger }: Invocation,
): Promise<ReadonlyMap<SQSRecord, number>> {
  const now = consumer.clock.now()
  const wanted = settled.flatMap((each) => {
    const request = hideRequestFor(each, now)
    return request === undefined ? [] : [{ record: each.record, request }]
  })
  if (wanted.length === 0) return new Map()
  const requests = wanted.map(({ request }) => request)
  const outcomes = await consumer.messenger.hide(queue, requests)
  const refusal = outcomes.find((outcome) => outcome !== undefined)
  if (refusal !== undefined) {
    logger.warn(
      'visibility could not be changed: records come back after the visibility timeout of the queue',
      { error: refusal.message },
    )
  }
  const taken = wanted.filter((_, nth) => outcomes[nth] === undefined)
  return new Map(taken.map(({ record, request }) => [record, now + request.seconds * 1_000]))
}

/**
 * Until when a record is certainly hidden. A record without a wait of its own stays hidden for the visibility timeout of the
 * queue. That is never shorter than the function's timeout, because Lambda refuses such a mapping. While another attempt runs
 * nothing is certain: it may complete, and its mapping then deletes the message.
 */
function asStaying(
  settled: SettledRecord,
  hidden: ReadonlyMap<SQSRecord, number>,
  { deadline, consumer }: Invocation,
): StayingRecord {
  const { record, held } = settled
  if (held) return { record, until: undefined }
  const waits = backAt(settled, consumer.clock.now()) !== undefined
  return { record, until: waits ? hidden.get(record) : deadline }
}

/** Spreads the records that wait for one lease, so that SQS does not deliver them all at once. */
const SPREAD_MS = 1_000

function hideRequestFor(settled: SettledRecord, now: number): HideRequest | undefined {
  const { record, settlement } = settled
  const until = backAt(settled, now)
  if (until === undefined) return undefined
  const received = countOf(record.attributes?.ApproximateFirstReceiveTimestamp)
  const spread = settlement.kind === 'deferred' ? spreadOf(record.messageId) : 0
  // @protects a wait that SQS would refuse is shortened
  // @without until + spread - now
  const wait = Math.min(until + spread, latestHiddenUntil(received, now)) - now
  return { receiptHandle: record.receiptHandle, seconds: Math.max(Math.ceil(wait / 1_000), 0) }
}

/**
 * Until when SQS lets a message stay hidden: 12 hours from its first receipt, or from this receipt when those 12 hours are over.
 * If SQS refuses a wait, the message stays hidden for the queue's timeout; a wait of zero would bring it back at once, in an
 * endless loop.
 */
function latestHiddenUntil(firstReceived: number, now: number): number {
  const first = Number.isFinite(firstReceived) ? Math.min(firstReceived, now) : now
  return first + MAX_HIDDEN_MS > now ? first + MAX_HIDDEN_MS : now + MAX_HIDDEN_MS
}

function spreadOf(messageId: string): number {
  const byte = Buffer.from(stableId('spread', messageId).slice(0, 4), 'base64url').readUInt8(0)
  return (byte / 255) * SPREAD_MS
}

/** If the deletion fails, SQS delivers the record again, and it is dropped as a duplicate. */
async function deleteFinished(
  finished: readonly SettledRecord[],
  all: number,
  { consumer, queue }: Invocation,
): Promise<string> {
  const handles = finished.map(({ record }) => record.receiptHandle)
  const outcomes = handles.length === 0 ? [] : await consumer.messenger.remove(queue, handles)
  const deleted = outcomes.filter((outcome) => outcome === undefined).length
  const done = `${finished.length} of ${all} records are done`
  return deleted === finished.length ? `${done} and deleted` : `${done}, ${deleted} of them deleted`
}

/**
 * The store, a queue or a bucket has not answered, whatever client calls it. The finished records are acknowledged; the others
 * stay on the queue, and what was begun for them is fenced as after a kill.
 */
export function endsSoFar(
  records: readonly SQSRecord[],
  { settled, logger, watch }: Invocation,
): readonly SettledRecord[] {
  const ended = new Set(settled.map(({ record }) => record))
  const open = records.filter((record) => !ended.has(record))
  const messageIds = open.map(({ messageId }) => messageId)
  logger.error('left on the queue: the time was up before these records had an end', { messageIds })
  const error = new RetryableError('the time was up before the record had an end')
  const settlement = { kind: 'failed', error } as const
  for (const _ of open) watch?.settled?.(settlement, undefined)
  return [...settled, ...open.map((record) => ({ record, settlement, held: false }))]
}
