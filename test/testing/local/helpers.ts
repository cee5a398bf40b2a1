import {
  SendMessageBatchCommand,
  SendMessageCommand,
  type SendMessageCommandInput,
} from '@aws-sdk/client-sqs'
import type { SQSEvent } from 'aws-lambda'
import type { Logger } from '../../../src/library/base/logger.ts'
import {
  type InvocationEnded,
  type LocalCloud,
  type MappingOptions,
  mapQueue,
  type Observer,
  type QueueMapping,
} from 'lineclear/local'

interface Line {
  readonly level: string
  readonly message: string
  readonly fields: unknown
}

/** Prints nothing, and keeps what was logged. */
export function quietLogger(): Logger & { readonly lines: readonly Line[] } {
  const lines: Line[] = []
  const at = (level: string) => (message: string, fields?: unknown) =>
    void lines.push({ level, message, fields })
  return { lines, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

/** A mapping with a short function timeout that logs nothing. */
export function quietMapping(options: Omit<MappingOptions, 'logger'>): QueueMapping {
  return mapQueue({ functionTimeout: 5_000, ...options, logger: quietLogger() })
}

interface Seen {
  readonly messageIds: readonly string[]
  /** By their numbers. */
  readonly calls: Map<number, string>
}

/** An observer that tells how each invocation has ended, and what it had and called. */
export function whenEnded(ended: (end: InvocationEnded & Seen) => void): Observer {
  const all = new Map<string, Seen>()
  return (event) => {
    if (event.type === 'begun') {
      const messageIds = event.messages.map(({ messageId }) => messageId)
      all.set(event.awsRequestId, { messageIds, calls: new Map() })
    }
    if (event.type === 'call') all.get(event.awsRequestId)?.calls.set(event.call, event.action)
    if (event.type !== 'ended') return
    ended({ ...event, ...(all.get(event.awsRequestId) ?? { messageIds: [], calls: new Map() }) })
  }
}

export async function send(
  cloud: LocalCloud,
  queue: string,
  message: Omit<SendMessageCommandInput, 'QueueUrl'>,
): Promise<string> {
  const command = new SendMessageCommand({ QueueUrl: cloud.queueUrl(queue), ...message })
  const { MessageId = '' } = await cloud.sqs.send(command)
  return MessageId
}

/** Bodies `0`, `1`, …; returns the message ids in that order. */
export async function sendMany(
  cloud: LocalCloud,
  queue: string,
  count: number,
  group?: string,
): Promise<readonly string[]> {
  const ids: string[] = []
  for (let start = 0; start < count; start += 10) {
    const numbers = Array.from({ length: Math.min(10, count - start) }, (_, at) => start + at)
    const { Successful = [] } = await cloud.sqs.send(
      new SendMessageBatchCommand({
        QueueUrl: cloud.queueUrl(queue),
        Entries: numbers.map((number) => ({
          Id: String(number),
          MessageBody: String(number),
          ...(group && {
            MessageGroupId: group,
            MessageDeduplicationId: `${group}-${number}`,
          }),
        })),
      }),
    )
    ids.push(...Successful.map(({ MessageId = '' }) => MessageId))
  }
  return ids
}

export function bodiesOf(event: SQSEvent): readonly string[] {
  return event.Records.map(({ body }) => body)
}

export async function until(isTrue: () => boolean, withinMs = 300_000): Promise<void> {
  const end = Date.now() + withinMs
  while (!isTrue()) {
    if (Date.now() > end)
      throw new Error(`still not true after ${withinMs} ms: ${isTrue.toString()}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
