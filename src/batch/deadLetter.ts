import { buildResend } from '../record/envelope/buildMessage.ts'
import type { LineclearAttributes } from '../record/envelope/envelope.ts'
import { messageOf } from '../errors.ts'
import { stableId } from '../ids.ts'
import type { Logger } from '../logger.ts'
import type { Hold } from '../claim/hold.ts'
import { hasForeignId } from '../record/message/message.ts'
import { isFifo } from '../queue/queueUrl.ts'
import type { Consumer } from './consumer.ts'
import { unwritten } from './dropped.ts'
import type { Invocation } from './invocation.ts'
import type { DeadLetterNotice } from './claimStrategy.ts'
import { scopeOf } from './scope.ts'
import type { Settlement } from '../claim/settlement.ts'
import { stampOf, type IncomingRecord } from './incomingRecord.ts'

/** Fence (the hold is dying) → send → bury. Killed in between, the next delivery does the rest again. */
export async function sendDeadLetter(
  incoming: IncomingRecord,
  hold: Hold,
  invocation: Invocation,
  logger: Logger,
): Promise<Settlement> {
  const letter = hold.deathReport()
  const refusal = await sendTo(incoming, letter, invocation)
  if (refusal !== undefined) return keepOnQueue(refusal, letter, logger)
  const left = await hold.finishDeadLettering()
  if (left.kind !== 'written') return unwritten(left, logger)
  logger.info('dead-lettered', { reason: letter.reason, attempts: letter.attempts })
  return { kind: 'deadLettered', reason: letter.reason }
}

/** For a record that nothing in the store stands for: refused before any claim, or in conflict with another's claim. */
export async function deadLetterWithoutRun(
  incoming: IncomingRecord,
  { death, unnamed, ...why }: DeadLetterNotice,
  invocation: Invocation,
  logger: Logger,
): Promise<Settlement> {
  const marks = { ...(unnamed && { unnamed }), ...(death === undefined ? {} : { death }) }
  const told = { ...why, attempts: 0, ...marks }
  const refusal = await sendTo(incoming, told, invocation)
  if (refusal !== undefined) return keepOnQueue(refusal, told, logger)
  logger.error('dead-lettered without a run', { ...why })
  return { kind: 'deadLettered', reason: why.reason }
}

function keepOnQueue(
  refusal: Error,
  { reason, error }: DeadLetterFields,
  logger: Logger,
): Settlement {
  logger.error('cannot be dead-lettered: the record stays on its queue and is not run', {
    error: refusal.message,
    reason,
    why: error,
  })
  return { kind: 'failed', error: refusal }
}

type DeadLetterFields = Pick<LineclearAttributes, 'reason' | 'error' | 'attempts' | 'death'> &
  Pick<DeadLetterNotice, 'unnamed'>

/**
 * A FIFO queue drops what has the name of another letter within five minutes. So a letter is named after the message that it tells
 * of, and after its death: a request may be refused in several, and what was sent back may die once more.
 * @returns why the letter was not accepted.
 */
async function sendTo(
  incoming: IncomingRecord,
  { unnamed, ...told }: DeadLetterFields,
  invocation: Invocation,
): Promise<Error | undefined> {
  const { consumer } = invocation
  const target = await findTarget(invocation)
  if (typeof target !== 'string') return target
  const { record, message } = incoming
  const letter = buildResend(
    record,
    message.envelope,
    {
      ...stampOf(incoming),
      retry: 0,
      hops: 0,
      source: record.eventSourceARN,
      ...(unnamed ? {} : { consumer: ownerOf(incoming, consumer) }),
      ...told,
    },
    { form: consumer.resendForm },
  )
  if (letter === undefined) return new Error('the message is too large to carry why it died')
  const groupId = record.attributes?.MessageGroupId
  const order = isFifo(target)
    ? {
        groupId: groupId ?? message.uniqueRequestId,
        deduplicationId: deduplicationIdOf(incoming, told),
      }
    : {}
  const [outcome] = await consumer.messenger.send(target, [{ ...letter, ...order }])
  return outcome
}

/** Under another name the next redrive would run it here, where none of its effects are known. */
function ownerOf(incoming: IncomingRecord, consumer: Consumer): string {
  const { consumer: owner } = incoming.message.envelope.carried
  return owner !== undefined && hasForeignId(incoming.message) ? owner : scopeOf(incoming, consumer)
}

function deduplicationIdOf(
  { record, message }: IncomingRecord,
  { death }: DeadLetterFields,
): string {
  const { SentTimestamp } = record.attributes
  return stableId(message.uniqueRequestId, 'letter', record.messageId, SentTimestamp, String(death))
}

async function findTarget(invocation: Invocation): Promise<string | Error> {
  const { consumer, queue } = invocation
  if (consumer.deadLetterQueueUrl !== undefined) return consumer.deadLetterQueueUrl
  try {
    const found = await consumer.messenger.deadLetterQueueOf(queue)
    return (
      found ?? new Error(`${queue} has no redrive policy: give it one, or set deadLetterQueueUrl`)
    )
  } catch (error) {
    return new Error(
      `the redrive policy of ${queue} cannot be read (${messageOf(error)}): allow sqs:GetQueueAttributes, or set deadLetterQueueUrl`,
      { cause: error },
    )
  }
}
