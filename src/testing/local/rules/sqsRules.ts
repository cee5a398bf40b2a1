import { refuseAttributes, type SentAttributes } from './attributeRules.ts'
import { invalid } from '../sdk/refusal.ts'
import type { AwsRefusal } from '../../queues/refuseEntry.ts'

/** What SendMessage, and each entry of SendMessageBatch, may hold. */
interface SendMessageInput {
  readonly MessageBody?: string
  readonly DelaySeconds?: number
  readonly MessageAttributes?: SentAttributes
  readonly MessageGroupId?: string
  readonly MessageDeduplicationId?: string
}

const MAX_ATTRIBUTES = 10
const MAX_DELAY_SECONDS = 900
const MAX_VISIBILITY_SECONDS = 43_200
/** API_SendMessage.html: alphanumeric and punctuation, at most 128. */
const FIFO_ID = /^[\x21-\x7E]{1,128}$/

/** Refuses what fauxqs accepts and SQS does not. fauxqs itself checks the size and characters of the body as SQS does. */
export function refuseSendMessage(
  message: SendMessageInput,
  queueUrl: string,
): AwsRefusal | undefined {
  const count = Object.keys(message.MessageAttributes ?? {}).length
  if (count > MAX_ATTRIBUTES) {
    return invalid(
      `Number of message attributes [${count}] exceeds the allowed maximum [${MAX_ATTRIBUTES}].`,
    )
  }
  return (
    refuseBody(message) ??
    refuseAttributes(message.MessageAttributes) ??
    refuseDelay(message) ??
    refuseIds(message, queueUrl.endsWith('.fifo'))
  )
}

export function refuseChangeVisibility(change: {
  readonly VisibilityTimeout?: number
}): AwsRefusal | undefined {
  const seconds = change.VisibilityTimeout
  if (seconds === undefined || isWhole(seconds, MAX_VISIBILITY_SECONDS)) return undefined
  return invalid(
    `Value ${seconds} for parameter VisibilityTimeout is invalid. Reason: VisibilityTimeout must be an integer between 0 and ${MAX_VISIBILITY_SECONDS}.`,
  )
}

function refuseBody({ MessageBody }: SendMessageInput): AwsRefusal | undefined {
  if (MessageBody) return undefined
  return {
    code: 'MissingParameter',
    message: 'The request must contain the parameter MessageBody.',
  }
}

function refuseDelay({ DelaySeconds }: SendMessageInput): AwsRefusal | undefined {
  if (DelaySeconds === undefined || isWhole(DelaySeconds, MAX_DELAY_SECONDS)) return undefined
  return invalid(
    `Value ${DelaySeconds} for parameter DelaySeconds is invalid. Reason: DelaySeconds must be an integer >= 0 and <= ${MAX_DELAY_SECONDS}.`,
  )
}

function refuseIds(message: SendMessageInput, fifo: boolean): AwsRefusal | undefined {
  const { MessageGroupId, MessageDeduplicationId } = message
  if (!fifo && MessageDeduplicationId !== undefined) {
    return invalid(
      `Value ${MessageDeduplicationId} for parameter MessageDeduplicationId is invalid. Reason: The request include parameter that is not valid for this queue type.`,
    )
  }
  return (
    refuseFifoId('MessageGroupId', MessageGroupId) ??
    refuseFifoId('MessageDeduplicationId', MessageDeduplicationId)
  )
}

function refuseFifoId(name: string, value: string | undefined): AwsRefusal | undefined {
  if (value === undefined || FIFO_ID.test(value)) return undefined
  return invalid(
    `Value ${value} for parameter ${name} is invalid. Reason: ${name} can only include alphanumeric and punctuation characters. 1 to 128 in length.`,
  )
}

function isWhole(value: number, most: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= most
}
