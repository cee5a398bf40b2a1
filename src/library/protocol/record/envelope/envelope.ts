import type { EventBridgeEvent, S3EventRecord } from 'aws-lambda'
import type { UnknownFormatError } from '../../../base/errors.ts'

/**
 * A message attribute as SQS and SNS type it. Numbers stay text, so that "1.50" is kept. `type` includes custom labels
 * (`Number.float`).
 */
export type Attribute =
  | { readonly type: string; readonly value: string }
  | { readonly type: string; readonly value: Uint8Array }

/** Attributes by name, on an object without a prototype, because `__proto__` is a legal attribute name. */
export type Attributes = Readonly<Record<string, Attribute>>

/** How the payload arrived. Raw SNS delivery looks like a direct send, and counts as `sqs`. */
type EnvelopeSource = 'sqs' | 'sns'

/** What copies, dead letters and messages of a handler carry in the attributes `uniquerequestid` and `lineclear`. All fields are optional in a message. */
export interface LineclearAttributes {
  /** Identity of the request, from the attribute `uniquerequestid`. */
  readonly uniqueRequestId?: string
  /**
   * The SQS message id of the first sending, which a redrive would lose. It is used in place of the SQS message id, so the id of
   * the payload and the SNS message id take precedence over it.
   */
  readonly messageId?: string
  /** Number of this copy; 0 for the first sending. */
  readonly resendNumber: number
  /** How often earlier copies found the key taken. */
  readonly asked?: number
  /** How often a Lambda function has put this chain of messages on a queue: Lambda stops a chain at 16. */
  readonly hops: number
  /** When the sender made the request, or else when it was first sent. Epoch milliseconds. */
  readonly sentAt?: number
  /** When a queue or a topic first accepted the request, if that differs from `sentAt`. Epoch milliseconds. */
  readonly takenAt?: number
  /** The message does not run before this time, epoch milliseconds. */
  readonly notBefore?: number
  /** Number of the death that this dead letter reports. The store recognises a redrive by it. */
  readonly death?: number
  /** Why it was dead-lettered: the reason, and the error text for an operator. */
  readonly reason?: string
  readonly error?: string
  /** Frames and causes of that error, if it was thrown. */
  readonly stack?: string
  readonly attempts?: number
  /** ARN of the queue that a dead letter comes from, and the consumer that dead-lettered it. A redrive sends it back there. */
  readonly source?: string
  readonly consumer?: string
  /** Published version of the function that dead-lettered it; `$LATEST` says nothing, and is left out. */
  readonly version?: string
  /** The run of a flow in which the message was sent. */
  readonly flow?: RunReference
  /** W3C trace context, from the first sender's attribute `traceparent`. */
  readonly traceparent?: string
  /** The body is a wrapper of Lineclear: the original body and attributes are inside. */
  readonly wrapped?: true
  /** The payload is kept outside the message: the body only says where, for operators. */
  readonly payload?: CarriedPayload
}

/** The run of a flow that a message belongs to. The message can continue no other run. */
export interface RunReference {
  readonly name: string
  readonly key: string
  /** Id of the request that runs the flow. */
  readonly id: string
  readonly epoch: number
  /** When that request was made, epoch milliseconds. */
  readonly sentAt: number
  /** The stage that sent the message; empty for a message of the first stage. */
  readonly from: string
  /** The fence of the run's record when the message was sent by a stage: the next claim needs no read if nothing has changed since. */
  readonly fence?: number
  /** The message is the timeout of an awaited answer. */
  readonly timeout?: true
  /** The message is an answer that onLate has been given: what it counts belongs to that. */
  readonly late?: true
}

/** What an event says of itself. */
interface EventFacts {
  /** Id of the event, which becomes the id of the request: the same in every delivery of the event. */
  readonly id: string
  /** When the event happened, epoch milliseconds. */
  readonly sentAt?: number
  /** When the service accepted it, if the queue's time says nothing about its age. Epoch milliseconds. */
  readonly takenAt?: number
  /** What has to be equal in two messages with the same id; else they are in conflict. */
  readonly fingerprint: string
}

/**
 * A message in one form, however it reached the queue: sent, published through SNS (raw or not), or resent. Frozen; a new object
 * for each record.
 */
