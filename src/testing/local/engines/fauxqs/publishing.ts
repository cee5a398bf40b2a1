import { isObject } from '../../../../library/base/kindOf.ts'
import { isWanted, type ReceivedAttributes } from './filterPolicy.ts'
import type { Handler, RefusalOf } from './handlers.ts'

interface Published {
  readonly body: string
  readonly messageAttributes: ReceivedAttributes
}

interface Subscription {
  readonly attributes: Readonly<Record<string, string>>
}

/** The topics and subscriptions in fauxqs. It tells its spy of each message before it looks for the message's subscriptions. */
interface Topics {
  readonly spy?: { addMessage(event: Published): void }
  getSubscription(arn: string): Subscription | undefined
}

/**
 * Publish and PublishBatch of fauxqs, with the filters of SNS: those of fauxqs take a text for a number, and see no lists. And with
 * MessageStructure, which it does not know: docs.aws.amazon.com/sns/latest/api/API_Publish.html
 */
export function publishAsSns(handler: Handler, refusal: RefusalOf): Handler {
  return (params, topics, ...rest) =>
    handler(structured(params, refusal), filtering(topics as Topics), ...rest)
}

function filtering(topics: Topics): Topics {
  let message: Published | undefined
  const changed: Topics = {
    spy: {
      addMessage(event) {
        message = event
        topics.spy?.addMessage(event)
      },
    },
    getSubscription(arn) {
      const subscription = topics.getSubscription(arn)
      const {
        FilterPolicy: policy,
        FilterPolicyScope: scope,
        ...others
      } = subscription?.attributes ?? {}
      if (subscription === undefined || policy === undefined || message === undefined) {
        return subscription
      }
      const { body, messageAttributes } = message
      const isIn = isWanted(JSON.parse(policy), scope, body, messageAttributes)
      return isIn ? { ...subscription, attributes: others } : undefined
    },
  }
  return Object.assign(Object.create(topics) as Topics, changed)
}

/** Each message whose structure is `json` becomes what it says for SQS, the only protocol that is served here. */
function structured(
  params: Readonly<Record<string, unknown>>,
  refusal: RefusalOf,
): Readonly<Record<string, unknown>> {
  const chosen = Object.entries(params).flatMap(([name, value]) => {
    if (!name.endsWith('MessageStructure') || value !== 'json') return []
    const member = name.slice(0, -'Structure'.length)
    return [[member, messageFor(String(params[member]), refusal)] as const]
  })
  return { ...params, ...Object.fromEntries(chosen) }
}

function messageFor(text: string, refusal: RefusalOf): string {
  const wrong = (why: string): Error =>
    refusal('InvalidParameter', `Invalid parameter: Message Structure - ${why}`)
  let texts: unknown
  try {
    texts = JSON.parse(text)
  } catch {
    throw wrong('JSON message body failed to parse')
  }
  const { default: others, sqs } = isObject(texts) ? texts : {}
  if (typeof others !== 'string') throw wrong('No default entry in JSON message body')
  return typeof sqs === 'string' ? sqs : others
}
