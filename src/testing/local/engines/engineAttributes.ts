import { localQueueArn } from '../description/arn.ts'
import { isFifoName } from '../../queues/arns.ts'
import type {
  QueueDescription,
  SubscriptionDescription,
  TopicDescription,
} from '../description/description.ts'

/** The attributes of CreateQueue for a described queue. All of them are texts. */
export function queueAttributes(name: string, queue: QueueDescription): Record<string, string> {
  const { visibilityTimeout, delay, maximumMessageSize, deadLetter } = queue
  return withoutUndefined({
    VisibilityTimeout: visibilityTimeout?.toString(),
    DelaySeconds: delay?.toString(),
    MaximumMessageSize: maximumMessageSize?.toString(),
    RedrivePolicy: deadLetter && redrivePolicy(deadLetter.queue, deadLetter.maxReceiveCount),
    ...fifoAttributes('FifoQueue', name, queue),
  })
}

export function topicAttributes(name: string, topic: TopicDescription): Record<string, string> {
  return fifoAttributes('FifoTopic', name, topic)
}

function redrivePolicy(queue: string, maxReceiveCount: number): string {
  return JSON.stringify({ deadLetterTargetArn: localQueueArn(queue), maxReceiveCount })
}

function fifoAttributes(
  kind: 'FifoQueue' | 'FifoTopic',
  name: string,
  { contentBasedDeduplication = false }: { readonly contentBasedDeduplication?: boolean },
): Record<string, string> {
  if (!isFifoName(name)) return {}
  return { [kind]: 'true', ContentBasedDeduplication: String(contentBasedDeduplication) }
}

export function subscriptionAttributes(
  subscription: SubscriptionDescription,
): Record<string, string> {
  const { raw = false, filterPolicy, filterPolicyScope } = subscription
  return withoutUndefined({
    RawMessageDelivery: String(raw),
    FilterPolicy: filterPolicy && JSON.stringify(filterPolicy),
    FilterPolicyScope: filterPolicyScope,
  })
}

function withoutUndefined(attributes: Record<string, string | undefined>): Record<string, string> {
  const entries = Object.entries(attributes)
  return Object.fromEntries(
    entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}
