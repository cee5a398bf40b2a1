import { buildResend } from '../envelope/outgoing.ts'
import { stableId } from '../ids.ts'
import type { Logger } from '../logger.ts'
import type { Hold } from '../hold/hold.ts'
import type { Outbound } from '../queue/messenger.ts'
import { chooseTransport, MAX_DELAY_MS } from '../retry/transport.ts'
import { unwritten } from './dropped.ts'
import type { Invocation } from './invocation.ts'
import type { Settlement } from './settlement.ts'
import { scopeOf } from './scope.ts'
import { stampOf, type Work } from './work.ts'

/** Makes the record come back for its next attempt, by a delayed copy or by staying hidden. */
export async function retry(
  work: Work,
  hold: Hold,
  after: number | undefined,
  invocation: Invocation,
  logger: Logger,
): Promise<Settlement> {
  const { consumer, fifo } = invocation
  const { hops } = work.message.envelope.carried
  const delay = after ?? consumer.delay(hold.attempt, jitterOf(work, hold))
  const until = consumer.clock.now() + delay
  const ticket = Math.max(hold.ticket, trusted(work.message.envelope.carried.retry)) + 1
  const transport = chooseTransport({ wanted: consumer.transport, fifo, hops })
  const copy = transport === 'resend' ? copyOf(work, ticket, until, delay, invocation) : undefined
  return copy === undefined
    ? stayHidden(hold, until, logger)
    : resend(hold, ticket, until, copy, invocation, logger)
}

/** No request is re-sent so often. Counted on from a forged number, the copy's own would be too large to be read. */
const MOST_RETRIES = 10_000

function trusted(retry: number): number {
  return retry > MOST_RETRIES ? 0 : retry
}

/** The same for one request and attempt, so that a run can be repeated; different from request to request. */
function jitterOf({ message }: Work, hold: Hold): number {
  const digest = stableId(message.uniqueRequestId, 'jitter', String(hold.attempt))
  return Buffer.from(digest.slice(0, 4), 'base64url').readUInt16BE(0) / 0xffff
}

async function stayHidden(hold: Hold, until: number, logger: Logger): Promise<Settlement> {
  const left = await hold.waitUntil(until)
  return left.kind === 'written' ? { kind: 'retrying', until } : unwritten(left, logger)
}

/** Ticket → send → confirm → acknowledge: lost at any point, a copy is left, and copies cannot multiply executions. */
async function resend(
  hold: Hold,
  ticket: number,
  until: number,
  copy: Outbound,
  invocation: Invocation,
  logger: Logger,
): Promise<Settlement> {
  const left = await hold.writeTicket(ticket, until)
  if (left.kind !== 'written') return unwritten(left, logger)
  const failure = await invocation.sendBack(copy)
  if (failure !== undefined) {
    logger.warn('the copy was not accepted: the message itself comes back', {
      error: failure.message,
    })
    return { kind: 'retrying', until }
  }
  await hold.confirmTicket(ticket, until)
  return { kind: 'resent', retry: ticket, until }
}

function copyOf(
  work: Work,
  ticket: number,
  notBefore: number,
  delay: number,
  { consumer }: Invocation,
): Outbound | undefined {
  const { record, message } = work
  const copy = buildResend(
    record,
    message.envelope,
    {
      ...stampOf(work),
      consumer: scopeOf(work, consumer),
      retry: ticket,
      hops: message.envelope.carried.hops + 1,
      notBefore: Math.ceil(notBefore),
    },
    { form: consumer.resendForm },
  )
  if (copy === undefined) return undefined
  const delaySeconds = Math.ceil(Math.min(delay, MAX_DELAY_MS) / 1_000)
  const groupId = record.attributes?.MessageGroupId
  return { ...copy, delaySeconds, ...(groupId === undefined ? {} : { groupId }) }
}
