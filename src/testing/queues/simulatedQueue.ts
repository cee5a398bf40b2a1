import { hash } from 'node:crypto'
import type { SQSRecord } from 'aws-lambda'
import { parseObject } from '../../record/envelope/json.ts'
import type { QueueMessage } from '../../send/messenger.ts'
import { toRecord } from '../../send/receivedRecord.ts'

/** A message on a simulated queue, visible or in flight. */
export interface SimulatedMessage {
  readonly id: string
  /** In the order of sending. */
  readonly number: number
  readonly message: QueueMessage
  readonly uniqueRequestId: string | undefined
  readonly retry: number
  readonly death: number
  readonly sentAt: number
  visibleAt: number
  receives: number
  firstReceivedAt: number | undefined
}

export interface SimulatedQueue {
  /** Messages keep their order within a group, and a deduplication id is accepted once in five minutes. */
  readonly isFifo: boolean
  /** Visibility timeout, milliseconds. */
  readonly visibility: number
  readonly newId: (nth: number) => string
  /** The messages on the queue, visible or in flight. */
  messages: SimulatedMessage[]
  /** Every message that was sent. */
  readonly all: SimulatedMessage[]
  /** Every message that was received. */
  readonly delivered: SimulatedMessage[]
  sent: number
}

/** Longer than any lease, as `lineclear doctor` demands. */
const VISIBILITY_MS = 910_000

const DEDUPLICATION_MS = 300_000

export function openSimulatedQueue(
  isFifo = false,
  {
    visibility = VISIBILITY_MS,
    newId = (nth: number) => `m${nth}`,
  }: Partial<Pick<SimulatedQueue, 'visibility' | 'newId'>> = {},
): SimulatedQueue {
  return { isFifo, visibility, newId, messages: [], all: [], delivered: [], sent: 0 }
}

export function put(queue: SimulatedQueue, message: QueueMessage, now: number): SimulatedMessage {
  const { deduplicationId } = message
  if (queue.isFifo && deduplicationId !== undefined) {
    const same = queue.all.findLast((each) => each.message.deduplicationId === deduplicationId)
    if (same !== undefined && now - same.sentAt < DEDUPLICATION_MS) return same
  }
  queue.sent += 1
  const carried = parseObject(attributeOf(message, 'lineclear') ?? '{}') ?? {}
  const queued: SimulatedMessage = {
    id: queue.newId(queue.sent),
    number: queue.sent,
    message,
    uniqueRequestId: attributeOf(message, 'uniquerequestid'),
    retry: countIn(carried['retry']),
    death: countIn(carried['death']),
    sentAt: now,
    visibleAt: now + (message.delaySeconds ?? 0) * 1_000,
    receives: 0,
    firstReceivedAt: undefined,
  }
  queue.messages.push(queued)
  queue.all.push(queued)
  return queued
}

function countIn(value: unknown): number {
  return typeof value === 'number' ? value : 0
}

export function attributeOf({ attributes }: QueueMessage, name: string): string | undefined {
  const attribute = attributes[name]
  return attribute !== undefined && 'StringValue' in attribute ? attribute.StringValue : undefined
}

/** Receives a message and hides it for the visibility timeout. @returns the record that Lambda gets */
export function receive(
  queue: SimulatedQueue,
  queued: SimulatedMessage,
  now: number,
  arn: string,
): SQSRecord {
  queued.receives += 1
  queued.firstReceivedAt ??= now
  queued.visibleAt = now + queue.visibility
  if (!queue.delivered.includes(queued)) queue.delivered.push(queued)
  return recordOf(queue, queued, arn)
}

/** The record of a message, without receiving it. */
export function recordOf(queue: SimulatedQueue, queued: SimulatedMessage, arn: string): SQSRecord {
  const { id, message, receives, firstReceivedAt = 0, sentAt } = queued
  return toRecord(
    {
      MessageId: id,
      ReceiptHandle: id,
      Body: message.body,
      MD5OfBody: md5Of(message.body),
      Attributes: {
        ApproximateReceiveCount: String(receives),
        ApproximateFirstReceiveTimestamp: String(firstReceivedAt),
        SentTimestamp: String(sentAt),
        SenderId: 'sender',
        ...(message.traceHeader && { AWSTraceHeader: message.traceHeader }),
        ...(queue.isFifo ? orderOf(queued) : tenantOf(queued)),
      },
      MessageAttributes: { ...message.attributes },
    },
    arn,
  )
}

function orderOf({
  number,
  message: { groupId = '', deduplicationId = '' },
}: SimulatedMessage): object {
  return {
    MessageGroupId: groupId,
    MessageDeduplicationId: deduplicationId,
    SequenceNumber: String(number).padStart(20, '0'),
  }
}

function tenantOf({ message: { groupId } }: SimulatedMessage): object {
  return groupId === undefined ? {} : { MessageGroupId: groupId }
}

const digests = new Map<string, string>()

function md5Of(body: string): string {
  const known = digests.get(body) ?? hash('md5', body)
  digests.set(body, known)
  return known
}

export function remove(queue: SimulatedQueue, id: string): void {
  queue.messages = queue.messages.filter((queued) => queued.id !== id)
}

/** @returns false when the message has been deleted */
export function hide(queue: SimulatedQueue, id: string, until: number): boolean {
  const queued = queue.messages.find((each) => each.id === id)
  if (queued !== undefined) queued.visibleAt = until
  return queued !== undefined
}
