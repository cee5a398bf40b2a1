import { randomUUID } from 'node:crypto'
import type { Context, SQSEvent, SQSRecord } from 'aws-lambda'
import type { Clock } from '../../library/base/clock.ts'
import { isObject } from '../../library/base/kindOf.ts'
import type {
  Attributes,
  LineclearAttributes,
} from '../../library/protocol/record/envelope/envelope.ts'
import { lookAtEnvelope } from '../../library/protocol/record/envelope/readEnvelope.ts'
import type { MemoryQueues } from './memoryQueues.ts'
import { memoryQueueArn } from './description.ts'
import {
  visibleBatches,
  type SimulatedMessage,
  put,
  type SimulatedQueue,
  receive,
  remove,
} from './simulatedQueue.ts'

/** A Lambda handler for SQS events, as `memoryCloud` and `exploreCrashes` call it. */
export type MemoryHandler = (event: SQSEvent, context: Context) => unknown

/** The messages of one invocation: how many there were and how many were deleted. */
export interface Delivered {
  readonly received: number
  /** Deleted from the queue: processed, resent, or dead-lettered. */
  readonly acknowledged: number
  /** Named as failed in the response: redelivered when their visibility timeout ends. */
  readonly returned: number
}

interface Asked {
  readonly known: MemoryQueues
  readonly name: string
  readonly handler: MemoryHandler
  readonly clock: Clock
  readonly batchSize: number
}

/** Lambda's longest timeout. */
export const LONGEST_INVOCATION_MS = 900_000

/** @throws what the handler throws; the messages stay in flight */
export async function deliverNext(asked: Asked): Promise<Delivered> {
  const { known, name, handler, clock, batchSize } = asked
  const queue = known.queue(name)
  moveExhausted(asked, queue)
  const [messages = []] = visibleBatches(queue, clock.now(), batchSize)
  if (messages.length === 0) return { received: 0, acknowledged: 0, returned: 0 }
  const arn = memoryQueueArn(name)
  const Records = messages.map((queued) => receive(queue, queued, clock.now(), arn))
  const context = lambdaContextOf(name, randomUUID(), () => clock.now())
  const response = await handler({ Records }, context)
  const { staying, done } = divided(response, messages)
  for (const { id } of done) remove(queue, id)
  return { received: messages.length, acknowledged: done.length, returned: staying.length }
}

/** SQS moves a message at the first receive beyond `maxReceiveCount`. */
function moveExhausted({ known, name, clock }: Asked, queue: SimulatedQueue): void {
  const { deadLetter } = known.describe(name)
  if (deadLetter === undefined) return
  const now = clock.now()
  const spent = queue.messages.filter(
    ({ receives, visibleAt }) => visibleAt <= now && receives >= deadLetter.maxReceiveCount,
  )
  for (const { id, message } of spent) {
    const { delaySeconds: _over, ...moved } = message
    remove(queue, id)
    put(known.queue(deadLetter.queue), moved, now)
  }
}

/** Lambda's context of an invocation that begins now. */
export function lambdaContextOf(
  functionName: string,
  awsRequestId: string,
  now: () => number,
): Context {
  const startedAt = now()
  const context: Partial<Context> = {
    functionName,
    awsRequestId,
    getRemainingTimeInMillis: () => LONGEST_INVOCATION_MS - (now() - startedAt),
  }
  return context as Context
}

interface Divided {
  readonly staying: readonly SimulatedMessage[]
  readonly done: readonly SimulatedMessage[]
}

/** The messages of a batch that stay on the queue, and the others. */
export function divided(response: unknown, messages: readonly SimulatedMessage[]): Divided {
  const ids = messages.map(({ id }) => id)
  const failed = readFailures(response, ids)
  return {
    staying: messages.filter(({ id }) => failed.has(id)),
    done: messages.filter(({ id }) => !failed.has(id)),
  }
}

/**
 * The ids of the messages that stay on the queue, by a partial batch response. An empty list means success; an id that is not in the
 * batch fails all of it. docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html#services-sqs-batchfailurereporting
 */
export function readFailures(
  response: unknown,
  messageIds: readonly string[],
): ReadonlySet<string> {
  const failures = isObject(response) ? (response['batchItemFailures'] ?? []) : []
  if (!Array.isArray(failures)) return new Set(messageIds)
  const failed = new Set<string>()
  for (const failure of failures) {
    const id: unknown = isObject(failure) ? failure['itemIdentifier'] : undefined
    if (typeof id !== 'string' || !messageIds.includes(id)) return new Set(messageIds)
    failed.add(id)
  }
  return failed
}

/** The content of a message, taken out of SNS's notification and of Lineclear's envelope. */
export interface OpenedMessage {
  readonly messageId: string
  /** The text that was sent or published. */
  readonly body: string
  /** The body parsed as JSON, or the body itself when it is not JSON. */
  readonly payload: unknown
  /** The sender's attributes; numbers as text. @example { tenant: 'a', quantity: '2' } */
  readonly attributes: Readonly<Record<string, string | Uint8Array>>
  /** Lineclear's own: `uniqueRequestId`, `retry`, `sentAt`; on a dead letter also `reason`, `error`, `attempts` and `source`. */
  readonly carried: LineclearAttributes
  readonly receiveCount: number
}

export function openMessage(record: SQSRecord, now: number): OpenedMessage {
  const { body, attributes, carried } = lookAtEnvelope(record, { topics: 'any', now }).envelope
  return {
    messageId: record.messageId,
    body,
    payload: parsedBody(body),
    attributes: valuesOf(attributes),
    carried,
    receiveCount: Number(record.attributes.ApproximateReceiveCount),
  }
}

function valuesOf(attributes: Attributes): OpenedMessage['attributes'] {
  return Object.fromEntries(Object.entries(attributes).map(([name, { value }]) => [name, value]))
}

/** Parsed, if it is JSON. */
export function parsedBody(body: string): unknown {
  try {
    return JSON.parse(body) as unknown
  } catch {
    return body
  }
}
