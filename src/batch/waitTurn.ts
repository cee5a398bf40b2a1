import { buildResend } from '../envelope/outgoing.ts'
import type { Logger } from '../logger.ts'
import { chooseTransport, MAX_DELAY_MS } from '../retry/transport.ts'
import type { Invocation } from './invocation.ts'
import type { Settlement } from './settlement.ts'
import { stampOf, type Work } from './work.ts'

const SHORTEST_MS = 1_000
/** The part of the time it has waited that a message waits until it asks again. */
const PATIENCE = 0.5
/** Receipts of one copy: with a few more, SQS would take it for a message that cannot be processed. */
const RECEIPTS = 3

/**
 * Another request has the flow, and nobody will tell when it is free: it is asked for at growing distances. After a few
 * times a fresh copy takes the place, since each receipt counts for the redrive policy of the queue.
 */
export async function waitTurn(
  work: Work,
  latest: number,
  invocation: Invocation,
  logger: Logger,
): Promise<Settlement> {
  const { consumer, fifo } = invocation
  const { record, message } = work
  const now = consumer.clock.now()
  const pause = Math.max((now - waitsSince(work)) * PATIENCE, SHORTEST_MS)
  const until = Math.min(now + Math.min(pause, MAX_DELAY_MS), Math.max(latest, now + SHORTEST_MS))
  logger.info('deferred: another request has the flow', { until: new Date(until).toISOString() })
  const { hops, retry } = message.envelope.carried
  const receipts = Number(record.attributes?.ApproximateReceiveCount)
  const transport = chooseTransport({ wanted: consumer.transport, fifo, hops })
  if (transport === 'visibility' || !(receipts >= RECEIPTS)) return { kind: 'deferred', until }
  const stamp = { ...stampOf(work), retry, hops: hops + 1 }
  const copy = buildResend(record, message.envelope, stamp, { form: consumer.resendForm })
  if (copy === undefined) return { kind: 'deferred', until }
  const groupId = record.attributes?.MessageGroupId
  const failure = await invocation.sendBack({
    ...copy,
    delaySeconds: Math.ceil((until - now) / 1_000),
    ...(groupId === undefined ? {} : { groupId }),
  })
  return failure === undefined ? { kind: 'resent', retry, until } : { kind: 'deferred', until }
}

/** A stage that was handed on to waits for its sender alone, however long the run has been under way. */
function waitsSince({ message }: Work): number {
  const { carried, enqueuedAt } = message.envelope
  return carried.flow === undefined ? message.sentAt : (enqueuedAt ?? message.sentAt)
}
