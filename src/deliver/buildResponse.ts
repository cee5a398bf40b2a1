import type { SQSBatchResponse, SQSRecord } from 'aws-lambda'
import { hasCode, RetryableError, StoreUnavailableError } from '../base/errors.ts'
import { stableId } from '../base/ids.ts'
import { unchangedCopy, buildResend } from '../record/envelope/buildResend.ts'
import { groupOfRecord } from '../send/messageGroup.ts'
import type { HideRequest, QueueMessage } from '../send/messenger.ts'
import { EntryRefusedError, isPermanent } from '../send/refusal.ts'
import { MAX_HIDDEN_MS } from '../send/retry.ts'
import { copyOptions, countOf, type IncomingRecord, readRecord, stampOf } from './incomingRecord.ts'
import type { Invocation } from './invocation.ts'
import type { ResponseSite, StayingRecord } from './feature.ts'
import type { SettledRecord } from './invocation.ts'
import { comesBackAt, isAcknowledged } from '../claim/settlement.ts'

/** Names the records that stay on the queue, each hidden for as long as it has to wait. */
export async function buildResponse(
  settled: readonly SettledRecord[],
  invocation: Invocation,
): Promise<SQSBatchResponse> {
  const waits = await hideUntilDue(settled, invocation)
  const kept = settled.filter(({ settlement }) => !isAcknowledged(settlement))
  const outage = kept.find(
    ({ settlement }) =>
      settlement.kind === 'failed' && hasCode(settlement.error, 'STORE_UNAVAILABLE'),
  )
  if (outage !== undefined) await failForOutage(settled, outage, invocation)
  const stay = kept.map((each) => asStaying(each, waits, invocation))
  const finished = settled.filter(({ settlement }) => isAcknowledged(settlement))
  const { responses } = invocation.consumer.features
  const named =
    responses === undefined
      ? stay
      : ((await responses.judge(
          stay,
          finished.map(({ record }) => record),
          responseSite(invocation),
        )) ?? (await failBatch(settled, invocation)))
  const ids = new Set(named.map(({ record }) => record.messageId))
  return { batchItemFailures: [...ids].map((itemIdentifier) => ({ itemIdentifier })) }
}

async function hideUntilDue(
  settled: readonly SettledRecord[],
  { consumer, queue, logger }: Invocation,
): Promise<ReadonlyMap<SQSRecord, number>> {
  const now = consumer.clock.now()
  const wanted = settled.flatMap((each) => {
    const hidden = hideRequestFor(each, now)
    return hidden === undefined ? [] : [{ record: each.record, hidden }]
  })
  if (wanted.length === 0) return new Map()
  const outcomes = await consumer.messenger.hide(
    queue,
    wanted.map(({ hidden }) => hidden),
  )
  const taken = wanted.filter((_, nth) => outcomes[nth] === undefined)
  const until = new Map(
    taken.map(({ record, hidden }) => [record, now + hidden.seconds * 1_000] as const),
  )
  const refusal = outcomes.find((outcome) => outcome !== undefined)
  if (refusal === undefined) return until
  logger.warn(
    'visibility could not be changed: records come back after the visibility timeout of the queue',
    { error: refusal.message },
  )
  return until
}

/**
 * Until when a record is certainly hidden. A record without a wait of its own stays hidden for the visibility timeout of the
 * queue. That is never shorter than the function's timeout, because Lambda refuses such a mapping. While another attempt runs
 * nothing is certain: it may complete, and its mapping then deletes the message.
 * @param waits the waits that SQS has accepted
 */
function asStaying(
  { record, settlement, held }: SettledRecord,
  waits: ReadonlyMap<SQSRecord, number>,
  { deadline }: Invocation,
): StayingRecord {
  if (held) return { record, until: undefined }
  const waited = comesBackAt(settlement) !== undefined
  return { record, until: waited ? waits.get(record) : deadline }
}

/** Spreads the records that wait for one lease, so that they do not all come back at once. */
const SPREAD_MS = 1_000

