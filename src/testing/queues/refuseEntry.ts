import * as SNS from '../../base/limits/sns.ts'
import * as SQS from '../../base/limits/sqs.ts'
import type { MessageAttributeValue } from '@aws-sdk/client-sqs'
import { isSendable } from '../../record/envelope/buildMessage.ts'
import { isFifoName } from './description.ts'

/** The input of a command for one message, or one entry of a batch. */
export interface CommandEntry {
  readonly Id?: string
  readonly MessageBody?: string
  readonly Message?: string
  readonly MessageAttributes?: Readonly<Record<string, MessageAttributeValue>>
  readonly MessageSystemAttributes?: Readonly<Record<string, { readonly StringValue?: string }>>
  readonly DelaySeconds?: number
  readonly MessageGroupId?: string
  readonly MessageDeduplicationId?: string
  readonly ReceiptHandle?: string
  readonly VisibilityTimeout?: number
}

export type MessagingService = 'SQS' | 'SNS'

/** Why AWS refuses a request: the code of its error and the message. */
export interface AwsRefusal {
  readonly code: string
  readonly message: string
}

/** A refusal as the SDK throws it. */
export function toSdkError({ code, message }: AwsRefusal): Error {
  return Object.assign(new Error(message), { name: code, $fault: 'client' })
}

/** Reasons to refuse a whole batch. */
export function refuseBatch(
  service: MessagingService,
  entries: readonly CommandEntry[],
): AwsRefusal | undefined {
  const { batchEntries, batchBytes } = service === 'SQS' ? SQS : SNS
  const bytes = entries.reduce((sum, entry) => sum + bytesOf(entry), 0)
  return firstOf([
    [entries.length === 0, 'EmptyBatchRequest', 'there are no entries'],
    [
      entries.length > batchEntries,
      'TooManyEntriesInBatchRequest',
      `${entries.length} entries of ${batchEntries}`,
    ],
    [
      new Set(entries.map(({ Id }) => Id)).size < entries.length,
      'BatchEntryIdsNotDistinct',
      'two entries have one Id',
    ],
    [bytes > batchBytes, 'BatchRequestTooLong', `${bytes} bytes of ${batchBytes}`],
  ])
}

/** Reasons to refuse one message, or one entry of a batch. */
export function refuseEntry(
  service: MessagingService,
  target: string,
  entry: CommandEntry,
): AwsRefusal | undefined {
  const { MessageBody, Message, MessageAttributes = {}, DelaySeconds: delay = 0 } = entry
  const { MessageGroupId: group, MessageDeduplicationId: once } = entry
  const { messageBytes } = service === 'SQS' ? SQS : SNS
  const [body, bytes] = [MessageBody ?? Message ?? '', bytesOf(entry)]
  const count = Object.keys(MessageAttributes).length
  const [empty] = Object.entries(MessageAttributes).find(([, it]) => isEmpty(it)) ?? []
  return firstOf([
    [body === '', 'MissingParameter', 'the message has no body'],
    [!isSendable(body), 'InvalidMessageContents', 'the body has characters that SQS refuses'],
    [bytes > messageBytes, INVALID, `${bytes} bytes of ${messageBytes}`],
    [count > SQS.attributes, INVALID, `${count} attributes of ${SQS.attributes}`],
    [empty !== undefined, INVALID, `the attribute ${empty} is empty`],
    [!isWhole(delay, SQS.delay), INVALID, `DelaySeconds: ${delay} of ${SQS.delay}`],
    [isFifoName(target) && group === undefined, 'MissingParameter', 'MessageGroupId is missing'],
    [isFifoName(target) && delay > 0, INVALID, 'DelaySeconds: a FIFO queue has one delay for all'],
    [
      !isFifoName(target) && once !== undefined,
      INVALID,
      'MessageDeduplicationId is for FIFO queues',
    ],
    [!isFifoId(group), INVALID, 'MessageGroupId: 1 to 128 letters, digits and signs'],
    [!isFifoId(once), INVALID, 'MessageDeduplicationId: 1 to 128 letters, digits and signs'],
  ])
}

export function refuseVisibility({ VisibilityTimeout = 0 }: CommandEntry): AwsRefusal | undefined {
  if (isWhole(VisibilityTimeout, SQS.visibility)) return undefined
  return { code: INVALID, message: `VisibilityTimeout: ${VisibilityTimeout} of ${SQS.visibility}` }
}

const INVALID = 'InvalidParameterValue'
/** https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html */
const FIFO_ID = /^[\x21-\x7e]+$/

function isFifoId(id: string | undefined): boolean {
  return id === undefined || (id.length <= SQS.fifoIdLength && FIFO_ID.test(id))
}

function isEmpty({ StringValue, BinaryValue }: MessageAttributeValue): boolean {
  return (StringValue ?? BinaryValue ?? '').length === 0
}

function isWhole(value: number, most: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= most
}

type Rule = readonly [isBroken: boolean, code: string, message: string]

function firstOf(rules: readonly Rule[]): AwsRefusal | undefined {
  const [, code, message] = rules.find(([isBroken]) => isBroken) ?? []
  return code === undefined || message === undefined ? undefined : { code, message }
}

/** AWS counts names, types and values of the attributes too. */
function bytesOf({ MessageBody, Message, MessageAttributes = {} }: CommandEntry): number {
  const texts = Object.entries(MessageAttributes).flatMap(
    ([name, { DataType = '', StringValue, BinaryValue }]) => [
      name,
      DataType,
      StringValue ?? BinaryValue ?? '',
    ],
  )
  return [MessageBody ?? Message ?? '', ...texts].reduce(
    (sum, text) => sum + Buffer.byteLength(text),
    0,
  )
}