export interface Envelope {
  readonly source: EnvelopeSource
  /** The payload's text: as it was sent or published, or taken out of the event that the option `envelopes` has opened. */
  readonly body: string
  /** The attributes of the sender: those of the message and of a notification in it, without Lineclear's two. */
  readonly attributes: Attributes
  readonly carried: LineclearAttributes
  /** Names of attributes that did not parse and were left out, for the log. */
  readonly ignored: readonly string[]
  /** The SNS message id: the same in every copy that SNS makes. */
  readonly snsMessageId?: string
  readonly topicArn?: string
  readonly subject?: string
  /** The message's tenant on a fair queue: the message group of a standard queue. */
  readonly tenant?: string
  /** When SNS or SQS accepted the message, whichever was earlier, epoch milliseconds. undefined: the event does not say. */
  readonly enqueuedAt: number | undefined
  /** The body looks like an SNS notification of this topic. It was not unwrapped, because the consumer does not list the topic. */
  readonly unnamedTopic?: string
  /** Identity and times of the event that the option `envelopes` has opened. */
  readonly event?: EventFacts
  /** The whole event of EventBridge that was opened. */
  readonly eventBridge?: EventBridgeEvent<string, unknown>
  /** The record of the S3 notification that was opened, with its key as S3 encodes it. */
  readonly s3?: S3EventRecord
  /** The body is an event that the option `envelopes` admits and cannot read. Why, for its dead letter. */
  readonly refusal?: string
  /** The body contains no request, and is acknowledged. What it is, for the log. */
  readonly testEvent?: string
  /** The body looks like an event that the option `envelopes` does not admit, and was taken as payload. What it is, for the log. */
  readonly unlisted?: string
}

/** What a message carries in place of a payload that is kept elsewhere. It names no place: its receiver knows one of its own. */
export interface CarriedPayload {
  /** Hash of the payload, hexadecimal. It is also its name where it is kept, and by it payloads are compared. */
  readonly sha256: string
  /** Bytes of UTF-8. */
  readonly bytes: number
}

/** A payload that leaves its message. */
export interface MovedPayload {
  readonly carried: CarriedPayload
  /** The body that has `body`, or the notification that has it inside, with a text for operators in its place. */
  replaceIn(body: string): string
  /** Has to succeed before the message is sent. @throws StoreUnavailableError */
  store(): Promise<void>
}

/** Where payloads are kept that do not fit into a message. */
export interface LargePayloads {
  /** @throws TerminalError when the payload is too large for here, too */
  move(payload: string): MovedPayload
  /**
   * @throws RejectedError when it is too large, missing, or not what was sent
   * @throws StoreUnavailableError when it cannot be read now
   */
  read(carried: CarriedPayload): Promise<string>
}

/** What the option `envelopes` takes: `snsTopic()`, `eventBridge()` and `s3Events()` make them. */
export type EnvelopeFormat = TopicFormat | EventFormat

/** Topics of SNS whose notifications are unwrapped, made by `snsTopic()`. */
export interface TopicFormat {
  readonly topics: readonly string[] | 'any'
}

/** A form of event that an AWS service puts on a queue, made by `eventBridge()` or `s3Events()`. */
export interface EventFormat {
  /**
   * Never throws.
   * @param queueArn the queue that the message came from
   * @param now epoch milliseconds; times after it are not believed
   * @returns what opening the event changes in the envelope; undefined: the body has another form, and remains payload
   */
  open(body: string, queueArn: string, now: number): OpenedEvent | undefined
}

/** What opening an event changes in the envelope: the payload, the identity and time of the event, or why it cannot be read. */
export type OpenedEvent = Partial<
  Pick<Envelope, 'body' | 'event' | 'eventBridge' | 's3' | 'refusal' | 'testEvent' | 'unlisted'>
> & {
  /** What the sender of the event has stamped it with. It supplies only what is missing on the message. */
  readonly stamp?: {
    readonly id?: string | undefined
    /** An error: a newer version has put the event on its bus. */
    readonly packed?: Omit<LineclearAttributes, 'uniqueRequestId'> | UnknownFormatError
  }
}
