import { hash } from 'node:crypto'
import type { SQSRecord } from 'aws-lambda'
import type { Outbound } from '../../queue/messenger.ts'

/** A message on the queue, received or not. */
export interface Letter {
  readonly id: string
  /** In the order of sending. */
  readonly number: number
  readonly message: Outbound
  readonly uniqueRequestId: string | undefined
  readonly retry: number
  readonly death: number
  readonly sentAt: number
  visibleAt: number
  receives: number
  firstReceivedAt: number | undefined
}

export interface Queue {
  /** Kept in order within each group, and the same deduplication id is taken once in five minutes. */
  readonly isFifo: boolean
  /** On the queue, visible or in flight. */
  letters: Letter[]
  /** All that was ever sent. */
  readonly all: Letter[]
  /** All that was ever received: at the end each comes once more. */
  readonly delivered: Letter[]
  sent: number
}

/** Longer than any lease, as the set-up check asks for. */
export const VISIBILITY_MS = 910_000

const DEDUPLICATION_MS = 300_000

export function openQueue(isFifo = false): Queue {
  return { isFifo, letters: [], all: [], delivered: [], sent: 0 }
}

export function put(queue: Queue, message: Outbound, now: number): Letter {
  const { deduplicationId } = message
  if (queue.isFifo && deduplicationId !== undefined) {
    const same = queue.all.findLast((each) => each.message.deduplicationId === deduplicationId)
    if (same !== undefined && now - same.sentAt < DEDUPLICATION_MS) return same
  }
  queue.sent += 1
  const packed = attributeOf(message, 'lineclear')
  const carried: { retry?: number; death?: number } =
    packed === undefined ? {} : (JSON.parse(packed) as object)
  const letter: Letter = {
    id: `m${queue.sent}`,
    number: queue.sent,
    message,
    uniqueRequestId: attributeOf(message, 'uniquerequestid'),
    retry: carried.retry ?? 0,
    death: carried.death ?? 0,
    sentAt: now,
    visibleAt: now + (message.delaySeconds ?? 0) * 1_000,
    receives: 0,
    firstReceivedAt: undefined,
  }
  queue.letters.push(letter)
  queue.all.push(letter)
  return letter
}

export function attributeOf({ attributes }: Outbound, name: string): string | undefined {
  const attribute = attributes[name]
  return attribute !== undefined && 'StringValue' in attribute ? attribute.StringValue : undefined
}

/** The record that Lambda gets. */
export function receive(queue: Queue, letter: Letter, now: number, arn: string): SQSRecord {
  letter.receives += 1
  letter.firstReceivedAt ??= now
  letter.visibleAt = now + VISIBILITY_MS
  if (!queue.delivered.includes(letter)) queue.delivered.push(letter)
  return {
    messageId: letter.id,
    receiptHandle: letter.id,
    body: letter.message.body,
    md5OfBody: md5Of(letter.message.body),
    attributes: {
      ApproximateReceiveCount: String(letter.receives),
      ApproximateFirstReceiveTimestamp: String(letter.firstReceivedAt),
      SentTimestamp: String(letter.sentAt),
      SenderId: 'sender',
      ...(queue.isFifo && orderOf(letter)),
    },
    messageAttributes: Object.fromEntries(
      Object.entries(letter.message.attributes).map(([name, attribute]) => [
        name,
        {
          dataType: attribute.DataType,
          stringValue: 'StringValue' in attribute ? attribute.StringValue : '',
        },
      ]),
    ),
    eventSource: 'aws:sqs',
    eventSourceARN: arn,
    awsRegion: 'eu-west-1',
  }
}

function orderOf({ number, message: { groupId = '', deduplicationId = '' } }: Letter): object {
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

/** As SQS moves them: new messages, with the same body and attributes. */
export function sendBack(from: Queue, to: Queue, now: number): Letter[] {
  const letters = from.letters.map(({ message }) => put(to, message, now))
  from.letters = []
  return letters
}

export function remove(queue: Queue, id: string): void {
  queue.letters = queue.letters.filter((letter) => letter.id !== id)
}

/** False: the message is gone. */
export function hide(queue: Queue, id: string, until: number): boolean {
  const letter = queue.letters.find((each) => each.id === id)
  if (letter !== undefined) letter.visibleAt = until
  return letter !== undefined
}

/** The message that is to be received first. */
export function first(queue: Queue): Letter | undefined {
  return queue.letters.reduce<Letter | undefined>(
    (soonest, letter) =>
      soonest === undefined || letter.visibleAt < soonest.visibleAt ? letter : soonest,
    undefined,
  )
}
