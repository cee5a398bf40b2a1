import type { QueueMessage } from '../../library/protocol/send/messenger.ts'
import { lastSegment, memoryQueueArn } from './description.ts'
import {
  type CommandEntry,
  type AwsRefusal,
  refuseBatch,
  refuseVisibility,
  type MessagingService,
  toFailedEntry,
  toSdkError,
} from './refuseEntry.ts'
import { hide, remove, type SimulatedQueue } from './simulatedQueue.ts'

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

/** What a command is carried out on. */
interface Place {
  /** @returns why a message is not taken */
  take(entry: CommandEntry): AwsRefusal | undefined
  queue(): SimulatedQueue
  now(): number
  readonly deadLetter?: { readonly queue: string; readonly maxReceiveCount?: number } | undefined
}

/** @returns how the command is carried out; undefined: it is none that a queue or topic in memory knows */
export function carryOut(asked: CommandRequest, place: Place): (() => unknown) | undefined {
  switch (asked.command.replace(/(Batch)?Command$/, '')) {
    case 'SendMessage':
    case 'Publish':
      return () => answerEach(asked, (entry) => place.take(entry))
    case 'ChangeMessageVisibility':
      return () =>
        answerEach(asked, (entry) => {
          const { ReceiptHandle = '', VisibilityTimeout = 0 } = entry
          const refused = refuseVisibility(entry)
          const until = place.now() + VisibilityTimeout * 1_000
          if (refused === undefined) hide(place.queue(), ReceiptHandle, until)
          return refused
        })
    case 'DeleteMessage':
      return () =>
        answerEach(asked, ({ ReceiptHandle = '' }) => {
          remove(place.queue(), ReceiptHandle)
          return undefined
        })
    case 'GetQueueAttributes':
      return () => ({ Attributes: redrivePolicyOf(place) })
    default:
      return undefined
  }
}

function redrivePolicyOf({ deadLetter }: Place): Record<string, string> {
  if (deadLetter === undefined) return {}
  const deadLetterTargetArn = memoryQueueArn(deadLetter.queue)
  const { maxReceiveCount } = deadLetter
  return { RedrivePolicy: JSON.stringify({ deadLetterTargetArn, maxReceiveCount }) }
}

/** Carries out each entry by itself; a batch as a whole may be refused. @throws the SDK's error for a refusal outside a batch answer */
function answerEach(
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
