import type { SQSRecord } from 'aws-lambda'

/** What SNS puts around a message, unless the subscription has raw delivery. */
interface Notification {
  readonly Type?: unknown
  readonly TopicArn?: string
  readonly MessageId: string
  readonly Message: string
  readonly MessageAttributes?: Readonly<Record<string, { readonly Value: string }>>
}

/** What `recordHandler` without the option `id` took as payload and as request: a message and its copies have ids of their own. */
export function openedRecord(
  { body, messageId, messageAttributes }: SQSRecord,
  topics: readonly string[],
): { readonly body: string; readonly requestId: string } {
  const sent = messageAttributes['uniquerequestid']?.stringValue
  const sns = notificationIn(body, topics)
  if (sns === undefined) return { body, requestId: sent ?? messageId }
  const published = sns.MessageAttributes?.['uniquerequestid']?.Value
  return { body: sns.Message, requestId: sent ?? published ?? sns.MessageId }
}

/** A body that names another topic may be forged, and stays payload. */
function notificationIn(body: string, topics: readonly string[]): Notification | undefined {
  const parsed = JSON.parse(body) as Notification | null
  const isOurs = parsed?.Type === 'Notification' && topics.includes(parsed.TopicArn ?? '')
  return isOurs ? parsed : undefined
}
