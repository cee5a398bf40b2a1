import { randomUUID } from 'node:crypto'
import type { SQSRecord } from 'aws-lambda'
import { systemClock } from '../../library/base/clock.ts'
import { toPublished } from '../../library/protocol/record/envelope/attributes.ts'
import {
  type AttributeInput,
  toAttributes,
} from '../../library/protocol/record/envelope/buildMessage.ts'
import { ConfigError } from '../../library/base/errors.ts'
import { bodyText, type RecordOptions, sqsRecord } from './sqsEvent.ts'

/**
 * The SNS notification around a payload.
 * @example
 * const options: SnsOptions = { topicArn, attributes: { tenant: 'a' } }
 */
export interface SnsOptions {
  readonly topicArn: string
  /** The publisher's message attributes. */
  readonly attributes?: Readonly<Record<string, AttributeInput>>
  /** SNS's message id, the same in every subscribed queue. Default: a new UUID. */
  readonly messageId?: string
  readonly subject?: string
  /** When SNS accepted the message: epoch milliseconds, or the text in the notification. Default: the machine's time. */
  readonly timestamp?: number | string
  /** Raw message delivery: the body is the payload itself, without a notification. Default false. */
  readonly raw?: boolean
  /** Options of the record that carries the notification. Its `attributes` are those of the SQS message, not the publisher's. */
  readonly record?: RecordOptions
}

const TOPIC_ARN = /^arn:[^:]+:sns:/

/**
 * The record of a message that came through a topic: its body is SNS's notification with the payload inside.
 * @throws ConfigError when `topicArn` is not the ARN of a topic
 * @example
 * const event = sqsEvent(snsWrapped({ orderId: 'o-1' }, { topicArn, attributes: { tenant: 'a' } }))
 */
export function snsWrapped(payload: unknown, options: SnsOptions): SQSRecord {
  const { attributes = {}, raw = false, record = {} } = options
  if (!TOPIC_ARN.test(options.topicArn)) {
    throw new ConfigError(
      `snsWrapped: topicArn: expected the ARN of a topic, got ${JSON.stringify(options.topicArn) ?? 'nothing'}`,
    )
  }
  if (!raw) return sqsRecord(notificationOf(bodyText(payload), options), record)
  return sqsRecord(payload, { ...record, attributes: { ...attributes, ...record.attributes } })
}

function notificationOf(message: string, options: SnsOptions): string {
  const { topicArn, messageId = randomUUID(), timestamp = systemClock.now() } = options
  const attributes = toAttributes(options.attributes ?? {})
  const [, , , region = ''] = topicArn.split(':')
  const host = `https://sns.${region}.amazonaws.com`
  return layOut({
    Type: 'Notification',
    MessageId: messageId,
    TopicArn: topicArn,
    ...(options.subject !== undefined && { Subject: options.subject }),
    Message: message,
    Timestamp: typeof timestamp === 'string' ? timestamp : new Date(timestamp).toISOString(),
    SignatureVersion: '1',
    Signature: Buffer.alloc(256, topicArn).toString('base64'),
    SigningCertURL: `${host}/SimpleNotificationService-${'0'.repeat(32)}.pem`,
    UnsubscribeURL: `${host}/?Action=Unsubscribe&SubscriptionArn=${topicArn}:${messageId}`,
    // SNS omits the field when there are no attributes.
    ...(Object.keys(attributes).length > 0 && { MessageAttributes: toPublished(attributes) }),
  })
}

/** SNS writes one field per line with a space on both sides of the colon, so a reader must not search the text for `":"`. */
function layOut(notification: object): string {
  const lines = Object.entries(notification).map(
    ([key, value]) => `  ${JSON.stringify(key)} : ${JSON.stringify(value)}`,
  )
  return `{\n${lines.join(',\n')}\n}`
}
