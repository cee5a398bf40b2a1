import { isUniqueRequestId } from './lineclearAttributes.ts'
import { parseObject } from './json.ts'

/** The topics whose notifications a consumer opens, by ARN. `'any'` trusts whoever may send to the queue. */
export type Topics = readonly string[] | 'any' | undefined

/** What SNS put around the published message. */
export interface Notification {
  readonly message: string
  readonly messageId: string
  readonly topicArn: string
  readonly attributes: unknown
  readonly subject: unknown
  readonly timestamp: unknown
}

type OpenedBody =
  | { readonly kind: 'payload' }
  | { readonly kind: 'unnamed'; readonly topicArn: string }
  | { readonly kind: 'notification'; readonly notification: Notification }

const PAYLOAD: OpenedBody = { kind: 'payload' }
/** What goes into the log is no more than this. */
const ARN = /^arn:[\w:.-]{1,400}$/

/**
 * Opens an SNS notification of a named topic. A body that merely looks like one could choose its own
 * `uniquerequestid` and so suppress another request: from any other topic it stays payload.
 */
export function openNotification(body: string, topics: Topics): OpenedBody {
  // Two searches cost a tenth of a parse, and nearly every direct body ends here.
  if (!body.includes('TopicArn"') || !body.includes('Notification"')) return PAYLOAD
  const notification = readNotification(body)
  if (notification === undefined) return PAYLOAD
  const { topicArn } = notification
  if (topics === 'any' || topics?.includes(topicArn) === true) {
    return { kind: 'notification', notification }
  }
  return ARN.test(topicArn) ? { kind: 'unnamed', topicArn } : PAYLOAD
}

function readNotification(body: string): Notification | undefined {
  const sns = parseObject(body)
  if (sns === undefined || sns.Type !== 'Notification') return undefined
  const { TopicArn, Message, MessageId } = sns
  if (typeof Message !== 'string' || typeof TopicArn !== 'string') return undefined
  if (!isUniqueRequestId(MessageId)) return undefined
  return {
    message: Message,
    messageId: MessageId,
    topicArn: TopicArn,
    attributes: sns.MessageAttributes,
    subject: sns.Subject,
    timestamp: sns.Timestamp,
  }
}
