import { buildResend } from '../envelope/outgoing.ts'
import { stableId } from '../ids.ts'
import type { Logger } from '../logger.ts'
import { confirmTicket, landed, waitUntil, writeTicket } from '../lock/settleWrites.ts'
import type { Token } from '../lock/token.ts'
import type { Outbound } from '../queue/messenger.ts'
import { chooseTransport, MAX_DELAY_MS } from '../retry/transport.ts'
import type { Update } from '../store/store.ts'
import type { Invocation } from './invocation.ts'
import type { Settlement } from './settlement.ts'
import type { Work } from './work.ts'

/** Makes the record come back for its next attempt, by a delayed copy or by staying hidden. */
export async function retry(
  work: Work,
  token: Token,
  after: number | undefined,
  invocation: Invocation,
  logger: Logger,
): Promise<Settlement> {
  const { consumer, fifo } = invocation
  const { hops } = work.message.envelope.carried
  const delay = after ?? consumer.delay(token.attempt, jitterOf(work, token))
  const until = consumer.clock.now() + delay
  const ticket = Math.max(token.ticket, work.message.envelope.carried.retry) + 1
  const transport = chooseTransport({ wanted: consumer.transport, fifo, hops })
  const copy = transport === 'resend' ? copyOf(work, ticket, until, delay, invocation) : undefined
  return copy === undefined
    ? stayHidden(token, until, invocation)
    : resend(token, ticket, until, copy, invocation, logger)
}

/** The same for one request and attempt, so that a run can be repeated; different from request to request. */
function jitterOf({ message }: Work, token: Token): number {
  const digest = stableId(message.uniqueRequestId, 'jitter', String(token.attempt))
  return Buffer.from(digest.slice(0, 4), 'base64url').readUInt16BE(0) / 0xffff
}

async function stayHidden(
  token: Token,
  until: number,
  invocation: Invocation,
): Promise<Settlement> {
  const refusal = await write(token, waitUntil(token, until), invocation)
  return refusal ?? { kind: 'retrying', until }
}

/** Ticket → send → confirm → acknowledge: lost at any point, a copy is left, and copies cannot multiply executions. */
async function resend(
  token: Token,
  ticket: number,
  until: number,
  copy: Outbound,
  invocation: Invocation,
  logger: Logger,
): Promise<Settlement> {
  const refusal = await write(token, writeTicket(token, ticket, until), invocation)
  if (refusal !== undefined) return refusal
  const failure = await invocation.sendBack(copy)
  if (failure !== undefined) {
    logger.warn('the copy was not accepted: the message itself comes back', {
      error: failure.message,
    })
    return { kind: 'retrying', until }
  }
  await invocation.commit(confirmTicket(token))
  return { kind: 'resent', retry: ticket, until }
}

async function write(
  token: Token,
  update: Update,
  invocation: Invocation,
): Promise<Settlement | undefined> {
  const outcome = await invocation.commit(update)
  if (landed(outcome, update, token)) return undefined
  const error =
    outcome.kind === 'failed'
      ? outcome.error
      : new Error('another attempt has taken over the record')
  return { kind: 'failed', error }
}

function copyOf(
  { record, message }: Work,
  ticket: number,
  notBefore: number,
  delay: number,
  { consumer }: Invocation,
): Outbound | undefined {
  const { traceparent, hops } = message.envelope.carried
  const copy = buildResend(
    record,
    message.envelope,
    {
      uniqueRequestId: message.uniqueRequestId,
      retry: ticket,
      hops: hops + 1,
      sentAt: message.sentAt,
      notBefore: Math.ceil(notBefore),
      ...(traceparent === undefined ? {} : { traceparent }),
    },
    { form: consumer.resendForm },
  )
  if (copy === undefined) return undefined
  const delaySeconds = Math.ceil(Math.min(delay, MAX_DELAY_MS) / 1_000)
  const groupId = record.attributes?.MessageGroupId
  return { ...copy, delaySeconds, ...(groupId === undefined ? {} : { groupId }) }
}
