/**
 * The attributes of a queue. A name that ends in `.fifo` makes it a FIFO queue. Times are in seconds, as SQS counts them.
 * @example
 * const orders: QueueDescription = { visibilityTimeout: 60, deadLetter: { queue: 'dead', maxReceiveCount: 10 } }
 */
export interface QueueDescription {
  /** 0 to 43,200 s. Default 30. */
  readonly visibilityTimeout?: number
  /** The delay of messages that are sent without one, 0 to 900 s. Default 0. */
  readonly delay?: number
  /** 1,024 to 1,048,576 bytes. Default 1,048,576. */
  readonly maximumMessageSize?: number
  readonly deadLetter?: { readonly queue: string; readonly maxReceiveCount: number }
  /** FIFO only. Default false. */
  readonly contentBasedDeduplication?: boolean
}

/**
 * A queue that is subscribed to a topic.
 * @example
 * const mail: SubscriptionDescription = { queue: 'mail', raw: true, filterPolicy: { tenant: ['a'] } }
 */
export interface SubscriptionDescription {
  readonly queue: string
  /** Raw message delivery: the body arrives without SNS's notification. Default false. */
  readonly raw?: boolean
  readonly filterPolicy?: object
  /** Default `MessageAttributes`. */
  readonly filterPolicyScope?: 'MessageAttributes' | 'MessageBody'
}

/**
 * A topic and its subscriptions. A name that ends in `.fifo` makes it a FIFO topic.
 * @example
 * const paid: TopicDescription = { subscriptions: [{ queue: 'mail' }] }
 */
export interface TopicDescription {
  readonly subscriptions?: readonly SubscriptionDescription[]
  /** FIFO only. Default false. */
  readonly contentBasedDeduplication?: boolean
}

export const ACCOUNT = '123456789012'
export const REGION = 'eu-west-1'
const DEAD_LETTERS = 'dead-letters'
const FIFO = '.fifo'

/** The dead-letter queue of a queue; a FIFO queue has a FIFO one. */
export function deadLetterQueueName(name: string): string {
  return isFifoName(name) ? DEAD_LETTERS + FIFO : DEAD_LETTERS
}

export function isDeadLetterQueue(name: string): boolean {
  return name === deadLetterQueueName(name)
}

export function isFifoName(name: string): boolean {
  return name.endsWith(FIFO)
}

export function memoryQueueUrl(name: string): string {
  return `https://sqs.${REGION}.amazonaws.com/${ACCOUNT}/${name}`
}

export function memoryQueueArn(name: string): string {
  return `arn:aws:sqs:${REGION}:${ACCOUNT}:${name}`
}

export function memoryTopicArn(name: string): string {
  return `arn:aws:sns:${REGION}:${ACCOUNT}:${name}`
}

export function memoryBusArn(name: string): string {
  return `arn:aws:events:${REGION}:${ACCOUNT}:event-bus/${name}`
}

/** The name at the end of a URL or an ARN. */
export function lastSegment(target: string): string {
  return /[^/:]+$/.exec(target)?.[0] ?? target
}
