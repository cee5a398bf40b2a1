/** A message attribute as SQS and SNS type it. Numbers stay text ("1.50" is kept); `type` keeps custom labels (`Number.float`). */
export type Attribute =
  | { readonly type: string; readonly value: string }
  | { readonly type: string; readonly value: Uint8Array }

/** By name, on a null prototype: `__proto__` is a legal attribute name. */
export type Attributes = Readonly<Record<string, Attribute>>

/** How the payload came. Raw SNS delivery looks like a direct send, and is `sqs`. */
type EnvelopeSource = 'sqs' | 'sns'

/** What copies, dead letters and messages of a handler carry in the attributes `uniquerequestid` and `lineclear`. All fields are optional in a message. */
export interface LineclearAttributes {
  /** Identity of the request, from the attribute `uniquerequestid`. */
  readonly uniqueRequestId?: string
  /**
   * The SQS message id of the first sending, which a redrive would lose. It takes the place of the SQS id: the id of the payload
   * and the SNS id come before it.
   */
  readonly messageId?: string
  /** Number of this copy; 0 for the first sending. */
  readonly retry: number
  /** How often the copies before this one found the key taken. */
  readonly asked?: number
  /** How often a Lambda function has put this chain of messages on a queue: Lambda stops a chain at 16. */
  readonly hops: number
  /** When the request was made, as its sender says, else its first sending. Epoch milliseconds. */
  readonly sentAt?: number
  /** When a queue or a topic first took the request, where that is another time than `sentAt`. Epoch milliseconds. */
  readonly takenAt?: number
  /** It is not run before this time, epoch milliseconds. */
  readonly notBefore?: number
  /** Number of the death that this dead letter reports. By it the store recognises a redrive. */
  readonly death?: number
  /** Why it was dead-lettered: the reason, and the error text for an operator. */
  readonly reason?: string
  readonly error?: string
  readonly attempts?: number
  /** ARN of the queue that a dead letter comes from, and the consumer that dead-lettered it: a redrive sends it back there. */
  readonly source?: string
  readonly consumer?: string
  /** The run of a flow in which it was sent. */
  readonly flow?: RunReference
  /** W3C trace context, from the first sender's attribute `traceparent`. */
  readonly traceparent?: string
  /** The body is a wrapper of Lineclear: the original body and attributes are inside. */
  readonly wrapped?: true
}

/** The run of a flow that a message belongs to: it continues in no other. */
export interface RunReference {
  readonly name: string
  readonly key: string
  /** Identity of the request that runs. */
  readonly id: string
  readonly epoch: number
  /** When the request that runs was made, epoch milliseconds. */
  readonly sentAt: number
  /** The stage that sent it; empty for a message of the first stage. */
  readonly from: string
  /** The message is the timeout of an awaited answer. */
  readonly timeout?: true
}

/** A message in one shape, however it reached the queue: sent, published through SNS (raw or not), or re-sent. Frozen; new for each record. */
export interface Envelope {
  readonly source: EnvelopeSource
  /** The payload's text, exactly as it was sent or published. */
  readonly body: string
  /** The sender's attributes, of the message and of a notification in it, without the two of Lineclear. */
  readonly attributes: Attributes
  readonly carried: LineclearAttributes
  /** Names of attributes that did not parse and were left out, for the log. */
  readonly ignored: readonly string[]
  /** The SNS message id: the same in every copy that SNS makes. */
  readonly snsMessageId?: string
  readonly topicArn?: string
  readonly subject?: string
  /** When SNS or SQS took it, whichever was earlier, epoch milliseconds; undefined when the event does not say. */
  readonly enqueuedAt: number | undefined
  /** The body looks like an SNS notification of this topic, which the consumer does not name: it was not unwrapped. */
  readonly unnamedTopic?: string
}
