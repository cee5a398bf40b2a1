import type { QueueMessage } from '../../send/messenger.ts'
import { lastSegment } from './description.ts'
import {
  type CommandEntry,
  type AwsRefusal,
  refuseBatch,
  type MessagingService,
  toFailedEntry,
  toSdkError,
} from './refuseEntry.ts'

/** The shape of an SDK command for SQS or SNS. */
export interface SdkCommand {
  readonly input: CommandEntry & {
    readonly QueueUrl?: string
    readonly TopicArn?: string
    readonly Entries?: readonly CommandEntry[]
    readonly PublishBatchRequestEntries?: readonly CommandEntry[]
  }
}

/** A parsed command: its one entry, or those of its batch. */
export interface CommandRequest {
  /** `SendMessageBatchCommand` */
  readonly command: string
  readonly service: MessagingService
  /** The name of the queue or topic. */
  readonly target: string
  readonly entries: readonly CommandEntry[]
  readonly isBatch: boolean
}

export function readCommand(command: SdkCommand): CommandRequest {
  return readInput(command.constructor.name, command.input)
}

export function readInput(command: string, input: SdkCommand['input']): CommandRequest {
  const batch = input.Entries ?? input.PublishBatchRequestEntries
  return {
    command,
    service: input.TopicArn === undefined ? 'SQS' : 'SNS',
    target: lastSegment(input.QueueUrl ?? input.TopicArn ?? ''),
    entries: batch ?? [input],
    isBatch: batch !== undefined,
  }
}

/** Carries out each entry by itself; a batch as a whole may be refused. @throws the SDK's error for a refusal outside a batch answer */
export function answerEach(
  { service, entries, isBatch }: CommandRequest,
  carryOut: (entry: CommandEntry) => AwsRefusal | undefined,
): unknown {
  const none = isBatch ? refuseBatch(service, entries) : undefined
  if (none !== undefined) throw toSdkError(none)
  const done = entries.map((entry) => ({ entry, refused: carryOut(entry) }))
  const [first] = done
  if (!isBatch && first?.refused !== undefined) throw toSdkError(first.refused)
  return {
    MessageId: 'sent',
    Successful: done
      .filter(({ refused }) => refused === undefined)
      .map(({ entry: { Id } }) => ({ Id, MessageId: 'sent' })),
    Failed: done.flatMap(({ entry, refused }) =>
      refused === undefined ? [] : [toFailedEntry(entry, refused)],
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
}: CommandEntry): QueueMessage {
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
}: NonNullable<CommandEntry['MessageAttributes']>[string]): QueueMessage['attributes'][string] {
  return BinaryValue === undefined ? { DataType, StringValue } : { DataType, BinaryValue }
}
