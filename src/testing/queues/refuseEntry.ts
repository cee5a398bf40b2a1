import * as SNS from '../../library/base/limits/sns.ts'
import * as SQS from '../../library/base/limits/sqs.ts'
import type { MessageAttributeValue } from '@aws-sdk/client-sqs'
import { isSendable } from '../../library/protocol/record/envelope/buildMessage.ts'
import { isFifoName } from './description.ts'

/** The input of a command for one message, or one entry of a batch. */
export interface CommandEntry {
  readonly Id?: string
  readonly MessageBody?: string
  readonly Message?: string
  readonly Subject?: string
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
  return Object.assign(new Error(message), {
    name: code,
    Code: code,
    $fault: 'client',
    $metadata: { httpStatusCode: 400, attempts: 1, totalRetryDelay: 0 },
  })
}

/** A refusal as a batch answer reports it. */
export function toFailedEntry({ Id }: CommandEntry, { code, message }: AwsRefusal): object {
  return { Id, SenderFault: true, Code: code, Message: message }
}

/** Reasons to refuse a whole batch. */
export function refuseBatch(
  service: MessagingService,
  entries: readonly CommandEntry[],
): AwsRefusal | undefined {
  const { batchEntries, batchBytes } = service === 'SQS' ? SQS : SNS
  const bytes = entries.reduce((sum, entry) => sum + bytesOf(entry), 0)
  const refused = firstOf([
    [entries.length === 0, 'EmptyBatchRequest', 'there are no entries'],
    [
      entries.length > batchEntries,
      'TooManyEntriesInBatchRequest',
      `${entries.length} entries of ${batchEntries}`,
    ],
    [
      !entries.every(({ Id = '' }) => BATCH_ID.test(Id)),
      'InvalidBatchEntryId',
      'an Id has 1 to 80 of A-Z a-z 0-9 _ -',
    ],
    [
      new Set(entries.map(({ Id }) => Id)).size < entries.length,
      'BatchEntryIdsNotDistinct',
      'two entries have one Id',
    ],
    [bytes > batchBytes, 'BatchRequestTooLong', `${bytes} bytes of ${batchBytes}`],
  ])
  return refused && (service === 'SQS' ? refused : { ...refused, code: `${refused.code}Exception` })
}

/**
 * Reasons to refuse one message, or one entry of a batch.
 * @param isRaw the topic has a subscription with raw delivery. SNS accepts a message with too many attributes for it and discards
 * that copy; here it is an error, because it would be lost
 * @param most `MaximumMessageSize` of the queue, bytes
 */
export function refuseEntry(
  service: MessagingService,
  target: string,
  entry: CommandEntry,
  isRaw = true,
  most: number = (service === 'SQS' ? SQS : SNS).messageBytes,
): AwsRefusal | undefined {
  const refused = firstOf(rulesFor(service, target, entry, { isRaw, most }))
  return refused && (service === 'SQS' ? refused : { ...refused, code: snsCode(refused.code) })
}

function rulesFor(
  service: MessagingService,
  target: string,
  entry: CommandEntry,
  { isRaw, most }: { readonly isRaw: boolean; readonly most: number },
): readonly Rule[] {
  const { MessageBody, Message, Subject, MessageAttributes = {}, DelaySeconds: delay = 0 } = entry
  const { MessageGroupId: group, MessageDeduplicationId: once } = entry
  const named = service === 'SQS' ? 'MessageBody' : 'Message'
  const [body, bytes] = [MessageBody ?? Message ?? '', bytesOf(entry)]
  const count = Object.keys(MessageAttributes).length
  const isFifo = isFifoName(target)
  return [
    [body === '', 'MissingParameter', `The request must contain the parameter ${named}.`],
    [!isSendable(body), 'InvalidMessageContents', 'the body has characters that SQS refuses'],
    [
      bytes > most,
      service === 'SQS' ? INVALID : 'Invalid',
      `Message must be shorter than ${most} bytes.`,
    ],
    [
      count > SQS.attributes && (service === 'SQS' || isRaw),
      INVALID,
      `${count} attributes of ${SQS.attributes}, also for raw delivery`,
    ],
    ...Object.entries(MessageAttributes).flatMap(([name, value]) => attributeRules(name, value)),
    [Subject !== undefined && !SUBJECT.test(Subject), 'Invalid', 'Subject: 1 to 99 characters'],
    [!isWhole(delay, SQS.delay), INVALID, `DelaySeconds: ${delay} of ${SQS.delay}`],
    [isFifo && group === undefined, 'MissingParameter', 'MessageGroupId is missing'],
    [isFifo && delay > 0, INVALID, 'DelaySeconds: a FIFO queue has one delay for all'],
    [!isFifo && once !== undefined, INVALID, 'MessageDeduplicationId is for FIFO queues'],
    [!isFifoId(group), INVALID, 'MessageGroupId: 1 to 128 letters, digits and signs'],
    [!isFifoId(once), INVALID, 'MessageDeduplicationId: 1 to 128 letters, digits and signs'],
  ]
}

function attributeRules(name: string, value: MessageAttributeValue): readonly Rule[] {
  const { DataType = '', StringListValues, BinaryListValues, StringValue = '' } = value
  const [type = ''] = DataType.split('.')
  const content = type === 'Binary' ? value.BinaryValue : StringValue
  const isText = type !== 'Binary'
  return [
    [!NAME.test(name) || RESERVED.test(name), INVALID, `the name of the attribute ${name}`],
    [!TYPE.test(DataType) || DataType.length > 256, INVALID, `the type of the attribute ${name}`],
    [
      Boolean(StringListValues?.length ?? BinaryListValues?.length),
      INVALID,
      `the attribute ${name} has a list`,
    ],
    [!content?.length, INVALID, `the attribute ${name} is empty`],
    [isText && !isSendable(StringValue), INVALID, `the characters of the attribute ${name}`],
    [type === 'Number' && !NUMBER.test(StringValue), INVALID, `the attribute ${name} is no number`],
  ]
}

export function refuseVisibility({ VisibilityTimeout = 0 }: CommandEntry): AwsRefusal | undefined {
  if (isWhole(VisibilityTimeout, SQS.visibility)) return undefined
  return { code: INVALID, message: `VisibilityTimeout: ${VisibilityTimeout} of ${SQS.visibility}` }
}

const INVALID = 'InvalidParameterValue'

function snsCode(code: string): string {
  return code === INVALID ? 'InvalidParameterValueException' : 'InvalidParameterException'
}

// docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_MessageAttributeValue.html and API_SendMessage.html
const NAME = /^(?!\.)(?!.*\.\.)[A-Za-z0-9_.-]{1,256}(?<!\.)$/
const RESERVED = /^(aws|amazon)\./i
const TYPE = /^(String|Number|Binary)(\.[A-Za-z0-9_.-]+)?$/
const NUMBER = /^[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?$/
const FIFO_ID = /^[\x21-\x7e]+$/
const BATCH_ID = /^[\w-]{1,80}$/
/** docs.aws.amazon.com/sns/latest/api/API_Publish.html: no line breaks, no control characters. */
const SUBJECT = /^[^\p{Cc}]{1,99}$/u

function isFifoId(id: string | undefined): boolean {
  return id === undefined || (id.length <= SQS.fifoIdLength && FIFO_ID.test(id))
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
