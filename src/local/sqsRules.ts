import { SQS } from '../limits/sqs.ts'
import { refuseAttributes, type SentAttributes } from './attributeRules.ts'
import { invalid, type Refusal } from './refusal.ts'

/** What SendMessage, and each entry of SendMessageBatch, may hold. */
export interface SentMessage {
  readonly MessageBody?: string
  readonly DelaySeconds?: number
  readonly MessageAttributes?: SentAttributes
  readonly MessageGroupId?: string
  readonly MessageDeduplicationId?: string
}

/** API_SendMessage.html: alphanumeric and punctuation. */
const FIFO_ID = new RegExp(`^[\\x21-\\x7E]{1,${SQS.fifoIdLength}}$`)

/** What fauxqs takes and SQS does not; sizes and characters of the body it checks as SQS does. */
export function refuseMessage(message: SentMessage, queueUrl: string): Refusal | undefined {
  const count = Object.keys(message.MessageAttributes ?? {}).length
  if (count > SQS.attributes) {
    return invalid(
      `Number of message attributes [${count}] exceeds the allowed maximum [${SQS.attributes}].`,
    )
  }
  return (
    refuseBody(message) ??
    refuseAttributes(message.MessageAttributes) ??
    refuseDelay(message) ??
    refuseIds(message, queueUrl.endsWith('.fifo'))
  )
}

/** @param hidden milliseconds since the receive of that handle, 0 where it is not known */
export function refuseVisibility(
  change: { readonly VisibilityTimeout?: number },
  hidden: number,
): Refusal | undefined {
  const seconds = change.VisibilityTimeout
  if (seconds === undefined) return undefined
  if (isWhole(seconds, SQS.visibility)) {
    if (Math.floor(hidden / 1_000) + seconds <= SQS.visibility || seconds === 0) return undefined
    return invalid(
      `Value ${seconds} for parameter VisibilityTimeout is invalid. Reason: Total VisibilityTimeout for the message is beyond the limit [${SQS.visibility} seconds].`,
    )
  }
  return invalid(
    `Value ${seconds} for parameter VisibilityTimeout is invalid. Reason: VisibilityTimeout must be an integer between 0 and ${SQS.visibility}.`,
  )
}

function refuseBody({ MessageBody }: SentMessage): Refusal | undefined {
  if (MessageBody) return undefined
  return {
    code: 'MissingParameter',
    message: 'The request must contain the parameter MessageBody.',
  }
}

function refuseDelay({ DelaySeconds }: SentMessage): Refusal | undefined {
  if (DelaySeconds === undefined || isWhole(DelaySeconds, SQS.delay)) return undefined
  return invalid(
    `Value ${DelaySeconds} for parameter DelaySeconds is invalid. Reason: DelaySeconds must be an integer >= 0 and <= ${SQS.delay}.`,
  )
}

function refuseIds(message: SentMessage, fifo: boolean): Refusal | undefined {
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

function refuseFifoId(name: string, value: string | undefined): Refusal | undefined {
  if (value === undefined || FIFO_ID.test(value)) return undefined
  return invalid(
    `Value ${value} for parameter ${name} is invalid. Reason: ${name} can only include alphanumeric and punctuation characters. 1 to ${SQS.fifoIdLength} in length.`,
  )
}

function isWhole(value: number, most: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= most
}
