import { buildResend } from '../record/envelope/buildMessage.ts'
import type { Logger } from '../logger.ts'
import { chooseTransport, MAX_DELAY_MS } from '../queue/transport.ts'
import type { Invocation } from './invocation.ts'
import type { Settlement } from '../claim/settlement.ts'
import { stampOf, type IncomingRecord } from './incomingRecord.ts'

const SHORTEST_MS = 1_000
/** The part of the time it has waited that a message waits until it asks again. */
const PAUSE_SHARE = 0.5
/** Of the pauses of a stage that waits for its sender. */
const GROWTH = 1.5
/** Receipts of one copy: with a few more, SQS would take it for a message that cannot be processed. */
const MAX_RECEIPTS = 3

/**
 * Another request has the flow, and nobody will tell when it is free: it is asked for at growing distances. After a few
 * times a fresh copy takes the place, since each receipt counts for the redrive policy of the queue.
 */
export async function deferUntilFree(
  incoming: IncomingRecord,
  latest: number,
  invocation: Invocation,
  logger: Logger,
): Promise<Settlement> {
  const { consumer, fifo } = invocation
  const { record, message } = incoming
  const now = consumer.clock.now()
  const receipts = Number(record.attributes?.ApproximateReceiveCount)
  const asked = (message.envelope.carried.asked ?? 0) + (receipts >= 1 ? receipts : 1)
  const pause = Math.max(pauseOf(incoming, asked, now), SHORTEST_MS)
  const until = Math.min(now + Math.min(pause, MAX_DELAY_MS), latestPauseEnd(latest, now))
  logger.info(logTextOf(incoming), { until: new Date(until).toISOString() })
  const { hops, retry } = message.envelope.carried
  const transport = chooseTransport({ wanted: consumer.transport, fifo, hops })
  if (transport === 'visibility' || !(receipts >= MAX_RECEIPTS)) return { kind: 'deferred', until }
  const stamp = { ...stampOf(incoming), retry, hops: hops + 1, asked }
  const copy = buildResend(record, message.envelope, stamp, { form: consumer.resendForm })
  if (copy === undefined) return { kind: 'deferred', until }
  const groupId = record.attributes?.MessageGroupId
  const failure = await invocation.resend({
    ...copy,
    delaySeconds: Math.ceil((until - now) / 1_000),
    ...(groupId === undefined ? {} : { groupId }),
  })
  return failure === undefined ? { kind: 'resent', retry, until } : { kind: 'deferred', until }
}

function logTextOf({ message }: IncomingRecord): string {
  return isSentByStage(message)
    ? 'deferred: the stage that handed on has not settled'
    : 'deferred: another request has the key'
}

/** A message of the first stage carries its run once it has begun, but no stage has sent it. */
function isSentByStage({ envelope }: IncomingRecord['message']): boolean {
  const { flow } = envelope.carried
  return flow !== undefined && flow.from !== ''
}

/** A lease that is over tells nothing: whoever had it comes back when its queue brings it. */
function latestPauseEnd(latest: number, now: number): number {
  return latest > now ? Math.max(latest, now + SHORTEST_MS) : Infinity
}

/**
 * A stage that was handed on to waits for its sender alone, however long the run has been under way: its pauses grow with each
 * time it asks, whichever copy did.
 */
function pauseOf({ message }: IncomingRecord, asked: number, now: number): number {
  return isSentByStage(message)
    ? SHORTEST_MS * GROWTH ** (asked - 1)
    : (now - message.takenAt) * PAUSE_SHARE
}
