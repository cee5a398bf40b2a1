import { randomUUID } from 'node:crypto'
import type { SQSRecord } from 'aws-lambda'
import { systemClock } from '../../clock.ts'
import { toPublished } from '../../record/envelope/attributes.ts'
import { type AttributeInput, toAttributes } from '../../record/envelope/checkAttributes.ts'
import { ConfigError } from '../../errors.ts'
import { bodyText } from './bodyText.ts'
import { type RecordOptions, sqsRecord } from './sqsEvent.ts'

export interface SnsOptions {
  readonly topicArn: string
  /** The publisher's attributes. */
  readonly attributes?: Readonly<Record<string, AttributeInput>>
  /** SNS's id of the publish, the same in every queue. By default a new UUID. */
  readonly messageId?: string
  readonly subject?: string
  /** When SNS took it: epoch milliseconds, or the text as it stands in the notification. By default now, as for a record. */
  readonly timestamp?: number | string
  /** Raw message delivery: the body is the payload, and only the attributes come with it. */
  readonly raw?: boolean
  /** The record that the notification arrives in. Its `attributes` are the queue's, not the publisher's. */
  readonly record?: RecordOptions
}

const TOPIC_ARN = /^arn:[^:]+:sns:/

/**
 * The record that a queue subscribed to a topic gets, for `sqsEvent`; its `body` is the text of the notification.
 * `sqsEvent(snsWrapped({ orderId: 'o-1' }, { topicArn }))`
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
    // SNS leaves the key out when there are none.
    ...(Object.keys(attributes).length > 0 && { MessageAttributes: toPublished(attributes) }),
  })
}

/** SNS writes one field a line, with a space on both sides of the colon: a reader that searches the text must cope. */
function layOut(notification: object): string {
  const lines = Object.entries(notification).map(
    ([key, value]) => `  ${JSON.stringify(key)} : ${JSON.stringify(value)}`,
  )
  return `{\n${lines.join(',\n')}\n}`
}