function hideRequestFor(
  { record, settlement }: SettledRecord,
  now: number,
): HideRequest | undefined {
  const until = comesBackAt(settlement)
  if (until === undefined) return undefined
  const received = countOf(record.attributes?.ApproximateFirstReceiveTimestamp)
  const latest = latestHiddenUntil(received, now)
  const spread = settlement.kind === 'deferred' ? spreadOf(record.messageId) : 0
  const wait = Math.min(until + spread, latest) - now
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

/**
 * Lambda slows its polling only when the function fails, so an outage of the store fails the function on purpose. Finished
 * records are deleted first, because a failed batch stays on the queue as a whole.
 */
async function failForOutage(
  settled: readonly SettledRecord[],
  outage: SettledRecord,
  invocation: Invocation,
): Promise<never> {
  const finished = await deleteFinished(settled, invocation)
  const cause = outage.settlement.kind === 'failed' ? outage.settlement.error : undefined
  throw new StoreUnavailableError(
    `${invocation.consumer.name}: the store did not answer (${cause?.message}); ${finished}, the others stay on the queue`,
    { cause },
  )
}

/** A mapping that does not read batchItemFailures deletes the whole batch, unless the function fails. */
async function failBatch(
  settled: readonly SettledRecord[],
  invocation: Invocation,
): Promise<never> {
  const finished = await deleteFinished(settled, invocation)
  throw new RetryableError(
    `${invocation.consumer.name}: ${finished}, the others stay on the queue; the batch fails for that, since ` +
      `reportBatchItemFailures is false, or the mapping does not read batchItemFailures. ` +
      `Set FunctionResponseTypes: [ReportBatchItemFailures] in the mapping, then leave the option out.`,
  )
}

/** If the deletion fails, the record comes back and is dropped as a duplicate. */
async function deleteFinished(
  settled: readonly SettledRecord[],
  { consumer, queue }: Invocation,
): Promise<string> {
  const finished = settled.filter(({ settlement }) => isAcknowledged(settlement))
  const handles = finished.map(({ record }) => record.receiptHandle)
  const outcomes = handles.length === 0 ? [] : await consumer.messenger.remove(queue, handles)
  const deleted = outcomes.filter((outcome) => outcome === undefined).length
  const done = `${finished.length} of ${settled.length} records are done`
  return deleted === finished.length ? `${done} and deleted` : `${done}, ${deleted} of them deleted`
}

/**
 * The store, a queue or a bucket has not answered, whatever client calls it. The finished records are acknowledged; the others
 * come back, and what was begun for them is fenced as after a kill.
 */
export function endsSoFar(
  records: readonly SQSRecord[],
  { settled, logger, watch }: Invocation,
): readonly SettledRecord[] {
  const ended = new Set(settled.map(({ record }) => record))
  const open = records.filter((record) => !ended.has(record))
  const messageIds = open.map(({ messageId }) => messageId)
  const error = new RetryableError('the time was up before the record had an end')
  logger.error('left on the queue: the time was up before these records had an end', { messageIds })
  return [
    ...settled,
    ...open.map((record) => {
      const settlement = { kind: 'failed', error } as const
      watch?.settled?.(settlement, undefined)
      return { record, settlement, held: false }
    }),
  ]
}

/** The queue as features may use it that judge the response. */
export function responseSite(invocation: Invocation): ResponseSite {
  const { consumer, queue, queueArn, logger } = invocation
  return {
    queue,
    queueArn,
    logger,
    now: () => consumer.clock.now(),
    hide: (messages) => consumer.messenger.hide(queue, messages),
    sendAgain: async (records) => {
      const copies = await Promise.all(records.map((each) => copyOf(each, invocation)))
      return consumer.messenger.send(queue, copies)
    },
    isLost: (refusal) => refusal instanceof EntryRefusedError && isPermanent(refusal),
  }
}

async function copyOf(
  { record, until }: StayingRecord,
  invocation: Invocation,
): Promise<QueueMessage> {
  const { consumer, fifo, queue } = invocation
  const read = await readRecord(record, invocation)
  const copy = 'message' in read ? stampedCopy(read, invocation) : undefined
  // An unstamped copy may lose its identity, but the message is not lost.
  const outgoing = copy ?? unchangedCopy(record)
  if (fifo) {
    const deduplicationId = stableId(record.messageId, 'put back', record.receiptHandle)
    return {
      ...outgoing,
      ...groupOfRecord(queue, record, () => ({ groupId: '', deduplicationId })),
    }
  }
  const wait = Math.max((until ?? 0) - consumer.clock.now(), 0)
  return { ...outgoing, ...copyOptions(record, wait) }
}

function stampedCopy(incoming: IncomingRecord, { consumer }: Invocation) {
  const { carried } = incoming.message.envelope
  const stamp = { ...carried, ...stampOf(incoming), hops: carried.hops + 1 }
  try {
    return buildResend(incoming.record, incoming.message.envelope, stamp, {
      form: consumer.resendForm,
    })
  } catch {
    return undefined
  }
}
