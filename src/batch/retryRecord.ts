import { buildResend } from '../record/envelope/buildMessage.ts'
import { stableId } from '../ids.ts'
import type { Logger } from '../logger.ts'
import type { FailedAttempt, Hold } from '../claim/hold.ts'
import type { QueueMessage } from '../queue/messenger.ts'
import { newTrace } from '../queue/newTrace.ts'
import { chooseTransport, MAX_DELAY_MS } from '../queue/transport.ts'
import { unwritten } from './dropped.ts'
import type { Invocation } from './invocation.ts'
import type { Settlement } from '../claim/settlement.ts'
import { scopeOf } from './scope.ts'
import { stampOf, type IncomingRecord } from './incomingRecord.ts'

interface FailedRun extends FailedAttempt {
  readonly incoming: IncomingRecord
  readonly hold: Hold
  /** Milliseconds, when the error itself says when. */
  readonly after?: number | undefined
}

/** Makes the record come back for its next attempt, by a delayed copy or by staying hidden. */
export async function retryRecord(
  failed: FailedRun,
  invocation: Invocation,
  logger: Logger,
): Promise<Settlement> {
  const { incoming, hold } = failed
  const { consumer, fifo } = invocation
  const { hops } = incoming.message.envelope.carried
  const ticket =
    Math.max(hold.resendNumber, plausibleRetry(incoming.message.envelope.carried.retry)) + 1
  const nth = failed.counts ? hold.attempt : Math.max(ticket, receiptsOf(incoming))
  const delay = failed.after ?? consumer.delay(nth, jitterOf(incoming, hold))
  const until = consumer.clock.now() + delay
  const transport = chooseTransport({ wanted: consumer.transport, fifo, hops })
  const copy =
    transport === 'resend' ? copyOf(incoming, ticket, until, delay, invocation) : undefined
  return copy === undefined
    ? stayHidden(failed, until, logger)
    : resend(failed, ticket, until, copy, invocation, logger)
}

/** No request is re-sent so often. Counted on from a forged number, the copy's own would be too large to be read. */
const MAX_RETRIES = 10_000

function plausibleRetry(retry: number): number {
  return retry > MAX_RETRIES ? 0 : retry
}

/** What does not count as an attempt waits longer each time all the same. */
function receiptsOf({ record }: IncomingRecord): number {
  const receipts = Number(record.attributes?.ApproximateReceiveCount)
  return receipts >= 1 ? receipts : 1
}

/** The same for one request and attempt, so that a run can be repeated; different from request to request. */
function jitterOf({ message }: IncomingRecord, hold: Hold): number {
  const digest = stableId(message.uniqueRequestId, 'jitter', String(hold.attempt))
  return Buffer.from(digest.slice(0, 4), 'base64url').readUInt16BE(0) / 0xffff
}

async function stayHidden(failed: FailedRun, until: number, logger: Logger): Promise<Settlement> {
  const left = await failed.hold.waitUntil(until, failed)
  return left.kind === 'written' ? { kind: 'retrying', until } : unwritten(left, logger)
}

/** Ticket → send → confirm → acknowledge: lost at any point, a copy is left, and copies cannot multiply executions. */
async function resend(
  failed: FailedRun,
  ticket: number,
  until: number,
  copy: QueueMessage,
  invocation: Invocation,
  logger: Logger,
): Promise<Settlement> {
  const { hold } = failed
  const left = await hold.scheduleResend(ticket, until, failed)
  if (left.kind !== 'written') return unwritten(left, logger)
  const failure = await invocation.resend(copy)
  if (failure !== undefined) {
    logger.warn('the copy was not accepted: the message itself comes back', {
      error: failure.message,
    })
    return { kind: 'retrying', until }
  }
  await hold.confirmResend(ticket, until)
  return { kind: 'resent', retry: ticket, until }
}

function copyOf(
  incoming: IncomingRecord,
  ticket: number,
  notBefore: number,
  delay: number,
  { consumer }: Invocation,
): QueueMessage | undefined {
  const { record, message } = incoming
  const copy = buildResend(
    record,
    message.envelope,
    {
      ...stampOf(incoming),
      consumer: scopeOf(incoming, consumer),
      retry: ticket,
      hops: message.envelope.carried.hops + 1,
      notBefore: Math.ceil(notBefore),
    },
    { form: consumer.resendForm },
  )
  if (copy === undefined) return undefined
  const delaySeconds = Math.ceil(Math.min(delay, MAX_DELAY_MS) / 1_000)
  const groupId = record.attributes?.MessageGroupId
  const traceHeader = newTrace(message.uniqueRequestId, message.sentAt)
  return { traceHeader, ...copy, delaySeconds, ...(groupId === undefined ? {} : { groupId }) }
}
