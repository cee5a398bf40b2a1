/** A queue as SQS has it; a name that ends in `.fifo` makes it FIFO. Times in seconds, as SQS counts them. */
export interface QueueDescription {
  /** 0 to 43,200 s. Default 30. */
  readonly visibilityTimeout?: number
  /** 0 to 900 s, for messages that name none. Default 0. */
  readonly delay?: number
  /** 1,024 to 1,048,576 bytes. Default 1,048,576. */
  readonly maximumMessageSize?: number
  readonly deadLetter?: { readonly queue: string; readonly maxReceiveCount: number }
  /** FIFO only. Default false. */
  readonly contentBasedDeduplication?: boolean
}

export interface SubscriptionDescription {
  readonly queue: string
  /** Raw message delivery: the body arrives without SNS's wrapper. Default false. */
  readonly raw?: boolean
  readonly filterPolicy?: object
  /** Default `MessageAttributes`. */
  readonly filterPolicyScope?: 'MessageAttributes' | 'MessageBody'
}

export interface TopicDescription {
  readonly subscriptions?: readonly SubscriptionDescription[]
  /** FIFO only. Default false. */
  readonly contentBasedDeduplication?: boolean
}
