import { hash } from 'node:crypto'
import type { SQSRecord } from 'aws-lambda'
import { parseObject } from '../../library/protocol/record/envelope/json.ts'
import type { QueueMessage } from '../../library/protocol/send/messenger.ts'
import { toRecord } from './receivedRecord.ts'

/** A message on a simulated queue, visible or in flight. */
export interface SimulatedMessage {
  readonly id: string
  /** In the order of sending. */
  readonly number: number
  readonly message: QueueMessage
  readonly uniqueRequestId: string | undefined
  readonly resendNumber: number
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
    resendNumber: countIn(carried['resendNumber']),
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
        ...(message.groupId !== undefined && { MessageGroupId: message.groupId }),
        ...(queue.isFifo && orderOf(queued)),
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

/** When a message can be received. A FIFO queue delivers none of a group while one of its messages is in flight. */
function readyAt({ isFifo, messages }: SimulatedQueue, queued: SimulatedMessage): number {
  if (!isFifo) return queued.visibleAt
  const { groupId } = queued.message
  const ofGroup = messages.filter(({ message }) => message.groupId === groupId)
  return Math.max(...ofGroup.map(({ visibleAt }) => visibleAt))
}

/** When the next message becomes visible; Infinity when the queue is empty. */
export function nextVisibleAt(queue: SimulatedQueue): number {
  return Math.min(...queue.messages.map((queued) => readyAt(queue, queued)))
}

/** The batches that Lambda may make of the visible messages: each message alone if `most` is 1, else one batch. */
export function visibleBatches(
  queue: SimulatedQueue,
  time: number,
  most: number,
): SimulatedMessage[][] {
  const due = queue.messages.filter((queued) => readyAt(queue, queued) <= time)
  if (most > 1) return due.length === 0 ? [] : [due.slice(0, most)]
  const groups = new Set<string | undefined>()
  const heads = due.filter(
    ({ message: { groupId } }) => !groups.has(groupId) && groups.add(groupId),
  )
  return (queue.isFifo ? heads : due).map((queued) => [queued])
}

/** Messages in flight that a standard queue may deliver a second time: each alone, or all together. */
export function inFlightBatches(
  queue: SimulatedQueue,
  now: number,
  most: number,
): SimulatedMessage[][] {
  if (queue.isFifo) return []
  const held = queue.messages.filter(({ receives, visibleAt }) => receives > 0 && visibleAt > now)
  const alone = held.map((queued) => [queued])
  return most > 1 && held.length > 1 ? [held.slice(0, most), ...alone] : alone
}
