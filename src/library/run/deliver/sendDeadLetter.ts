import { hasCode, messageOf, toError } from '../../base/errors.ts'
import { stableId } from '../../base/ids.ts'
import type { Logger } from '../../base/logger.ts'
import type { DeadLetterNotice, Death } from '../../protocol/claim/hold.ts'
import type { Settlement } from '../../protocol/claim/settlement.ts'
import type { OutgoingMessage } from '../../protocol/record/envelope/buildMessage.ts'
import { buildResend } from '../../protocol/record/envelope/buildResend.ts'
import type { LineclearAttributes } from '../../protocol/record/envelope/envelope.ts'
import { readEnvelope } from '../../protocol/record/envelope/readEnvelope.ts'
import { hasForeignId } from '../../protocol/record/message/message.ts'
import { groupOfRecord } from '../../protocol/send/messageGroup.ts'
import type { Consumer } from './consumer.ts'
import { type Attempt, type Delivery, raiseFence } from './delivery.ts'
import { type IncomingRecord, scopeOf, stampOf } from './readRecord.ts'
import type { Invocation } from './invocation.ts'
import { sendFitting } from './sendFitting.ts'
import { settleUnwritten } from './settleAttempt.ts'

/**
 * Fence (startDeadLettering) → raise the fence in SQL → send → finish. If the process is killed in between, the next delivery does
 * the rest.
 */
export async function sendDeadLetter(attempt: Attempt): Promise<Settlement> {
  const { hold, logger } = attempt
  const report = hold.deathReport()
  // @protects a dead letter leaves after the fence in SQL
  // @without its right
  const refusal = (await fenceSql(attempt)) ?? (await send(attempt, report))
  // @protects a record is parked only when its queue has taken the dead letter
  if (refusal !== undefined) return keepOnQueue(refusal, report, logger)
  const { consumer, leaseUntil } = attempt.invocation
  const { onFailure, isDeadFinal, clock } = consumer
  const told = onFailure && (isDeadFinal ? 'final' : 'told')
  const result = await hold.finishDeadLettering(told)
  if (result.kind !== 'written') return settleUnwritten(result, logger)
  logger.info('dead-lettered', { reason: report.reason, attempts: report.attempts })
  // @protects a message stays until onFailure has ended, because it carries its payload
  return told === undefined
    ? { kind: 'deadLettered', reason: report.reason }
    : { kind: 'retrying', until: told === 'final' ? leaseUntil : clock.now() }
}

/**
 * The last COMMIT of a dying attempt may be on its way: it must not land after the dead letter has been sent. A fence that a
 * later attempt has raised protects equally.
 * @returns why the dead letter may not be sent
 */
async function fenceSql(attempt: Attempt): Promise<Error | undefined> {
  try {
    await raiseFence(attempt)
    return undefined
  } catch (error) {
    return hasCode(error, 'SUPERSEDED') ? undefined : toError(error)
  }
}

/** Dead-letters a record without a claim: it was refused before one, or it is in conflict with the claim of another message. */
export async function deadLetterWithoutRun(
  delivery: Delivery,
  { death, unnamed, ...why }: DeadLetterNotice,
): Promise<Settlement> {
  const { logger } = delivery
  const notice = { ...why, attempts: 0, ...(death === undefined ? {} : { death }) }
  const refusal = await send(delivery, notice, unnamed)
  if (refusal !== undefined) return keepOnQueue(refusal, notice, logger)
  logger.error('dead-lettered without a run', { ...why })
  return { kind: 'deadLettered', reason: why.reason }
}

function keepOnQueue(refusal: Error, { reason, error }: Death, logger: Logger): Settlement {
  logger.error('cannot be dead-lettered: the record stays on its queue and is not run', {
    error: refusal.message,
    reason,
    why: error,
  })
  return { kind: 'failed', error: refusal }
}

type DeadLetterFields = Pick<
  LineclearAttributes,
  'reason' | 'error' | 'stack' | 'attempts' | 'death'
>

/** @returns why the queue did not accept the message */
async function send(
  { incoming, invocation }: Delivery,
  fields: DeadLetterFields,
  unnamed?: true,
): Promise<Error | undefined> {
  const { consumer, lambda } = invocation
  const target = await findTarget(invocation)
  if (target instanceof Error) return target
  const { record, message } = incoming
  const { functionVersion: version } = lambda
  const stamp = {
    ...stampOf(incoming),
    resendNumber: 0,
    hops: 0,
    source: record.eventSourceARN,
    ...(unnamed ? {} : { consumer: ownerOf(incoming, consumer) }),
    ...(/^\d+$/.test(version) && { version }),
    ...fields,
  }
  const build = (maxBytes?: number): OutgoingMessage | undefined =>
    buildResend(record, message.envelope, stamp, { maxBytes }) ??
    withoutPayload(incoming, stamp, consumer, maxBytes) ??
    buildResend(record, message.envelope, stamp, { form: 'compressed', maxBytes })
  const deadLetter = build()
  if (deadLetter === undefined) return new Error(TOO_LARGE)
  const grouping = groupOfRecord(target, record, () => ({
    groupId: message.uniqueRequestId,
    deduplicationId: deduplicationIdOf(incoming, fields.death),
  }))
  return sendFitting(
    (letter) => invocation.send(target, { ...letter, ...grouping }),
    deadLetter,
    build,
  )
}

const TOO_LARGE =
  'the message is too large to carry why it died; the option offload, such as s3Objects({ bucket }), makes room for it'

/** The dead letter of a message that has no room for a reason: its payload makes room. */
function withoutPayload(
  { record, message: { envelope } }: IncomingRecord,
  stamp: LineclearAttributes,
  { offload, topics, clock }: Consumer,
  maxBytes: number | undefined,
): OutgoingMessage | undefined {
  if (offload === undefined || envelope.carried.payload !== undefined) return undefined
  // As it was sent: `envelope` may hold what is inside the event of an AWS service.
  const { body } = readEnvelope(record, { topics, now: clock.now() })
  return buildResend(record, envelope, stamp, { moved: offload.move(body), maxBytes })
}

/**
 * The consumer that the dead letter names. If it named this consumer for a message whose id may belong to another one, a redrive
 * would run the message here, where none of its effects are known.
 */
function ownerOf(incoming: IncomingRecord, consumer: Consumer): string {
  const { consumer: owner } = incoming.message.envelope.carried
  // @protects a dead letter names the consumer that has run it
  // @without its else
  return owner !== undefined && hasForeignId(incoming.message) ? owner : scopeOf(incoming, consumer)
}

/**
 * A FIFO queue drops a second message with the same id within five minutes. So the id is made from the message and its death: one
 * request may be refused in several messages, and a redriven message may die again.
 */
function deduplicationIdOf({ record, message }: IncomingRecord, death: number | undefined): string {
  const { SentTimestamp } = record.attributes
  return stableId(message.uniqueRequestId, 'letter', record.messageId, SentTimestamp, String(death))
}

async function findTarget({ consumer, queue }: Invocation): Promise<string | Error> {
  const { deadLetterQueueUrl, messenger } = consumer
  if (deadLetterQueueUrl !== undefined) return deadLetterQueueUrl
  try {
    return (
      (await messenger.deadLetterQueueOf(queue)) ??
      new Error(`${queue} has no redrive policy: give it one, or set deadLetterQueueUrl`)
    )
  } catch (error) {
    return new Error(
      `the redrive policy of ${queue} cannot be read (${messageOf(error)}): allow sqs:GetQueueAttributes, or set deadLetterQueueUrl`,
      { cause: error },
    )
  }
}
