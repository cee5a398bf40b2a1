import { buildResend } from '../record/envelope/buildMessage.ts'
import type { Carried } from '../record/envelope/envelope.ts'
import { messageOf } from '../errors.ts'
import { stableId } from '../ids.ts'
import type { Logger } from '../logger.ts'
import type { Hold } from '../claim/hold.ts'
import { isForeign } from '../record/message/message.ts'
import { isFifo } from '../queue/queueUrl.ts'
import type { Consumer } from './consumer.ts'
import { unwritten } from './dropped.ts'
import type { Invocation } from './invocation.ts'
import type { Refused } from './claimStrategy.ts'
import { scopeOf } from './scope.ts'
import type { Settlement } from '../claim/settlement.ts'
import { stampOf, type Work } from './incomingRecord.ts'

/** Fence (the hold is dying) → send → bury. Killed in between, the next delivery does the rest again. */
export async function sendToDeadLetters(
  work: Work,
  hold: Hold,
  invocation: Invocation,
  logger: Logger,
): Promise<Settlement> {
  const letter = hold.letter()
  const refusal = await deliver(work, letter, invocation)
  if (refusal !== undefined) return keep(refusal, letter, logger)
  const left = await hold.bury()
  if (left.kind !== 'written') return unwritten(left, logger)
  logger.info('dead-lettered', { reason: letter.reason, attempts: letter.attempts })
  return { kind: 'deadLettered', reason: letter.reason }
}

/** For a record that nothing in the store stands for: refused before any claim, or in conflict with another's claim. */
export async function park(
  work: Work,
  { death, unnamed, ...why }: Refused,
  invocation: Invocation,
  logger: Logger,
): Promise<Settlement> {
  const marks = { ...(unnamed && { unnamed }), ...(death === undefined ? {} : { death }) }
  const told = { ...why, attempts: 0, ...marks }
  const refusal = await deliver(work, told, invocation)
  if (refusal !== undefined) return keep(refusal, told, logger)
  logger.error('dead-lettered without a run', { ...why })
  return { kind: 'deadLettered', reason: why.reason }
}

function keep(refusal: Error, { reason, error }: Told, logger: Logger): Settlement {
  logger.error('cannot be dead-lettered: the record stays on its queue and is not run', {
    error: refusal.message,
    reason,
    why: error,
  })
  return { kind: 'failed', error: refusal }
}

type Told = Pick<Carried, 'reason' | 'error' | 'attempts' | 'death'> & Pick<Refused, 'unnamed'>

/**
 * A FIFO queue drops what has the name of another letter within five minutes. So a letter is named after the message that it tells
 * of, and after its death: a request may be refused in several, and what was sent back may die once more.
 * @returns why the letter was not accepted.
 */
async function deliver(
  work: Work,
  { unnamed, ...told }: Told,
  invocation: Invocation,
): Promise<Error | undefined> {
  const { consumer } = invocation
  const target = await findTarget(invocation)
  if (typeof target !== 'string') return target
  const { record, message } = work
  const letter = buildResend(
    record,
    message.envelope,
    {
      ...stampOf(work),
      retry: 0,
      hops: 0,
      source: record.eventSourceARN,
      ...(unnamed ? {} : { consumer: ownerOf(work, consumer) }),
      ...told,
    },
    { form: consumer.resendForm },
  )
  if (letter === undefined) return new Error('the message is too large to carry why it died')
  const groupId = record.attributes?.MessageGroupId
  const order = isFifo(target)
    ? {
        groupId: groupId ?? message.uniqueRequestId,
        deduplicationId: nameOf(work, told),
      }
    : {}
  const [outcome] = await consumer.messenger.send(target, [{ ...letter, ...order }])
  return outcome
}

/** Under another name the next redrive would run it here, where none of its effects are known. */
function ownerOf(work: Work, consumer: Consumer): string {
  const { consumer: owner } = work.message.envelope.carried
  return owner !== undefined && isForeign(work.message) ? owner : scopeOf(work, consumer)
}

function nameOf({ record, message }: Work, { death }: Told): string {
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
