import type { QueueMessage } from '../../queue/messenger.ts'
import { nameIn } from './arns.ts'
import { type Entry, type Refusal, refuseBatch, type Service, toError } from './refusals.ts'

/** A command of the SDK for SQS or SNS, by its shape. */
export interface Command {
  readonly input: Entry & {
    readonly QueueUrl?: string
    readonly TopicArn?: string
    readonly Entries?: readonly Entry[]
    readonly PublishBatchRequestEntries?: readonly Entry[]
  }
}

/** What a command asks for: one entry, or those of a batch. */
export interface Asked {
  /** `SendMessageBatchCommand` */
  readonly command: string
  readonly service: Service
  /** The name of the queue or topic. */
  readonly place: string
  readonly entries: readonly Entry[]
  readonly isBatch: boolean
}

export function readCommand(command: Command): Asked {
  const { input } = command
  const batch = input.Entries ?? input.PublishBatchRequestEntries
  return {
    command: command.constructor.name,
    service: input.TopicArn === undefined ? 'SQS' : 'SNS',
    place: nameIn(input.QueueUrl ?? input.TopicArn ?? ''),
    entries: batch ?? [input],
    isBatch: batch !== undefined,
  }
}

/** Of a batch each entry is answered by itself, unless all of it is refused. @throws as the SDK does */
export function answerEach(
  { service, entries, isBatch }: Asked,
  carryOut: (entry: Entry) => Refusal | undefined,
): unknown {
  const none = isBatch ? refuseBatch(service, entries) : undefined
  if (none !== undefined) throw toError(none)
  const done = entries.map((entry) => ({ entry, refused: carryOut(entry) }))
  const [first] = done
  if (!isBatch && first?.refused !== undefined) throw toError(first.refused)
  return {
    MessageId: 'sent',
    Successful: done
      .filter(({ refused }) => refused === undefined)
      .map(({ entry: { Id } }) => ({ Id, MessageId: 'sent' })),
    Failed: done.flatMap(({ entry: { Id }, refused }) =>
      refused === undefined
        ? []
        : [{ Id, SenderFault: true, Code: refused.code, Message: refused.message }],
    ),
  }
}

/** The message that a command sends. */
export function outbound({
  MessageBody,
  Message = '',
  MessageAttributes = {},
  DelaySeconds,
  MessageGroupId,
  MessageDeduplicationId,
  MessageSystemAttributes,
}: Entry): QueueMessage {
  const attributes = Object.fromEntries(
    Object.entries(MessageAttributes).map(([name, attribute]) => [name, toWire(attribute)]),
  )
  const traceHeader = MessageSystemAttributes?.['AWSTraceHeader']?.StringValue
  return {
    body: MessageBody ?? Message,
    attributes,
    ...(traceHeader && { traceHeader }),
    ...(DelaySeconds !== undefined && { delaySeconds: DelaySeconds }),
    ...(MessageGroupId !== undefined && { groupId: MessageGroupId }),
    ...(MessageDeduplicationId !== undefined && { deduplicationId: MessageDeduplicationId }),
  }
}

function toWire({
  DataType = 'String',
  StringValue = '',
  BinaryValue,
}: NonNullable<Entry['MessageAttributes']>[string]): QueueMessage['attributes'][string] {
  return BinaryValue === undefined ? { DataType, StringValue } : { DataType, BinaryValue }
}
