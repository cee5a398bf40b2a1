/** A message attribute as SQS and SNS type it. Numbers stay text ("1.50" is kept); `type` keeps custom labels (`Number.float`). */
export type Attribute =
  | { readonly type: string; readonly value: string }
  | { readonly type: string; readonly value: Uint8Array }

/** By name, on a null prototype: `__proto__` is a legal attribute name. */
export type Attributes = Readonly<Record<string, Attribute>>

/** Which wrapper the payload came in. Raw SNS delivery cannot be told from a direct send, and is `sqs`. */
export type EnvelopeSource = 'sqs' | 'sns'

/** What the framework carries from send to send in the packed attribute `lineclear`. All fields are optional on the wire. */
export interface LineclearAttributes {
  /** Identity of the logical message, from the attribute `uniquerequestid`. */
  readonly uniqueRequestId?: string
  /**
   * SQS's own id of its first sending, which a redrive would lose. It stands where the SQS id would stand, and nowhere else: the
   * id of the payload and that of SNS come before it.
   */
  readonly messageId?: string
  /** How many times the message was re-sent. */
  readonly retry: number
  /** How often copies before this one asked whether it was their turn. */
  readonly asked?: number
  /** Times a Lambda put this chain of messages on a queue: Lambda cuts a chain at 16. */
  readonly hops: number
  /** When the request was made, epoch milliseconds: by its sender, else its first sending. */
  readonly sentAt?: number
  /** When a queue or a topic first took the request, epoch milliseconds, where its payload says that it was made at another time. */
  readonly takenAt?: number
  /** Not to be run before, epoch milliseconds. */
  readonly notBefore?: number
  /** Which death of the request this dead letter tells of: a redrive is recognised by it. */
  readonly death?: number
  /** Why it was dead-lettered, for people: reason and error text. */
  readonly reason?: string
  readonly error?: string
  readonly attempts?: number
  /** Of a dead letter: ARN of the queue it was on, and the consumer that gave it up. A redrive sends it back there. */
  readonly source?: string
  readonly consumer?: string
  /** The run of a flow that it was sent in. */
  readonly flow?: RunReference
  /** W3C trace context, from the first sender's attribute `traceparent`. What is sent and re-sent carries it on. */
  readonly traceparent?: string
  /** The body is our own wrapper: the original body and attributes lie inside it. */
  readonly wrapped?: true
}

/** Which run of a flow a message belongs to: in no other may it go on. */
export interface RunReference {
  readonly name: string
  readonly key: string
  /** Identity of the request that runs. */
  readonly id: string
  readonly epoch: number
  /** Of the request's first sending, epoch milliseconds. */
  readonly sentAt: number
  /** The stage that handed on. */
  readonly from: string
  /** It tells that an awaited answer has not come in time. */
  readonly timeout?: true
}

/** One shape for every way a message reaches a queue. Frozen; fresh per record. */
export interface Envelope {
  readonly source: EnvelopeSource
  /** The payload's text, byte for byte as it was sent or published. */
  readonly body: string
  /** The sender's attributes, from both levels, without the framework's own two. */
  readonly attributes: Attributes
  readonly carried: LineclearAttributes
  /** Framework data that did not parse: the record counts as a first delivery. Names only, for the log. */
  readonly ignored: readonly string[]
  /** SNS's own id of the publish, the same in every copy SNS makes. */
  readonly snsMessageId?: string
  readonly topicArn?: string
  readonly subject?: string
  /** When SNS took it or SQS enqueued it, epoch milliseconds; undefined when the event does not say. */
  readonly enqueuedAt: number | undefined
  /** A body that looks like an SNS notification of this topic, which the consumer does not name: left closed. */
  readonly unnamedTopic?: string
}
