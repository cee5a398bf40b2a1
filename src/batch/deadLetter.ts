import { buildResend } from '../envelope/outgoing.ts'
import type { Carried } from '../envelope/envelope.ts'
import { messageOf } from '../errors.ts'
import { stableId } from '../ids.ts'
import type { Logger } from '../logger.ts'
import { bury, landed } from '../lock/settleWrites.ts'
import type { Token } from '../lock/token.ts'
import { isFifo } from '../queue/queueUrl.ts'
import type { Invocation } from './invocation.ts'
import type { Settlement } from './settlement.ts'
import type { Work } from './work.ts'

export interface Death {
  readonly reason: string
  readonly error: string
}

/** The token as `die` has left it. */
export function dying(token: Token, death: Death): Token {
  return { ...token, status: 'dying', death: token.death + 1, ...death }
}

/** Fence (the token is dying) → send → bury. Killed in between, the next delivery does the rest again. */
export async function sendToDeadLetters(
  work: Work,
  token: Token,
  invocation: Invocation,
  logger: Logger,
): Promise<Settlement> {
  const reason = token.reason ?? 'exhausted'
  const told = { reason, error: token.error ?? '', attempts: token.attempt, death: token.death }
  const refusal = await deliver(work, told, invocation)
  if (refusal !== undefined) return keep(refusal, logger)
  const update = bury(token, invocation.consumer.clock.now())
  const outcome = await invocation.commit(update)
  if (landed(outcome, update, token)) return { kind: 'deadLettered', reason }
  const error =
    outcome.kind === 'failed' ? outcome.error : new Error('another attempt buries the record')
  return { kind: 'failed', error }
}

/** For a record that no token stands for: refused before any claim, or in conflict with another's claim. */
export async function park(
  work: Work,
  death: Death,
  invocation: Invocation,
  logger: Logger,
): Promise<Settlement> {
  const { death: told } = work.message.envelope.carried
  const refusal = await deliver(
    work,
    { ...death, attempts: 0, ...(told === undefined ? {} : { death: told }) },
    invocation,
  )
  if (refusal !== undefined) return keep(refusal, logger)
  logger.error('dead-lettered without a run', { ...death })
  return { kind: 'deadLettered', reason: death.reason }
}

function keep(refusal: Error, logger: Logger): Settlement {
  logger.error('cannot be dead-lettered: the record stays on its queue and is not run', {
    error: refusal.message,
  })
  return { kind: 'failed', error: refusal }
}

type Told = Pick<Carried, 'reason' | 'error' | 'attempts' | 'death'>

/** @returns why the letter was not accepted. */
async function deliver(
  { record, message }: Work,
  told: Told,
  invocation: Invocation,
): Promise<Error | undefined> {
  const { consumer } = invocation
  const target = await findTarget(invocation)
  if (typeof target !== 'string') return target
  const { traceparent } = message.envelope.carried
  const letter = buildResend(
    record,
    message.envelope,
    {
      uniqueRequestId: message.uniqueRequestId,
      retry: 0,
      hops: 0,
      sentAt: message.sentAt,
      ...(traceparent === undefined ? {} : { traceparent }),
      ...told,
    },
    { form: consumer.resendForm },
  )
  if (letter === undefined) return new Error('the message is too large to carry why it died')
  const groupId = record.attributes.MessageGroupId
  const order = isFifo(target)
    ? {
        groupId: groupId ?? message.uniqueRequestId,
        deduplicationId: stableId(message.uniqueRequestId, 'death', String(told.death ?? 0)),
      }
    : {}
  const [outcome] = await consumer.messenger.send(target, [{ ...letter, ...order }])
  return outcome
}

async function findTarget(invocation: Invocation): Promise<string | Error> {
  const { consumer, queueUrl } = invocation
  if (consumer.deadLetterQueueUrl !== undefined) return consumer.deadLetterQueueUrl
  try {
    const found = await consumer.messenger.deadLetterQueueOf(queueUrl)
    return (
      found ??
      new Error(`${queueUrl} has no redrive policy: give it one, or set deadLetterQueueUrl`)
    )
  } catch (error) {
    return new Error(
      `the redrive policy of ${queueUrl} cannot be read (${messageOf(error)}): allow sqs:GetQueueAttributes, or set deadLetterQueueUrl`,
      { cause: error },
    )
  }
}
